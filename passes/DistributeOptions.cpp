// The keys of --distribute="KEY=VALUE ...": those of all strategies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Strategy.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::strategies;

options::KeyTable DistributeOptions::keys() {
  options::KeyTable keys("--distribute");
  for (const Strategy *strategy : allStrategies())
    strategy->addKeys(keys, *this);
  return keys;
}

FailureOr<DistributeOptions> DistributeOptions::parse(StringRef text, options::Complain complain) {
  DistributeOptions options;
  if (failed(options.keys().parse(text, complain)))
    return failure();
  return options;
}

std::optional<std::string> DistributeOptions::findConflict() const {
  for (const Strategy *strategy : allStrategies())
    if (auto conflict = strategy->findConflict(*this))
      return conflict;
  return std::nullopt;
}
