// Reads environment variables; an absent one and an empty one are alike.
#include "environment.h"

#include <cstdlib>

namespace decant::cli {

std::string Environment(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

}  // namespace decant::cli
