// stablehlo-import-roles: an exported step gets the roles of a training program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "dialects/train/Train.h"
#include "lib/program/Program.h"
#include "lib/stablehlo/Ops.h"
#include "passes/stablehlo/InlineCalls.h"
#include "passes/stablehlo/Passes.h"
#include "passes/stablehlo/Roles.h"
#include "passes/stablehlo/StateArguments.h"

#include <set>

namespace tutti::stablehlo {
#define GEN_PASS_DEF_IMPORTROLESPASS
#include "passes/stablehlo/Passes.h.inc"
} // namespace tutti::stablehlo

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;
using train::TrainDialect;

static bool isKey(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isUnsignedInteger(32) && tensor.getRank() == 1 &&
         (tensor.getDimSize(0) == 2 || tensor.getDimSize(0) == 4);
}

/// What `jax.result_info` calls a result, such as "result[0]['w']"; empty without it.
static std::string describeResult(func::FuncOp step, unsigned result) {
  auto info = step.getResultAttrOfType<StringAttr>(result, "jax.result_info");
  return info ? info.str() : "";
}

static std::string nameOfResult(func::FuncOp step, unsigned result) {
  std::string info = describeResult(step, result);
  return info.empty() ? "result" + std::to_string(result) : info;
}

/// The name that debug information gives an argument, else what its next value is called, if it has
/// one, else its number.
static std::string nameOfArgument(func::FuncOp step, unsigned argument,
                                  std::optional<unsigned> result) {
  if (auto name = dyn_cast<NameLoc>(step.getArgument(argument).getLoc()))
    return name.getName().str();
  std::string info = result ? describeResult(step, *result) : "";
  return info.empty() ? "arg" + std::to_string(argument) : info;
}

namespace {
struct ImportRoles : stablehlo::impl::ImportRolesPassBase<ImportRoles> {
  using ImportRolesPassBase::ImportRolesPassBase;

  void runOnOperation() override {
    if (failed(findStep()) || failed(checkOneDevice()) || failed(inlineCalls(step)) ||
        failed(findState()) || failed(findBatch()))
      return signalPassFailure();
    dropShardings();
    sortResults();
    collectMetrics();
    writeArguments();
    writeResults();
    declare();
    SymbolTable(getOperation()).insert(makeInitialize());
    declareDeterministic(getOperation());
    getOperation()->setAttr(TrainDialect::kProgram, UnitAttr::get(&getContext()));
  }

private:
  LogicalResult findStep() {
    step = getOperation().lookupSymbol<func::FuncOp>(entry);
    if (!step || !step.getBody().hasOneBlock())
      return mlir::emitError(getOperation().getLoc())
             << "has no function @" << entry
             << " with a body of one block; name the step with the option entry";
    if (getOperation()->hasAttr(TrainDialect::kProgram))
      return mlir::emitError(getOperation().getLoc()) << "is a training program already";
    if (entry != "step" && getOperation().lookupSymbol("step"))
      return mlir::emitError(getOperation().getLoc())
             << "has another symbol @step, which is what @" << entry << " would be called";
    if (getOperation().lookupSymbol("initialize"))
      return mlir::emitError(getOperation().getLoc()) << "has a symbol @initialize already";
    for (unsigned index = 0; index < step.getNumArguments(); ++index) {
      auto type = dyn_cast<RankedTensorType>(step.getArgument(index).getType());
      if (!type || !type.hasStaticShape())
        return mlir::emitError(step.getArgument(index).getLoc())
               << "argument " << index << " has type " << step.getArgument(index).getType()
               << "; expected a tensor of a shape that is known";
    }
    return success();
  }

  LogicalResult checkOneDevice() {
    for (StringRef name : {"mhlo.num_partitions", "mhlo.num_replicas"})
      if (auto count = getOperation()->getAttrOfType<IntegerAttr>(name);
          count && count.getInt() != 1)
        return mlir::emitError(getOperation().getLoc())
               << name << " is " << count.getInt() << "; expected a step for one device";
    return success();
  }

  /// Notes for a partitioner, which has nothing to do in a program of one partition.
  void dropShardings() {
    step.walk([](Operation *op) {
      auto target = op->getAttrOfType<StringAttr>("call_target_name");
      if (!isKind(op, "custom_call") || !target || target.getValue() != "Sharding" ||
          op->getOperandTypes() != op->getResultTypes())
        return;
      op->replaceAllUsesWith(op->getOperands());
      op->erase();
    });
  }

  LogicalResult findState() {
    std::vector<std::string> given(variables.begin(), variables.end());
    FailureOr<StateArguments> found = findStateArguments(step, given);
    if (failed(found))
      return failure();
    state = *found;
    if (state.empty())
      return mlir::emitError(step.getLoc())
             << "no argument is marked as state: donate it when exporting (jax.jit with "
                "donate_argnums), or say variables=ARGUMENT:RESULT";
    variables_ += state.size();
    return success();
  }

  /// The arguments that may hold the batch.
  SmallVector<unsigned> getCandidates() {
    if (!inputs.empty())
      return SmallVector<unsigned>(inputs.begin(), inputs.end());
    SmallVector<unsigned> candidates;
    for (unsigned index = 0; index < step.getNumArguments(); ++index) {
      auto type = cast<RankedTensorType>(step.getArgument(index).getType());
      if (!state.count(index) && type.getRank() > 0 && !isKey(type))
        candidates.push_back(index);
    }
    return candidates;
  }

  LogicalResult findBatch() {
    for (unsigned index : getCandidates()) {
      if (index >= step.getNumArguments() || state.count(index))
        return mlir::emitError(step.getLoc())
               << "inputs: " << index << " is no argument of @" << entry << " that is no state";
      auto type = cast<RankedTensorType>(step.getArgument(index).getType());
      if (type.getRank() == 0)
        return mlir::emitError(step.getArgument(index).getLoc())
               << "inputs: argument " << index << " is a scalar, which holds no samples";
      if (!batch.empty() && type.getDimSize(0) != samples)
        return mlir::emitError(step.getArgument(index).getLoc())
               << "argument " << index << " of type " << type << " is no state, and neither is "
               << *batch.begin() << ", which has " << samples
               << " samples along dimension 0; say which arguments hold the batch with inputs";
      samples = type.getDimSize(0);
      batch.insert(index);
    }
    if (batch.empty())
      return mlir::emitError(step.getLoc())
             << "no argument holds the batch: all are state, scalars or keys; say which one does "
                "with inputs";
    inputs_ += batch.size();
    return success();
  }

  /// The contract wants variables returned in the order in which they are taken.
  void sortResults() {
    SmallVector<unsigned> places, order = llvm::to_vector(llvm::seq(0u, step.getNumResults()));
    for (auto [argument, result] : state)
      places.push_back(result);
    if (llvm::is_sorted(places))
      return;
    SmallVector<unsigned> sorted = places;
    llvm::sort(sorted);
    for (auto [to, from] : llvm::zip_equal(sorted, places))
      order[to] = from;
    permuteResults(step, order);
    for (auto [index, from] : llvm::enumerate(order))
      step.setResultAttr(index, kPlace, OpBuilder(&getContext()).getI32IntegerAttr(from));
    auto next = sorted.begin();
    for (auto &entry : state)
      entry.second = *next++;
  }

  Value getReturned(unsigned result) {
    return step.getBody().front().getTerminator()->getOperand(result);
  }

  bool isState(unsigned result) {
    return llvm::any_of(state, [&](auto entry) { return entry.second == result; });
  }

  void collectMetrics() {
    for (unsigned index = 0; index < step.getNumResults(); ++index)
      if (!isState(index) && cast<RankedTensorType>(getReturned(index).getType()).getRank() == 0)
        metrics.insert(index);
    SmallVector<Value> returned;
    for (unsigned index : metrics)
      returned.push_back(getReturned(index));
    measured = findSources(returned);
  }

  train::VariableClass classify(BlockArgument argument) {
    if (!isa<FloatType>(cast<RankedTensorType>(argument.getType()).getElementType()))
      return train::VariableClass::Other;
    return measured.contains(argument) || metrics.empty() ? train::VariableClass::Trainable
                                                          : train::VariableClass::State;
  }

  std::string unique(std::string name) {
    std::string free = name;
    for (unsigned again = 1; !names.insert(free).second; ++again)
      free = name + "." + std::to_string(again);
    return free;
  }

  void writeArguments() {
    MLIRContext *context = &getContext();
    for (unsigned index = 0; index < step.getNumArguments(); ++index) {
      auto found = state.find(index);
      bool isState = found != state.end();
      std::string name = unique(
          nameOfArgument(step, index, isState ? std::optional(found->second) : std::nullopt));
      if (!isState) {
        auto dataset = FlatSymbolRefAttr::get(context, batch.count(index) ? kBatch : kGiven);
        step.setArgAttr(index, TrainDialect::kInput, train::InputAttr::get(context, name, dataset));
        continue;
      }
      auto role = train::VariableAttr::get(context, name, classify(step.getArgument(index)));
      step.setArgAttr(index, TrainDialect::kVariable, role);
      step.setResultAttr(found->second, TrainDialect::kVariable, role);
      roles.push_back(role);
    }
  }

  void writeResults() {
    for (unsigned index = 0; index < step.getNumResults(); ++index)
      if (!isState(index))
        step.setResultAttr(index,
                           metrics.count(index) ? TrainDialect::kMetric : TrainDialect::kOutput,
                           StringAttr::get(&getContext(), nameOfResult(step, index)));
  }

  void declare() {
    ModuleOp module = getOperation();
    step.setName("step");
    auto builder = OpBuilder::atBlockBegin(module.getBody());
    train::DatasetOp::create(builder, module.getLoc(), builder.getStringAttr(kBatch),
                             builder.getI64IntegerAttr(samples), train::ShardAttr());
    if (batch.size() + state.size() < step.getNumArguments())
      train::DatasetOp::create(builder, module.getLoc(), builder.getStringAttr(kGiven),
                               IntegerAttr(), train::ShardAttr());
  }

  /// Zeros for each variable: the host holds the values, and gives them as arguments.
  func::FuncOp makeInitialize() {
    OpBuilder builder(&getContext());
    SmallVector<Type> types;
    for (auto [argument, result] : state)
      types.push_back(step.getArgument(argument).getType());
    auto initialize = func::FuncOp::create(builder, step.getLoc(), "initialize",
                                           builder.getFunctionType({}, types));
    builder.setInsertionPointToStart(initialize.addEntryBlock());
    SmallVector<Value> zeros;
    for (Type type : types) {
      auto shaped = cast<RankedTensorType>(type);
      auto zero = DenseElementsAttr::get(shaped, builder.getZeroAttr(shaped.getElementType()));
      zeros.push_back(createConstant(builder, step.getLoc(), zero));
    }
    func::ReturnOp::create(builder, step.getLoc(), zeros);
    for (auto [index, role] : llvm::enumerate(roles))
      initialize.setResultAttr(index, TrainDialect::kVariable, role);
    return initialize;
  }

  func::FuncOp step;
  StateArguments state;
  std::set<unsigned> batch, metrics;
  std::set<std::string> names;
  llvm::DenseSet<Value> measured; ///< all that metrics are computed from
  SmallVector<train::VariableAttr> roles;
  int64_t samples = 0;
};
} // namespace
