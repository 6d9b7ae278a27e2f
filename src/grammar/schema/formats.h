// The formats that strings are held to.
#ifndef DECANT_GRAMMAR_SCHEMA_FORMATS_H_
#define DECANT_GRAMMAR_SCHEMA_FORMATS_H_

#include <string_view>

#include "grammar/schema/keywords.h"

namespace decant::grammar {

// Whether a schema of the draft asserts the format. Validators agree to assert the newer date, time, idn-email and
// regex in older drafts too.
bool DraftHasFormat(Draft draft, std::string_view format);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_SCHEMA_FORMATS_H_
