#include "grammar/number_set.h"
