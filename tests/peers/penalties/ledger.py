class Ledger:
    """Amounts by account, in cents."""

    def __init__(self):
        self.deposits = []
        self.withdrawals = []
        self.fees = []
        self.refunds = []
        self.interest = []
        self.transfers = []

    def add_deposit(self, account, amount):
        if amount <= 0:
            raise ValueError("deposit must be positive")
        self.deposits.append((account, amount))
        return amount

    def add_withdrawal(self, account, amount):
        if amount <= 0:
            raise ValueError("withdrawal must be positive")
        self.withdrawals.append((account, amount))
        return amount

    def add_fee(self, account, amount):
        if amount <= 0:
            raise ValueError("fee must be positive")
        self.fees.append((account, amount))
        return amount

    def add_refund(self, account, amount):
        if amount <= 0:
            raise ValueError("refund must be positive")
        self.refunds.append((account, amount))
        return amount

    def add_interest(self, account, amount):
        if amount <= 0:
            raise ValueError("interest must be positive")
        self.interest.append((account, amount))
        return amount

    def add_transfer(self, account, amount):
        if amount <= 0:
            raise ValueError("transfer must be positive")
        self.transfers.append((account, amount))
        return amount
