#include "grammar/regex/regex.h"
