#include "grammar/expr_pool.h"
