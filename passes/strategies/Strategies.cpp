// Which strategies there are, and what they say of their keys.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Contradiction.h"
#include "passes/strategies/Strategy.h"

#include "llvm/ADT/STLExtras.h"

using namespace tutti::strategies;

llvm::ArrayRef<const Strategy *> tutti::strategies::allStrategies() {
  static const Strategy *const all[] = {&dataParallel, &sparseGradients,  &accumulation,
                                        &localSgd,     &shardedOptimizer, &parameterServers,
                                        &buckets,      &compression,      &hierarchy,
                                        &overlap,      &clusterModel};
  return all;
}

std::optional<std::string> tutti::strategies::findContradiction(const Request &first,
                                                                llvm::ArrayRef<Request> others,
                                                                llvm::StringRef why) {
  const Request *other = llvm::find_if(others, [](const Request &r) { return r.isMade; });
  if (!first.isMade || other == others.end())
    return std::nullopt;
  return (other->text + " conflicts with " + first.text + ": " + why).str();
}
