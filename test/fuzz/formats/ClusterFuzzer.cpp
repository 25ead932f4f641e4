// Text as a cluster.json.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/cost/Cluster.h"
#include "test/fuzz/formats/Input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto cluster = tutti::cost::parseCluster(tutti::fuzz::textOf(data, size), "cluster.json");
  if (!cluster)
    llvm::consumeError(cluster.takeError());
  return 0;
}
