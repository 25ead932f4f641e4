// Halves the range between what fits and what does not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/search/Kept.h"

#include "lib/options/KeyText.h"
#include "lib/options/SpellKey.h"
#include "lib/program/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::search;

/// A range of bytes is small enough at this part of all variables.
constexpr int64_t kFinest = 16;

static int64_t bytesOfTrainable(ModuleOp program) {
  int64_t bytes = 0;
  for (BlockArgument argument : program.lookupSymbol<func::FuncOp>("step").getArguments()) {
    train::VariableAttr role = program::findHeldVariable(argument);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (role && type && role.getVariableClass() == train::VariableClass::Trainable)
      bytes += llvm::divideCeilSigned(type.getNumElements() * type.getElementTypeBitWidth(), 8);
  }
  return bytes;
}

KeptSearch::KeptSearch(ModuleOp program, Trials &trials, int64_t limit)
    : trials(trials), limit(limit), total(bytesOfTrainable(program)) {}

std::string KeptSearch::inParts(StringRef keys, StringRef fixed) {
  auto ignore = [](const Twine &) { return failure(); };
  auto given = options::splitKeys(keys, ignore), stays = options::splitKeys(fixed, ignore);
  if (failed(given) || failed(stays) || llvm::any_of(*stays, [](const options::GivenKey &key) {
        return key.name == "shard-optimizer" && key.value != "3";
      }))
    return "";
  bool hasParts = false;
  std::string changed;
  for (options::GivenKey &key : *given) {
    if (key.name == "keep-gathered")
      return "";
    if (key.name == "shard-optimizer" && key.value != "0") {
      key.value = "3";
      hasParts = true;
    }
    changed += (changed.empty() ? "" : " ") + options::spellKey(key);
  }
  return hasParts ? changed : "";
}

static Candidate withKept(const Candidate &without, const std::string &amount) {
  Candidate candidate;
  candidate.keys = without.keys + " keep-gathered=" + amount;
  return candidate;
}

KeptSearch::Outcome KeptSearch::attempt(Candidate &candidate, const Candidate &without) {
  trials.distribute({&candidate});
  if (!candidate.problem.empty())
    return Outcome::NotPossible;
  if (trials.areSame(candidate, without))
    return Outcome::KeepsNothing;
  if (limit == 0)
    return Outcome::Fits;
  trials.planMemory(limit, {&candidate});
  if (!candidate.memory || candidate.memory->bytes > limit)
    return Outcome::NotPossible;
  return candidate.memory->repeated == 0 ? Outcome::Fits : Outcome::FitsRepeating;
}

/// The most that fits of less than all, with as few trials as halves take.
std::optional<Candidate> KeptSearch::findSome(const Candidate &without, bool mayRepeat) {
  std::optional<Candidate> found;
  int64_t enough = 0, tooMuch = total, finest = std::max<int64_t>(1, total / kFinest);
  while (tooMuch - enough > finest) {
    int64_t bytes = (enough + tooMuch) / 2;
    Candidate candidate = withKept(without, std::to_string(bytes));
    Outcome outcome = attempt(candidate, without);
    bool fits = outcome == Outcome::Fits || (mayRepeat && outcome == Outcome::FitsRepeating);
    (fits || outcome == Outcome::KeepsNothing ? enough : tooMuch) = bytes;
    if (fits)
      found = std::move(candidate);
  }
  return found;
}

std::vector<Candidate> KeptSearch::find(const std::string &keys) {
  Candidate without;
  without.keys = keys;
  trials.distribute({&without});
  std::optional<Candidate> most = withKept(without, "all"), withoutRepeats;
  Outcome ofAll = attempt(*most, without);
  if (ofAll == Outcome::KeepsNothing || !most->problem.empty())
    return {};
  if (ofAll == Outcome::NotPossible)
    most = findSome(without, /*mayRepeat=*/true);
  if (most && most->memory && most->memory->repeated > 0)
    withoutRepeats = findSome(without, /*mayRepeat=*/false);
  std::vector<Candidate> found;
  for (std::optional<Candidate> *candidate : {&most, &withoutRepeats})
    if (*candidate) {
      trials.price({&**candidate});
      found.push_back(std::move(**candidate));
    }
  return found;
}
