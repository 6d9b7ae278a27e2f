// Whole code points out of a stream of bytes that may be cut anywhere.
#include "core/utf8.h"
#include "decant/tokenizer.h"

namespace decant {

std::string StreamingDetokenizer::Push(std::string_view token_bytes) {
  bytes_.append(token_bytes);
  std::string joined;
  if (!held_.empty()) {
    joined = held_;
    joined.append(token_bytes);
    token_bytes = joined;
    held_.clear();
  }
  std::string shown;
  shown.reserve(token_bytes.size());
  while (!token_bytes.empty()) {
    const core::Utf8Part part = core::DecodeUtf8(token_bytes);
    if (part.status == core::Utf8Status::kIncomplete) {
      held_ = token_bytes;
      break;
    }
    if (part.status == core::Utf8Status::kValid) {
      shown.append(token_bytes.substr(0, part.length));
    } else {
      core::AppendUtf8(core::kReplacement, shown);
    }
    token_bytes.remove_prefix(part.length);
  }
  return shown;
}

std::string StreamingDetokenizer::Flush() {
  std::string shown = core::ToValidUtf8(held_);
  held_.clear();
  return shown;
}

}  // namespace decant
