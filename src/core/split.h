// Text cut at a separator.
#ifndef DECANT_CORE_SPLIT_H_
#define DECANT_CORE_SPLIT_H_

#include <string_view>
#include <vector>

namespace decant::core {

// Every part, empty ones too: "1,,2," has four. The empty text has none. The views look into the text.
std::vector<std::string_view> Split(std::string_view text, char separator);

}  // namespace decant::core

#endif  // DECANT_CORE_SPLIT_H_
