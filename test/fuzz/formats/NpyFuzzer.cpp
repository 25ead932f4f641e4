// Bytes as NumPy's .npy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Readers.h"
#include "test/fuzz/formats/Touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes = tutti::fuzz::textOf(data, size);
  tutti::fuzz::touch(tutti::runtime::data::read_npy("array", bytes, nullptr));
  return 0;
}
