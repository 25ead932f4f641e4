// The analysis proper: where variation begins, and how it spreads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/Uniformity.h"

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/Determinism.h"
#include "dialects/interfaces/ranks/CommunicationUniformity.h"
#include "dialects/interfaces/ranks/Uniformity.h"
#include "dialects/ps/Ps.h"
#include "dialects/train/ProgramClaims.h"
#include "dialects/train/Train.h"
#include "dialects/train/ValueRoles.h"
#include "lib/analysis/Trust.h"
#include "lib/program/MeshGroups.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;
using tutti::train::TrainDialect;

UniformityAnalysis::UniformityAnalysis(Operation *module, int64_t parts)
    : module(module), parts(parts), symbols(std::make_unique<SymbolTableCollection>()) {
  findCallers();
  module->walk([&](Operation *op) {
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      seedArguments(function);
    else
      seedResults(op);
  });
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val().getUses())
      propagate(use);
  forgetWork();
}

/// What only the spreading needs.
void UniformityAnalysis::forgetWork() {
  successorsOfRegions.clear();
  uniformByMeaning.clear();
  exhausted.clear();
  exhaustedArguments.clear();
  namedOtherwise.reset();
  symbols.reset();
}

//===----------------------------------------------------------------------===//
// Callers
//===----------------------------------------------------------------------===//

/// Calls of other dialects may hand values over in ways of their own, as asynchronous ones do, and
/// a call that also branches is not followed.
static bool isPlainCall(Operation *op) {
  return isa<CallOpInterface>(op) && !op->hasTrait<OpTrait::IsTerminator>() &&
         getTrust(op) == DialectTrust::Deterministic;
}

FunctionOpInterface UniformityAnalysis::getCallee(CallOpInterface call) {
  if (!isPlainCall(call))
    return {};
  auto function = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallableInTable(symbols.get()));
  return function && !function.isExternal() ? function : FunctionOpInterface();
}

void UniformityAnalysis::findCallers() {
  module->walk([&](CallOpInterface call) {
    if (FunctionOpInterface callee = getCallee(call))
      callers[callee].push_back(call);
  });
}

/// Operations without a dialect that may be tables of symbols may name any symbol.
static bool mayNameAny(Operation *op) { return op->getNumRegions() == 1 && !op->getDialect(); }

UniformityAnalysis::Names UniformityAnalysis::findNamedOtherwise() {
  Names names;
  module->walk([&](Operation *op) {
    names.mayBeAny |= mayNameAny(op);
    if (isPlainCall(op))
      return;
    op->getAttrDictionary().walk<WalkOrder::PreOrder>([&](SymbolRefAttr name) {
      names.symbols.insert(name.getRootReference());
      names.symbols.insert(name.getLeafReference());
      return WalkResult::skip();
    });
  });
  return names;
}

bool UniformityAnalysis::areAllCallersKnown(FunctionOpInterface function) {
  auto symbol = dyn_cast<SymbolOpInterface>(function.getOperation());
  if (!symbol || !symbol.isPrivate())
    return false;
  if (!namedOtherwise)
    namedOtherwise = findNamedOtherwise();
  return !namedOtherwise->mayBeAny && !namedOtherwise->symbols.contains(symbol.getNameAttr());
}

//===----------------------------------------------------------------------===//
// Origins
//===----------------------------------------------------------------------===//

/// Why a variable varies, by what its placement says of ranks; empty if it is uniform.
static std::string getVariableReason(train::VariableAttr variable) {
  switch (variable.getPlacement()) {
  case train::VariablePlacement::Replicate:
    return "";
  case train::VariablePlacement::Shard:
    return ("is this rank's part of variable \"" + variable.getName() + "\"").str();
  case train::VariablePlacement::PerRank:
    return ("is this rank's own variable \"" + variable.getName() + "\"").str();
  }
  llvm_unreachable("all placements are covered");
}

/// Of what `train.random` says so.
static constexpr const char *kRandomReason =
    "is a random source: each rank draws numbers of its own";

/// Why an argument varies; empty if it is uniform.
std::string UniformityAnalysis::getArgumentReason(FunctionOpInterface function, unsigned index) {
  if (auto variable =
          function.getArgAttrOfType<train::VariableAttr>(index, TrainDialect::kVariable)) {
    bool isBlock = parts > 1 && variable.getPlacement() == train::VariablePlacement::Shard &&
                   !train::findTensorBlock(module, variable.getName());
    return isBlock ? "" : getVariableReason(variable);
  }
  if (function.getArgAttr(index, TrainDialect::kHyperparameter))
    return "";
  if (auto input = function.getArgAttrOfType<train::InputAttr>(index, TrainDialect::kInput)) {
    auto dataset =
        SymbolTable::lookupNearestSymbolFrom<train::DatasetOp>(function, input.getDataset());
    if (dataset && !dataset.getShard())
      return "";
    return ("is this rank's part of \"" + input.getName() + "\" of dataset @" +
            input.getDataset().getValue())
        .str();
  }
  if (auto random = function.getArgAttrOfType<train::RandomAttr>(index, TrainDialect::kRandom))
    return random.isPerRank() ? kRandomReason : "";
  if (areAllCallersKnown(function))
    return "";
  if (auto variable = train::readGradient(function.getArgAttr(index, TrainDialect::kGradient)))
    return "is this rank's gradient" +
           (variable->empty() ? "" : " of variable \"" + variable->str() + "\"");
  return "has no role, so that nothing is known of it";
}

void UniformityAnalysis::seedArguments(FunctionOpInterface function) {
  if (function.isExternal())
    return;
  for (BlockArgument argument : function.getArguments()) {
    std::string reason = getArgumentReason(function, argument.getArgNumber());
    if (!reason.empty())
      mark(argument, Value(), reason);
  }
}

/// Whether it is known what enters the regions of `op`, and how often they run, by its interfaces.
static bool isKnownControl(Operation *op) {
  return getTrust(op) == DialectTrust::Deterministic &&
         isa<RegionBranchOpInterface, LoopLikeOpInterface>(op);
}

/// Whether something comes to the operation, or goes to others, by the effect. What is only written
/// to the network, as an await does, gives nobody a value but through results.
static bool isOfMemory(const MemoryEffects::EffectInstance &effect) {
  return !isa<MemoryEffects::Write>(effect.getEffect()) ||
         effect.getResource() != collective::NetworkResource::get();
}

/// Whether the operation by itself, not by what its regions hold, may read or write memory.
static bool mayHaveEffects(Operation *op) {
  if (isKnownControl(op) || isa<CommunicationDoneOpInterface>(op))
    return false; // what is awaited comes from what was started
  if (auto memory = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    memory.getEffects(effects);
    return llvm::any_of(effects, isOfMemory);
  }
  return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() && !isDeclaredDeterministic(op);
}

/// What is to be done about an operation of which nothing is known.
static std::string getForeignReason(Operation *op) {
  std::string reason =
      ("comes from an operation of which nothing says that equal operands give equal bits on "
       "every rank; if they do, declare it: " +
       kDeterministic + " on the operation, or " + kDeterministic + " = [\"" +
       op->getName().getStringRef() + "\"] on the module")
          .str();
  Dialect *dialect = op->getDialect(); // null where nobody has registered it
  if (dialect && !dialect->getRegisteredInterface<UniformityDialectInterface>())
    reason += (", or give the dialect '" + dialect->getNamespace() +
               "' the UniformityDialectInterface, see docs/embedding.md")
                  .str();
  return reason;
}

/// Why the results vary whatever the operands are; empty if they need not.
static std::string getResultReason(Operation *op) {
  if (train::findRandom(op)) // of which all ranks draw the same
    return "";
  if (StringRef reason = getReasonToVary(op); !reason.empty())
    return reason.str();
  if (getTrust(op) == DialectTrust::Foreign && !op->hasTrait<OpTrait::ConstantLike>())
    return getForeignReason(op);
  if (isa<CallOpInterface>(op))
    return "is the result of a function whose body is unknown";
  if (mayHaveEffects(op))
    return "comes from memory, or from an operation of unknown effects";
  return "";
}

/// The same along one axis of a mesh: for ranks that hold the same parts. What neighbours exchange
/// is equal on these where the operands are.
static std::optional<Uniformity> getAnswerOfData(Operation *op, int64_t parts) {
  using Kind = CommunicationKind;
  if (auto query = dyn_cast<RankQueryOpInterface>(op)) {
    bool isNumber = query.getQuestion().kind == RankQuestion::Rank &&
                    isOfNeighbours(findGroup(op, query.getQuestion().group), parts);
    return isNumber ? std::optional(Uniformity::Uniform) : std::nullopt;
  }
  std::optional<CommunicationForm> form = getForm(op);
  GroupOpInterface group = form ? findGroup(op, form->group) : GroupOpInterface();
  bool isEqual = isKind(op, {Kind::AllReduce, Kind::AllGather, Kind::Broadcast});
  if (isOfData(group, parts) && isEqual)
    return Uniformity::Uniform;
  if (isOfNeighbours(group, parts) && (isEqual || isKind(op, {Kind::ReduceScatter})))
    return Uniformity::AsOperands;
  return std::nullopt;
}

/// What the operation says of its result itself, or what follows from what it communicates. A pull
/// would look for its table among all symbols.
static std::optional<Uniformity> getAnswer(Operation *op, unsigned result,
                                           SymbolTableCollection &symbols) {
  auto findTable = [&](FlatSymbolRefAttr name) {
    return symbols.lookupNearestSymbolFrom<ps::TableOp>(op, name);
  };
  if (auto pull = dyn_cast<ps::PullOp>(op))
    return ps::getUniformityOfPull(findTable(pull.getTableAttr()));
  if (auto pull = dyn_cast<ps::PullRowsOp>(op))
    return ps::getUniformityOfPull(findTable(pull.getTableAttr()));
  if (auto answers = dyn_cast<UniformityOpInterface>(op))
    return answers.getResultUniformity(result);
  if (auto communication = dyn_cast<CommunicationOpInterface>(op))
    return getUniformityOfResult(communication, result);
  if (auto query = dyn_cast<RankQueryOpInterface>(op))
    return getUniformityOfAnswer(query);
  return std::nullopt;
}

void UniformityAnalysis::seedResults(Operation *op) {
  if (train::RandomAttr random = train::findRandom(op); random && random.isPerRank())
    return markUnknown(op, kRandomReason);
  if (isa<UniformityOpInterface, CommunicationOpInterface, RankQueryOpInterface>(op)) {
    for (OpResult result : op->getResults()) {
      std::optional<Uniformity> answer = parts > 1 ? getAnswerOfData(op, parts) : std::nullopt;
      if (!answer)
        answer = getAnswer(op, result.getResultNumber(), *symbols);
      if (answer == Uniformity::Varying)
        mark(result, Value(), "is different on each rank by its meaning");
      else if (answer == Uniformity::Uniform)
        uniformByMeaning.insert(result);
    }
    return;
  }
  auto call = dyn_cast<CallOpInterface>(op);
  if (call && getCallee(call))
    return;
  if (std::string reason = getResultReason(op); !reason.empty())
    markUnknown(op, reason);
}

//===----------------------------------------------------------------------===//
// Marking
//===----------------------------------------------------------------------===//

void UniformityAnalysis::mark(Value value, Value from, StringRef reason) {
  if (causes.try_emplace(value, Cause{from, reason.str()}).second)
    worklist.push_back(value);
}

/// Nothing is known of what the operation gives to the operations around and inside it.
void UniformityAnalysis::markUnknown(Operation *op, StringRef reason) {
  for (Value result : op->getResults())
    mark(result, Value(), reason);
  if (isKnownControl(op))
    return;
  for (Region &region : op->getRegions())
    for (Value argument : region.getArguments())
      mark(argument, Value(), reason);
}

/// Which results `use` can change, of an operation that tells; nothing where it may be any.
static std::optional<SmallVector<OpResult>> findFollowing(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto bucket = dyn_cast<BucketOpInterface>(op)) {
    OperandRange inputs = bucket.getInputs();
    unsigned index = number - inputs.getBeginOperandIndex(); // past the end in front of it, too
    if (index < inputs.size() && index < bucket.getOutputs().size())
      return SmallVector<OpResult>{bucket.getOutputs()[index]};
    return std::nullopt;
  }
  auto select = [&](function_ref<bool(unsigned)> follows) {
    return llvm::filter_to_vector(
        op->getResults(), [&](OpResult result) { return follows(result.getResultNumber()); });
  };
  if (auto answers = dyn_cast<UniformityOpInterface>(op))
    return select([&](unsigned result) { return answers.doesResultDependOn(result, number); });
  auto communication = dyn_cast<CommunicationOpInterface>(op);
  if (!communication)
    return std::nullopt;
  SmallVector<Value> payload = communication.getPayload();
  return select(
      [&](unsigned result) { return result >= payload.size() || payload[result] == use.get(); });
}

/// Results that follow whatever reaches into the operation; it may say that others do not.
void UniformityAnalysis::markResults(Operation *op, Value from) {
  if (!exhausted.insert(op).second)
    return;
  for (Value result : op->getResults())
    if (!uniformByMeaning.contains(result))
      mark(result, from);
}

/// The same for an operand, of which an operation may say that only some results follow.
void UniformityAnalysis::markResults(OpOperand &use) {
  auto following = findFollowing(use);
  if (!following)
    return markResults(use.getOwner(), use.get());
  for (OpResult result : *following)
    if (!uniformByMeaning.contains(result))
      mark(result, use.get());
}

void UniformityAnalysis::markArguments(Operation *op, Value from) {
  if (op->getNumRegions() == 0 || !exhaustedArguments.insert(op).second)
    return;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value argument : block.getArguments())
        mark(argument, from);
}

void UniformityAnalysis::markEverything(Operation *op, Value from) {
  markResults(op, from);
  markArguments(op, from);
}

void UniformityAnalysis::markEverything(OpOperand &use) {
  markResults(use);
  markArguments(use.getOwner(), use.get());
}

/// `op` is what `use`, in it or at one of its regions' ends, decides.
void UniformityAnalysis::markDivergent(Operation *op, OpOperand &use) {
  divergentOps.try_emplace(op, use.get());
  if (use.getOwner() == op)
    markEverything(use);
  else
    markEverything(op, use.get());
}

void UniformityAnalysis::markDivergent(Region *region, Value control) {
  if (!divergentRegions.try_emplace(region, control).second)
    return;
  for (Block &block : llvm::drop_begin(*region))
    for (Value argument : block.getArguments())
      mark(argument, control);
  for (Block &block : llvm::drop_begin(*region))
    for (Operation &op : block)
      for (Value result : op.getResults())
        mark(result, control);
  Operation *parent = region->getParentOp();
  if (auto function = dyn_cast<FunctionOpInterface>(parent))
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      markCallers(parent, i, control);
  else
    markEverything(parent, control);
}

/// An operation without results can hand a value on only to the operations around it.
void UniformityAnalysis::markSurroundings(Operation *op, Value from) {
  for (Operation *parent = op->getParentOp(); parent && !isa<FunctionOpInterface>(parent);
       parent = parent->getParentOp())
    markResults(parent, from);
}

void UniformityAnalysis::markCallers(Operation *function, unsigned result, Value from) {
  auto found = callers.find(function);
  if (found == callers.end())
    return;
  for (CallOpInterface call : found->second)
    mark(call->getResult(result), from);
}

//===----------------------------------------------------------------------===//
// Spreading
//===----------------------------------------------------------------------===//

void UniformityAnalysis::propagate(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto branch = dyn_cast<BranchOpInterface>(op))
    return propagateThroughBranch(branch, use);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return propagateThroughTerminator(use);
  if (auto regions = dyn_cast<RegionBranchOpInterface>(op))
    return propagateThroughRegions(regions, use);
  auto call = dyn_cast<CallOpInterface>(op);
  if (call && getCallee(call))
    return propagateIntoCallee(call, use);
  if (op->getNumResults() == 0)
    markSurroundings(op, use.get());
  if (op->getNumRegions() != 0 && !isElementLoop(op))
    return markDivergent(op, use);
  if (getTrust(op) != DialectTrust::Deterministic || canChangeResults(use))
    markEverything(use);
}

void UniformityAnalysis::propagateThroughBranch(BranchOpInterface branch, OpOperand &use) {
  if (auto argument = branch.getSuccessorBlockArgument(use.getOperandNumber()))
    return mark(*argument, use.get());
  markDivergent(branch->getParentRegion(), use.get());
}

/// An operand that is not handed to a region or result decides where control goes.
void UniformityAnalysis::propagateThroughRegions(RegionBranchOpInterface op, OpOperand &use) {
  auto [entry, isNew] = successorsOfRegions.try_emplace(op);
  RegionBranchSuccessorMapping &successors = entry->second;
  if (isNew) // once: a loop may carry as many values as there are variables
    op.getSuccessorOperandInputMapping(successors);
  auto inputs = successors.find(&use);
  if (inputs == successors.end())
    return markDivergent(op, use);
  for (Value input : inputs->second)
    mark(input, use.get());
}

void UniformityAnalysis::propagateThroughTerminator(OpOperand &use) {
  Operation *parent = use.getOwner()->getParentOp();
  if (isa<FunctionOpInterface>(parent))
    return markCallers(parent, use.getOperandNumber(), use.get());
  if (auto regions = dyn_cast<RegionBranchOpInterface>(parent))
    return propagateThroughRegions(regions, use);
  markEverything(parent, use.get());
}

void UniformityAnalysis::propagateIntoCallee(CallOpInterface call, OpOperand &use) {
  FunctionOpInterface callee = getCallee(call);
  OperandRange arguments = call.getArgOperands();
  unsigned first = arguments.getBeginOperandIndex();
  if (use.getOperandNumber() < first || use.getOperandNumber() - first >= arguments.size())
    return markResults(call, use.get());
  mark(callee.getArgument(use.getOperandNumber() - first), use.get());
}
