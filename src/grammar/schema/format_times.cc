// Dates and times as RFC 3339 writes them, with the calendar and with leap seconds; durations as its appendix A does.
#include <string>
#include <string_view>
#include <vector>

#include "grammar/schema/format_builder.h"

namespace decant::grammar {
namespace {

std::string TwoDigits(int number) {
  return {static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
}

// The second 60 is only ever the last one of a day in UTC, so the local time is 23:59 and the offset. Offsets of whole
// and half hours alone: for all of them, every minute of every hour would be a state of its own, with its own masks.
Expr LeapSecond(FormatBuilder& b) {
  const Expr second = b.Row({b.Text(":60"), b.Maybe(b.Row({b.Text("."), b.Times(b.Digit(), 1, kUnbounded)}))});
  std::vector<Expr> times = {b.Row({b.Text("23:59"), second, b.One("Zz")})};
  for (int hour = 0; hour < 24; ++hour) {
    const std::string west = "-" + TwoDigits(23 - hour);
    const Expr whole = b.pool().Literals({"+" + TwoDigits((hour + 1) % 24) + ":00", west + ":00"});
    const Expr half = b.pool().Literals({"+" + TwoDigits(hour) + ":30", west + ":30"});
    const Expr minutes = b.Any({b.Row({b.Text("59"), second, whole}), b.Row({b.Text("29"), second, half})});
    times.push_back(b.Row({b.Text(TwoDigits(hour) + ":"), minutes}));
  }
  return b.pool().Union(times);
}

// "05" to "31" and the like: two digits, by the tens that any digit may follow and by those that only some may.
Expr UpTo(FormatBuilder& b, std::string_view tens, std::string_view last_tens, std::string_view last_ones) {
  return b.Any({b.Row({b.One(tens), b.Digit()}), b.Row({b.One(last_tens), b.One(last_ones)})});
}

}  // namespace

Expr DateLanguage(FormatBuilder& b) {
  const Expr month31 = b.Any({b.Row({b.Text("0"), b.One("13578")}), b.Row({b.Text("1"), b.One("02")})});
  const Expr month30 = b.Any({b.Row({b.Text("0"), b.One("469")}), b.Text("11")});
  const Expr day28 = b.Any({b.Row({b.Text("0"), b.One("1-9")}), UpTo(b, "1", "2", "0-8")});
  const Expr day30 = b.Any({day28, b.Text("29"), b.Text("30")});
  const Expr month_and_day = b.Any({b.Row({month31, b.Text("-"), b.Any({day30, b.Text("31")})}),
                                    b.Row({month30, b.Text("-"), day30}), b.Row({b.Text("02-"), day28})});
  // Years that 4 divides and 100 does not, or 400 does.
  const Expr evens = b.Row({b.One("2468"), b.One("048")});
  const Expr odds = b.Row({b.One("13579"), b.One("26")});
  const Expr leap_year =
      b.Any({b.Row({b.Times(b.Digit(), 2, 2), b.Any({b.Row({b.Text("0"), b.One("48")}), evens, odds})}),
             b.Row({b.Any({b.Row({b.Text("0"), b.One("048")}), evens, odds}), b.Text("00")})});
  return b.Any({b.Row({b.Times(b.Digit(), 4, 4), b.Text("-"), month_and_day}), b.Row({leap_year, b.Text("-02-29")})});
}

Expr TimeLanguage(FormatBuilder& b) {
  const Expr hour = UpTo(b, "01", "2", "0-3");
  const Expr minute = b.Row({b.Text(":"), b.One("0-5"), b.Digit()});
  const Expr fraction = b.Maybe(b.Row({b.Text("."), b.Times(b.Digit(), 1, kUnbounded)}));
  const Expr offset = b.Any({b.One("Zz"), b.Row({b.One("+-"), hour, minute})});
  return b.Any({b.Row({hour, minute, minute, fraction, offset}), LeapSecond(b)});
}

Expr DateTimeLanguage(FormatBuilder& b) { return b.Row({DateLanguage(b), b.One("Tt"), TimeLanguage(b)}); }

Expr DurationLanguage(FormatBuilder& b) {
  const Expr number = b.Times(b.Digit(), 1, kUnbounded);
  const auto count = [&](std::string_view unit) { return b.Row({number, b.Text(unit)}); };
  // A unit, and then the next smaller ones without a gap.
  const auto chain = [&](std::string_view large, std::string_view middle, std::string_view small) {
    const Expr last = count(small);
    const Expr both = b.Row({count(middle), b.Maybe(last)});
    return b.Any({b.Row({count(large), b.Maybe(both)}), both, last});
  };
  const Expr time = b.Row({b.Text("T"), chain("H", "M", "S")});
  const Expr date = chain("Y", "M", "D");
  return b.Row({b.Text("P"), b.Any({count("W"), time, b.Row({date, b.Maybe(time)})})});
}

}  // namespace decant::grammar
