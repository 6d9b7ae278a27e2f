#include "grammar/schema/schema.h"
