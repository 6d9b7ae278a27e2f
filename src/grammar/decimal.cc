#include "grammar/decimal.h"
