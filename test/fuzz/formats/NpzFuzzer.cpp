// Bytes as NumPy's .npz.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Readers.h"
#include "test/fuzz/formats/Touch.h"

namespace data = tutti::runtime::data;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static tutti::fuzz::ScratchFile file("input.npz");
  const std::string &path = file.write(tutti::fuzz::textOf(bytes, size));
  auto names = data::list_npz(path);
  if (names)
    for (size_t index = 0; index < names->size(); ++index)
      tutti::fuzz::touch(data::read_npz(path, int64_t(index)));
  return 0;
}
