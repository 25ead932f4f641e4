// Bytes as a file of comma-separated values: as numbers, as words and hashed. Its first byte says
// how it is read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Dataset.h"
#include "test/fuzz/formats/Touch.h"

namespace data = tutti::runtime::data;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static tutti::fuzz::ScratchFile file("input.csv");
  if (size == 0)
    return 0;
  data::Opening opening;
  opening.options.training = file.write(tutti::fuzz::textOf(bytes + 1, size - 1));
  opening.options.header = bytes[0] & 1;
  opening.options.missing = bytes[0] & 2 ? "0" : "";
  opening.options.separator = bytes[0] & 4 ? "semicolon" : "comma";
  auto dataset = data::Dataset::open({opening.options.training}, {}, opening);
  if (!dataset || dataset->names().empty())
    return 0;
  std::string name = dataset->names().front();
  for (int32_t type : {TUTTI_F32, TUTTI_I64, TUTTI_U8}) {
    opening.options.categories = bytes[0] & 8 ? name : "";
    opening.options.hash = bytes[0] & 16 ? name + ":7" : "";
    auto opened = data::Dataset::open({opening.options.training}, {}, opening);
    if (!opened)
      continue;
    auto bound = opened->bind({{name, type, {1}}});
    if (!bound)
      continue;
    auto whole = data::in_memory(bound->front().array);
    tutti::fuzz::touch(whole);
  }
  return 0;
}
