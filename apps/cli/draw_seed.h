// A seed for who gives none.
#ifndef DECANT_CLI_DRAW_SEED_H_
#define DECANT_CLI_DRAW_SEED_H_

#include <cstdint>

namespace decant::cli {

// Drawn by the operating system; below 2^53, which every JSON reader keeps.
std::uint64_t DrawSeed();

}  // namespace decant::cli

#endif  // DECANT_CLI_DRAW_SEED_H_
