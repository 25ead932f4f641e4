// Bytes as NumPy's .npz.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/Readers.h"
#include "test/fuzz/formats/Touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static tutti::fuzz::ScratchFile file("input.npz");
  auto arrays = tutti::runtime::data::read_npz(file.write(tutti::fuzz::textOf(data, size)));
  if (arrays)
    for (const auto &array : *arrays)
      tutti::fuzz::touch(array);
  return 0;
}
