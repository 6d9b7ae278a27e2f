// URIs as schemas use them: references resolved against a base (RFC 3986, section 5), fragments, percent-escapes.
#ifndef DECANT_GRAMMAR_SCHEMA_URI_H_
#define DECANT_GRAMMAR_SCHEMA_URI_H_

#include <string>
#include <string_view>

namespace decant::grammar {

// The part before the first "#", and the part after it ("" when there is none).
std::string_view WithoutFragment(std::string_view uri);
std::string_view FragmentOf(std::string_view uri);

// The URI that the reference means where the base applies, without its fragment. Any text is taken: what is no URI
// gives a text that no document has. The base's own fragment does not count.
std::string ResolveUri(std::string_view base, std::string_view reference);

// %41 is A. A percent sign that does not start an escape stays.
std::string PercentDecoded(std::string_view text);

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_SCHEMA_URI_H_
