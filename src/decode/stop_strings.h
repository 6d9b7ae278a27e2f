// Stop strings on bytes: found wherever token borders fall, and no more text is held back than could still become one.
#ifndef DECANT_DECODE_STOP_STRINGS_H_
#define DECANT_DECODE_STOP_STRINGS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace decant::decode {

// Watches a growing text. One owner, one sequence.
class StopStrings {
 public:
  // REQUIRES: no empty string.
  explicit StopStrings(std::vector<std::string> strings);

  struct Match {
    std::size_t begin;  // byte offset in the whole text
    std::string_view string;
  };
  // Looks at the text after it grew from `old_size` bytes: of the strings that are complete now, the one that starts
  // earliest, of those the longest.
  std::optional<Match> Find(std::string_view text, std::size_t old_size) const;

  // How many bytes at the end of the text are the proper head of a stop string, and so must not be shown yet.
  std::size_t HeldBytes(std::string_view text) const;

 private:
  std::vector<std::string> strings_;
  std::size_t longest_ = 0;
};

}  // namespace decant::decode

#endif  // DECANT_DECODE_STOP_STRINGS_H_
