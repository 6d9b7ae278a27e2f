// A list of chunks from the end back; put together only when all of it is asked for.
#include "grammar/json/text.h"

#include <algorithm>
#include <cstring>

namespace decant::grammar {

// A piece that is not full is copied, so that a long text has a piece for every eight bytes whatever way it grew.
const Text* Append(const Text* text, std::string_view bytes, Arena& arena) {
  while (!bytes.empty()) {
    Text* piece = text != nullptr && text->count < text->bytes.size() ? arena.Make<Text>(*text) : arena.Make<Text>();
    if (piece->count == 0) piece->before = text, piece->content = ContentOf(text);
    const std::size_t count = std::min(piece->bytes.size() - piece->count, bytes.size());
    std::memcpy(piece->bytes.data() + piece->count, bytes.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      piece->content = Add(piece->content, static_cast<unsigned char>(bytes[i]));
    }
    piece->count = static_cast<std::uint8_t>(piece->count + count);
    piece->size = SizeOf(text) + count;
    bytes.remove_prefix(count);
    text = piece;
  }
  return text;
}

std::string ToString(const Text* text) {
  std::string all(SizeOf(text), '\0');
  std::size_t end = all.size();
  for (; text != nullptr; text = text->before) {
    end -= text->count;
    std::memcpy(all.data() + end, text->bytes.data(), text->count);
  }
  return all;
}

}  // namespace decant::grammar
