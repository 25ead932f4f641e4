// What a fuzzed reader is given: bytes, or a file that holds them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_FUZZ_FORMATS_INPUT_H
#define TUTTI_TEST_FUZZ_FORMATS_INPUT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// The function that every program here defines, as libFuzzer calls it. It must come back, whatever
/// the bytes are; a sanitizer or a signal ends the program where something is wrong.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace tutti::fuzz {

inline std::string_view textOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// A file of this process, whose content changes from input to input, in a folder that goes with
/// the process.
class ScratchFile {
public:
  explicit ScratchFile(const std::string &name);
  ~ScratchFile();
  /// Its path, once it holds `content`.
  const std::string &write(std::string_view content);
  const std::string &folder() const { return parent; }

private:
  std::string parent, path;
};

} // namespace tutti::fuzz

#endif // TUTTI_TEST_FUZZ_FORMATS_INPUT_H
