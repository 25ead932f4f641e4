// The keys of --distribute="KEY=VALUE ...": those of all strategies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/options/OtherNames.h"
#include "lib/options/SpellKey.h"
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

SmallVector<options::GivenKey> DistributeOptions::decidingKeys() const {
  DistributeOptions own(*this), defaults;
  options::KeyTable keys = own.keys();
  SmallVector<options::GivenKey> changes = keys.changesFrom(defaults.keys());
  llvm::erase_if(changes, [&](const options::GivenKey &change) {
    return llvm::none_of(keys.all(), [&](const options::Key &key) {
      return key.isDeciding && key.name == change.name;
    });
  });
  return changes;
}

FailureOr<DistributeOptions> DistributeOptions::parse(StringRef text, options::Complain complain) {
  DistributeOptions options;
  auto given = options::splitKeys(text, complain);
  if (failed(given))
    return failure();
  options::takeOtherNames(*given, options.keys().names());
  if (failed(options.keys().assign(*given, complain)))
    return failure();
  for (const options::GivenKey &key : *given)
    if (key.name != "auto" && !StringRef(key.name).starts_with("auto-"))
      options.fixed += (options.fixed.empty() ? "" : " ") + options::spellKey(key);
  return options;
}

Refusal DistributeOptions::findConflict() const {
  DistributeOptions own(*this), defaults;
  if (Refusal conflict = allConflicts().find(own.keys(), defaults.keys()))
    return conflict;
  for (const Strategy *strategy : allStrategies())
    if (Refusal conflict = strategy->findConflict(*this))
      return conflict;
  return {};
}
