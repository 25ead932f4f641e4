// Text as the manifest of a compiled program, and as what a rank is told of its run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/Manifest.h"
#include "runtime/host/run/RunConfig.h"
#include "test/fuzz/formats/Input.h"

namespace worker = tutti::runtime::worker;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text = tutti::fuzz::textOf(data, size);
  if (auto manifest = worker::Manifest::parse(text)) {
    (void)manifest->plan_text();
    (void)manifest->memory_bytes();
    (void)manifest->shard(0).local_samples();
  }
  if (auto config = worker::worker_config_from_json(text))
    (void)worker::to_json(*config);
  return 0;
}
