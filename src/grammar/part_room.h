// Room on the stack for the parts of an expression or a formula while it is put together.
#ifndef DECANT_GRAMMAR_PART_ROOM_H_
#define DECANT_GRAMMAR_PART_ROOM_H_

#include <array>
#include <cstddef>
#include <memory_resource>

namespace decant::grammar {

// Enough for nearly all; more is allocated.
struct PartRoom {
  std::array<std::byte, 1024> bytes;
  std::pmr::monotonic_buffer_resource memory{bytes.data(), bytes.size()};
};

}  // namespace decant::grammar

#endif  // DECANT_GRAMMAR_PART_ROOM_H_
