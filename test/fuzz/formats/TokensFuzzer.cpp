// Bytes as a file of tokens, whose first two say how many make a sample and how wide they are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Formats.h"
#include "test/fuzz/formats/Touch.h"

namespace data = tutti::runtime::data;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static tutti::fuzz::ScratchFile file("input.bin");
  if (size < 2)
    return 0;
  data::Opening opening;
  opening.options.length = bytes[0];
  opening.options.tokens = bytes[1] & 1 ? "u32" : "u16";
  auto columns = data::open_tokens(file.write(tutti::fuzz::textOf(bytes + 2, size - 2)), opening);
  if (!columns)
    return 0;
  for (const data::Column &column : *columns) {
    auto array = column.read();
    if (array)
      tutti::fuzz::touch(data::in_memory(*array));
  }
  return 0;
}
