// What a figure was taken on, in one line.
#include <sys/utsname.h>

#include <fstream>
#include <string>
#include <thread>

#include "decant/bench.h"

namespace decant {
namespace {

std::string Processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::string Compiler() {
#if defined(__clang__)
  return "clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__);
#else
  return "g++ " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__);
#endif
}

}  // namespace

std::string MachineText() {
  utsname system{};
  const bool is_known = uname(&system) == 0;
  const auto level = SimdLevel();
  const unsigned cores = std::thread::hardware_concurrency();
  return Processor() + ", " + std::to_string(cores) + (cores == 1 ? " core, " : " cores, ") +
         (is_known ? std::string(system.sysname) + " " + system.machine : std::string("unknown system")) + ", " +
         (level.has_value() ? std::string(*level) : std::string("no usable instruction set")) + ", " + Compiler();
}

}  // namespace decant
