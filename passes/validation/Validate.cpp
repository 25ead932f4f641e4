// Compares a program with that of one device, for each number of ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/validation/Validate.h"

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/BatchStatistics.h"
#include "dialects/ps/Ps.h"
#include "dialects/train/ProgramClaims.h"
#include "lib/program/PassesByName.h"
#include "passes/distribution/Passes.h"
#include "passes/specialize/Passes.h"
#include "passes/specialize/VaryBatch.h"
#include "passes/validation/ReduceSizes.h"
#include "passes/validation/Validator.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::validation;

options::KeyTable ValidationOptions::keys() {
  options::KeyTable table("--verify");
  table.addList("ranks", ranks, "Numbers of ranks to compare with one device");
  table.addCount("steps", steps, 1, "Steps after which variables and metrics are compared");
  table.addCount("seed", seed, 0, "What the random numbers that both run on begin with");
  return table;
}

static bool hasOneBlock(ModuleOp program, StringRef name) {
  auto function = program.lookupSymbol<func::FuncOp>(name);
  return function && !function.isExternal() && function.getBody().hasOneBlock();
}

static bool isTrainingProgram(ModuleOp program) {
  return hasOneBlock(program, "step") && hasOneBlock(program, "initialize");
}

/// Everything that steps take and give is a tensor.
static LogicalResult checkTensors(ModuleOp program) {
  for (StringRef name : {"step", "initialize"}) {
    auto function = program.lookupSymbol<func::FuncOp>(name);
    for (Type type :
         llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes()))
      if (!isa<RankedTensorType>(type))
        return emitError(function.getLoc())
               << "--verify compares programs on tensors of known rank, and @" << name
               << " takes or gives " << type;
  }
  return success();
}

/// What the comparison does not know yet, by name.
static LogicalResult checkComparable(ModuleOp program, ModuleOp reference) {
  if (!isTrainingProgram(program))
    return emitError(program.getLoc())
           << "--verify compares training programs, which have an @initialize and a @step: give "
              "the model a recipe (--train)";
  if (failed(checkTensors(program)))
    return failure();
  std::optional<int64_t> ranks = collective::lookupWorldSize(program);
  if (ranks && *ranks > 1 && !reference)
    return emitError(program.getLoc())
           << "--verify compares with one device, and the program is made for " << *ranks
           << " ranks already: give it as it is before specialize-world";
  return success();
}

/// Runs `prepare` without its errors; whether it succeeded.
static bool prepareQuietly(MLIRContext *context, Validator &validator) {
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
  return succeeded(validator.prepare());
}

static std::string spellRanks(ArrayRef<int64_t> ranks) {
  std::string text;
  for (auto [i, count] : llvm::enumerate(ranks))
    text += (i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ") + std::to_string(count);
  return text;
}

namespace {

/// What was compared.
struct Summary {
  SmallVector<int64_t> done, impossible;
  int64_t compared = 0, evaluated = 0, hollow = 0, batch = 0;
};

/// More elements than these, of all values of a step, are too many to run on as they are.
constexpr int64_t kManyElements = 300'000, kMostElements = 50'000'000;

/// The elements of all values of a step on a few samples.
int64_t countElements(ModuleOp program) {
  int64_t elements = 0;
  program.lookupSymbol<func::FuncOp>("step").walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (auto type = dyn_cast<RankedTensorType>(result.getType())) {
        int64_t size = 1;
        for (int64_t dimension : type.getShape())
          size *= ShapedType::isDynamic(dimension) ? 4 : dimension;
        elements += size;
      }
  });
  for (auto table : program.getOps<ps::TableOp>())
    elements += table.getType().getNumElements();
  return elements;
}

} // namespace

static LogicalResult validateAll(ModuleOp program, ModuleOp reference,
                                 const ValidationOptions &options, Summary &summary) {
  bool isAsked = !options.ranks.empty();
  SmallVector<int64_t> wanted = options.ranks;
  if (!isAsked)
    wanted = {2, 3, 4};
  if (std::optional<int64_t> fixed = collective::lookupWorldSize(program); fixed && !isAsked)
    wanted = {*fixed};
  for (int64_t count : wanted) {
    Validator validator(program, reference, options, count);
    bool mustWork = isAsked || (count == wanted.back() && summary.done.empty());
    if (mustWork ? failed(validator.prepare()) : !prepareQuietly(program.getContext(), validator)) {
      if (mustWork)
        return failure();
      summary.impossible.push_back(count);
      continue;
    }
    if (failed(validator.compare()))
      return failure();
    summary.done.push_back(count);
    summary.compared = validator.compared;
    summary.evaluated = validator.evaluated;
    summary.hollow = std::max(summary.hollow, validator.hollow);
    summary.batch = validator.getSharing().globalBatch;
  }
  return success();
}

/// Whether statistics of micro-batches stand for those of the batch: not the numbers of one device,
/// unless that has the micro-batches, too.
static bool hasPartialStatistics(ModuleOp program) {
  auto takesStatistics = [](BatchStatisticsOpInterface) { return WalkResult::interrupt(); };
  return countParts(program) > 1 && program.walk(takesStatistics).wasInterrupted();
}

static std::string describe(const Summary &summary, const ValidationOptions &options) {
  std::string text =
      llvm::formatv("verified on {0} ranks: {1} variables and metrics of {2} steps are those of "
                    "one device, exactly, modulo 2^61 - 1 (global batch {3})",
                    spellRanks(summary.done),
                    summary.compared / std::max<int64_t>(options.steps, 1), options.steps,
                    summary.batch)
          .str();
  if (summary.evaluated > 0)
    text += "; so is the evaluation";
  if (summary.hollow > 0)
    text += "; " + std::to_string(summary.hollow) +
            " of all values compared are no numbers (a division by 0), which says little of them";
  if (!summary.impossible.empty())
    text += "; the program cannot be made for " + spellRanks(summary.impossible) + " ranks";
  return text;
}

/// Whether the types of the program follow from any number of samples.
static bool takesAnyBatch(ModuleOp program) {
  OwningOpRef<ModuleOp> copy = program.clone();
  PassManager passes(program.getContext(), ModuleOp::getOperationName());
  passes.addPass(specialize::createSpecializeBatchPass({"ceil", /*localBatch=*/5}));
  return succeeded(passes.run(*copy));
}

/// What a program that is made for several ranks is on one, where each of its groups has a rank
/// alone; null where ranks hold parts, whose shapes are for their number.
static OwningOpRef<ModuleOp> copyAlone(ModuleOp program) {
  bool holdsParts = false;
  visitResults<train::VariableAttr>(
      program.lookupSymbol<func::FuncOp>("step"), train::TrainDialect::kVariable,
      [&](unsigned, train::VariableAttr role) { holdsParts |= !role.isReplicated(); });
  if (holdsParts)
    return nullptr;
  OwningOpRef<ModuleOp> copy = program.clone();
  for (auto group : copy->getOps<collective::GroupOp>()) {
    group.removeMembersAttr();
    group.setSize(1);
  }
  for (auto dataset : copy->getOps<train::DatasetOp>())
    if (train::ShardAttr shard = dataset.getShardAttr())
      dataset.setShardAttr(train::ShardAttr::get(copy->getContext(), shard.getMode(),
                                                 shard.getPolicy(), shard.getGroup(), 1));
  ScopedDiagnosticHandler quiet(program.getContext(), [](Diagnostic &) { return success(); });
  return succeeded(verify(*copy)) ? std::move(copy) : OwningOpRef<ModuleOp>();
}

/// A copy whose batch varies, if that is possible.
static OwningOpRef<ModuleOp> copyVaried(ModuleOp program) {
  OwningOpRef<ModuleOp> copy = program.clone();
  ScopedDiagnosticHandler quiet(program.getContext(), [](Diagnostic &) { return success(); });
  if (!findFixedBatch(program))
    return copy;
  (void)specialize::varyBatch(*copy);
  // Where a variable meets the samples element by element, they only seem to vary.
  return takesAnyBatch(*copy) ? std::move(copy) : OwningOpRef<ModuleOp>(program.clone());
}

/// What the numbers of a step do not show: that all ranks begin alike, and what follows from the
/// samples that a rank takes where the program fixes them. Passes that distribute end with this
/// proof, at launch where others wait for it; a program that came distributed is proved here.
static LogicalResult proveReplication(ModuleOp program) {
  bool isProvedAtLaunch = program->hasAttr(train::TrainDialect::kAtLaunch);
  if (isProvedAtLaunch || program.getOps<collective::GroupOp>().empty())
    return success();
  OwningOpRef<ModuleOp> copy = program.clone();
  PassManager passes(program.getContext(), ModuleOp::getOperationName());
  passes.addPass(distribution::createVerifyReplicationPass());
  return passes.run(*copy);
}

using OnOneRank = program::PassesByName::OnOneRank;

/// The passes of `program` that wait for the number of ranks, those of `kind` left out.
static SmallVector<Attribute> findWaiting(ModuleOp program, std::optional<OnOneRank> except) {
  auto waiting = program->getAttrOfType<ArrayAttr>(train::TrainDialect::kAtLaunch);
  SmallVector<Attribute> found(waiting ? waiting.getValue() : ArrayRef<Attribute>());
  llvm::erase_if(found, [&](Attribute text) {
    return program::getOnOneRank(program.getContext(), cast<StringAttr>(text)) == except;
  });
  return found;
}

/// The names of the waiting passes of `kind`; empty where there are none.
static std::string nameWaiting(ModuleOp program, OnOneRank kind) {
  SmallVector<StringRef> names;
  for (Attribute text : findWaiting(program, std::nullopt))
    if (program::getOnOneRank(program.getContext(), cast<StringAttr>(text)) == kind)
      names.push_back(cast<StringAttr>(text).getValue().split('{').first);
  return llvm::join(names, ", ");
}

/// Takes what one rank refuses out of `program`, so that one device has a program.
static void dropRefused(ModuleOp program) {
  Builder builder(program.getContext());
  program->setAttr(train::TrainDialect::kAtLaunch,
                   builder.getArrayAttr(findWaiting(program, OnOneRank::Refuses)));
}

LogicalResult tutti::validation::validate(ModuleOp program, ModuleOp reference,
                                          const ValidationOptions &options,
                                          std::string &outReport) {
  ModuleOp unproved = reference ? ModuleOp() : program;
  OwningOpRef<ModuleOp> alone;
  if (!reference && isTrainingProgram(program) &&
      collective::lookupWorldSize(program).value_or(1) > 1)
    reference = (alone = copyAlone(program)) ? *alone : ModuleOp();
  if (failed(checkComparable(program, reference)))
    return failure();
  OwningOpRef<ModuleOp> varied = copyVaried(program), variedReference;
  program = *varied;
  std::string refused = nameWaiting(program, OnOneRank::Refuses),
              onDevice = nameWaiting(program, OnOneRank::Runs);
  if (!refused.empty())
    dropRefused(program);
  if (!onDevice.empty()) // one device is what the program is on one rank
    reference = ModuleOp();
  if (reference)
    reference = *(variedReference = copyVaried(reference));
  int64_t elements = countElements(program);
  std::optional<ReducedPrograms> reduced;
  // Smaller sizes may not be cut as the program is.
  if (elements > kManyElements && countNeighbours(program) == 1)
    reduced = reduceSizes(program, reference);
  if (!reduced && elements > kMostElements)
    return emitError(program.getLoc())
           << "--verify: the program is too large to be compared, with " << elements
           << " elements in a step of 4 samples, and its sizes cannot be reduced together";
  bool isPartial = hasPartialStatistics(program);
  Summary summary;
  ModuleOp ofRanks = reduced ? *reduced->program : program;
  ModuleOp ofDevice = reduced && reduced->reference ? *reduced->reference : reference;
  if (isPartial)
    ofDevice = ModuleOp();
  if (failed(validateAll(ofRanks, ofDevice, options, summary)) ||
      (unproved && failed(proveReplication(unproved))))
    return failure();
  outReport = describe(summary, options);
  if (isPartial)
    outReport += "; one device has the micro-batches of the ranks, whose batch statistics they are";
  if (!onDevice.empty())
    outReport += "; one device does what " + onDevice + " does on one rank";
  if (!refused.empty())
    outReport += "; what one rank cannot have (" + refused + ") is left out";
  if (reduced)
    outReport += llvm::formatv("; sizes were reduced: {0}, and variables from {1} to {2} elements",
                               reduced->inputs, reduced->elementsBefore, reduced->elementsAfter)
                     .str();
  return success();
}
