// Bytes as a checkpoint.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/checkpoint/Safetensors.h"
#include "test/fuzz/formats/Input.h"
#include "tutti/types.h"

namespace checkpoint = tutti::runtime::checkpoint;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static tutti::fuzz::ScratchFile file("input.safetensors");
  const std::string &path = file.write(tutti::fuzz::textOf(data, size));
  float weight[6], part[2];
  int64_t steps;
  std::vector<std::string> unused;
  (void)checkpoint::load(path,
                         {{"weight", TUTTI_F32, {2, 3}, weight},
                          {"steps", TUTTI_I64, {}, &steps},
                          {"weight", TUTTI_F32, {2, 3}, part, /*first=*/4, /*count=*/2}},
                         &unused);
  (void)checkpoint::read_shapes(path);
  (void)checkpoint::parse({reinterpret_cast<const char *>(data), size});
  return 0;
}
