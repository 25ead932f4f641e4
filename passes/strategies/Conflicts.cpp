// Looks for rows that keys break.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Conflicts.h"

#include "passes/strategies/Strategy.h"

using namespace tutti;
using namespace tutti::strategies;

ConflictTable tutti::strategies::allConflicts() {
  ConflictTable table;
  for (const Strategy *strategy : allStrategies())
    strategy->addConflicts(table);
  return table;
}

namespace {
/// What keys hold, by name.
class HeldKeys {
public:
  HeldKeys(const options::KeyTable &keys, const options::KeyTable &defaults) {
    for (const options::Key &key : keys.all())
      held[key.name] = key.held;
    for (const options::GivenKey &change : keys.changesFrom(defaults))
      changed.insert(change.name);
  }

  bool holds(llvm::StringRef term) const {
    auto [key, value] = term.split('=');
    return value.empty() ? changed.contains(key) : held.lookup(key) == value;
  }

  /// The key of `term` as the user wrote it.
  std::string spell(llvm::StringRef term) const {
    llvm::StringRef key = term.split('=').first;
    return key.str() + "=" + held.lookup(key);
  }

private:
  llvm::StringMap<std::string> held;
  llvm::StringSet<> changed;
};
} // namespace

Refusal ConflictTable::find(const options::KeyTable &keys,
                            const options::KeyTable &defaults) const {
  HeldKeys held(keys, defaults);
  for (const Row &row : exclusions)
    for (llvm::StringRef other : row.others)
      if (held.holds(row.term) && held.holds(other))
        return held.spell(other) + " conflicts with " + held.spell(row.term) + ": " + row.why.str();
  for (const Row &row : needs)
    for (llvm::StringRef term : row.others)
      if (held.holds(term) && !held.holds(row.term))
        return held.spell(term) + " has no meaning without " + row.why.str();
  return {};
}
