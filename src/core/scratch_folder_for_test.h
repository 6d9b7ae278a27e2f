// A folder that no other test, process or user has, gone with its owner. Tests run side by side: no test names a place
// in the temporary folder itself.
#ifndef DECANT_CORE_SCRATCH_FOLDER_FOR_TEST_H_
#define DECANT_CORE_SCRATCH_FOLDER_FOR_TEST_H_

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace decant::core {

class ScratchFolder {
 public:
  ScratchFolder() : path_((std::filesystem::temp_directory_path() / "decant_test_XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no scratch folder can be made at " + path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  // The path of an entry; nothing is made.
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

}  // namespace decant::core

#endif  // DECANT_CORE_SCRATCH_FOLDER_FOR_TEST_H_
