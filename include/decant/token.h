// A token is an index into a model's vocabulary; never mixed with counts or positions.
#ifndef DECANT_TOKEN_H_
#define DECANT_TOKEN_H_

#include <cstdint>

namespace decant {

using TokenId = std::uint32_t;

}  // namespace decant

#endif  // DECANT_TOKEN_H_
