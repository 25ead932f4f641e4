// distribute-tensor: each rank becomes a group of neighbours, which hold the model in parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/onnx/Onnx.h"
#include "dialects/train/ProgramClaims.h"
#include "lib/analysis/Remarks.h"
#include "lib/program/Exchange.h"
#include "lib/program/ProgramEdit.h"
#include "lib/stablehlo/Ops.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/tensor/FilledVocabulary.h"
#include "passes/distribution/tensor/RowShares.h"
#include "passes/distribution/tensor/TensorProgram.h"
#include "passes/distribution/tensor/TensorRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_TENSORPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

/// This rank's block of a variable, cut out with operations of MLIR alone, as programs of dialects
/// other than ours have them.
static Value sliceBlock(OpBuilder &builder, Value whole, TensorCut along, int64_t parts,
                        FlatSymbolRefAttr neighbours) {
  if (isSplat(whole))
    return takeBlock(builder, whole, along, parts, neighbours);
  Location loc = whole.getLoc();
  Operation *user = builder.getInsertionBlock()->getParentOp();
  RankedTensorType type = cast<RankedTensorType>(whole.getType());
  int64_t length = type.getDimSize(along.dimension) / (along.outer * parts);
  SmallVector<OpFoldResult> starts(type.getRank(), builder.getIndexAttr(0)), sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(builder.getIndexAttr(size));
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  sizes[along.dimension] = builder.getIndexAttr(length);
  Value rank = getFactoryOf(user, neighbours).createRank(builder, loc, neighbours);
  Value own = arith::MulIOp::create(builder, loc, rank,
                                    arith::ConstantIndexOp::create(builder, loc, length));
  SmallVector<Value> ranges;
  for (int64_t range = 0; range < along.outer; ++range) {
    Value start = own;
    if (range > 0)
      start = arith::AddIOp::create(
          builder, loc, own, arith::ConstantIndexOp::create(builder, loc, range * length * parts));
    starts[along.dimension] = start;
    ranges.push_back(tensor::ExtractSliceOp::create(builder, loc, whole, starts, sizes, strides));
  }
  return ranges.size() == 1
             ? ranges.front()
             : tensor::ConcatOp::create(builder, loc, along.dimension, ranges).getResult();
}

/// Whether `step` computes with operations of ONNX or StableHLO, which compiled programs have.
static bool isOfKnownDialect(func::FuncOp step) {
  return step
      .walk([](Operation *op) {
        bool isKnown =
            isa_and_nonnull<onnx::OnnxDialect>(op->getDialect()) || !stablehlo::getKind(op).empty();
        return isKnown ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct Tensor : distribution::impl::TensorPassBase<Tensor> {
  using TensorPassBase::TensorPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    TensorPassBase::getDependentDialects(registry);
    registry.insert<tensor::TensorDialect>();
  }

  void runOnOperation() override {
    auto mesh = getOperation()->getAttrOfType<DenseI64ArrayAttr>(train::kMesh);
    if (!mesh)
      return markAllAnalysesPreserved();
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program) || failed(cutProgram(*program, mesh[1])))
      return signalPassFailure();
    getOperation()->removeAttr(train::kMesh);
  }

private:
  LogicalResult cutProgram(Program program, int64_t parts) {
    if (failed(checkGroups(program)))
      return failure();
    FailureOr<TensorPlacement> placed = placeFilled(program, parts);
    if (failed(placed))
      return failure();
    TensorPlacement &placement = *placed;
    VariablePlaces places(program.step);
    placement.placeEnd(places);
    llvm::DenseSet<Value> cheapest = findCheapestSums(program.step.getBody().front(), placement);
    if (sequence && failed(scatterTokens(placement, cheapest, program, places)))
      return failure();
    if (failed(declareGroups(program, parts)))
      return failure();
    placement.carrySums(cheapest);
    TensorProgram local(program.step, placement, std::move(cheapest), neighbours);
    if (failed(local.rewrite()))
      return failure();
    if (failed(sharePushes(program, parts, neighbours)))
      return failure();
    sums += local.getSums();
    gathers += local.getGathers();
    scatters += local.getScatters();
    cutVariables += placement.getCut().size();
    if (placement.getCut().empty())
      mlir::emitWarning(program.step.getLoc())
          << "mesh=tp:" << parts << " cuts no variable: neighbouring ranks compute the same; "
          << "--remarks --remarks-filter=distribute-tensor tells why, tensor=NAME=DIMENSION cuts "
             "what you name";
    setParts(program, placement.getCut(), parts);
    return success();
  }

  static bool isCutAlong(const CutArguments &cut, unsigned number, int64_t dimension) {
    auto found = cut.find(number);
    return found != cut.end() && found->second == TensorCut{dimension};
  }

  /// Vocabularies are filled up where all that has the new tokens is cut.
  FailureOr<TensorPlacement> placeFilled(Program program, int64_t parts) {
    std::set<unsigned> whole;
    while (true) {
      FilledVocabulary vocabulary(program, parts, whole);
      FailureOr<TensorPlacement> placed = placeByRules(program, rules, parts);
      size_t known = whole.size();
      for (auto [number, more] : vocabulary.getArguments())
        if (succeeded(placed) && !isCutAlong(placed->getCut(), number, more.dimension))
          whole.insert(number);
      if (whole.size() > known)
        continue;
      vocabulary.keep();
      filled = vocabulary.getArguments();
      return placed;
    }
  }

  static LogicalResult scatterTokens(TensorPlacement &placement, llvm::DenseSet<Value> &cheapest,
                                     Program program, const VariablePlaces &places) {
    FailureOr<bool> isScattered = placement.scatterTokens(cheapest);
    if (failed(isScattered))
      return failure();
    if (!*isScattered)
      mlir::emitWarning(program.step.getLoc())
          << "sequence=true divides nothing: no sum over neighbours is of samples x tokens x "
             "features of which the "
          << placement.getParts() << " neighbours divide the tokens";
    placement.placeEnd(places);
    cheapest = findCheapestSums(program.step.getBody().front(), placement);
    return success();
  }

  /// All that the program communicates is among all ranks.
  static LogicalResult checkGroups(Program program) {
    for (auto group : program.module.getOps<GroupOpInterface>())
      if (!group.isOfWholeWorld())
        return mlir::emitError(group.getLoc())
               << "@" << SymbolTable::getSymbolName(group).getValue()
               << " is a group of some ranks; mesh=tp:N divides the ranks itself: leave hierarchy "
                  "away";
    for (auto function : program.module.getOps<func::FuncOp>()) {
      bool isKnown = function == program.initialize || function == program.step ||
                     function.getName() == "evaluate";
      WalkResult found = function.walk([&](Operation *op) {
        return getForm(op) && !isKnown ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (found.wasInterrupted())
        return mlir::emitError(function.getLoc())
               << "@" << function.getName() << " communicates, and mesh=tp:N knows only what @step "
               << "itself does: inline what @step calls";
    }
    return verifyFactory(program.module,
                         {{CommunicationKind::AllReduce, CommunicationKind::AllGather,
                           CommunicationKind::ReduceScatter},
                          {RankQuestion::Rank}});
  }

  /// A rank of the program is a group of neighbours from here on: what it exchanges goes among the
  /// ranks that hold the same parts; variables begin as those of one rank of all.
  LogicalResult declareGroups(Program program, int64_t parts) {
    FlatSymbolRefAttr name = getOrCreateWorld(program.module);
    GroupOpInterface world = findGroup(program.step, name);
    int64_t groups = world.getGroupForm().size.value_or(1);
    world.declareSize(groups * parts);
    SymbolTable symbols(program.module);
    OpBuilder builder(&getContext());
    auto declare = [&](StringRef group, GroupForm::Kind kind, int64_t size) -> FlatSymbolRefAttr {
      Operation *made =
          getFactoryOf(program.step, name)
              .createGroup(builder, program.module.getLoc(), group, {kind, parts, size});
      if (!made)
        return {};
      symbols.insert(made, std::next(Block::iterator(world)));
      return FlatSymbolRefAttr::get(made);
    };
    FlatSymbolRefAttr data = groups == 1 ? name : declare("dp", GroupForm::Strided, groups);
    neighbours = declare("tp", GroupForm::Blocks, parts);
    if (!data || !neighbours)
      return mlir::emitError(world.getLoc()) << "the dialect of @" << name.getValue()
                                             << " declares no groups of neighbouring ranks, "
                                             << "which mesh=tp:" << parts << " needs";
    if (groups == 1)
      return success();
    (void)SymbolTable::replaceAllSymbolUses(name.getAttr(), data.getAttr(), program.step);
    for (auto dataset : program.module.getOps<train::DatasetOp>())
      if (std::optional<train::ShardAttr> shard = dataset.getShard())
        dataset.setShardAttr(train::ShardAttr::get(&getContext(), shard->getMode(),
                                                   shard->getPolicy(), data, shard->getRanks()));
    return success();
  }

  /// Roles and types of the variables in all functions.
  void setParts(Program program, const CutArguments &cut, int64_t parts) {
    llvm::DenseMap<Attribute, TensorCut> cuts;
    ProgramEdit edit(program);
    Type number64 = IntegerType::get(&getContext(), 64);
    NamedAttrList ranges;
    for (auto [number, along] : cut) {
      auto role = program.step.getArgAttrOfType<train::VariableAttr>(
          number, train::TrainDialect::kVariable);
      cuts.try_emplace(role, along);
      BlockArgument argument = program.step.getArgument(number);
      SmallVector<int64_t> whole(cast<RankedTensorType>(argument.getType()).getShape());
      auto more = filled.find(number);
      if (more != filled.end())
        filledRoles.insert({role, more->second});
      int64_t size = whole[along.dimension] * parts;
      whole[along.dimension] = more == filled.end() ? size : more->second.size;
      edit.setRole(role, role.getSharded(whole));
      if (along.outer > 1)
        ranges.append(role.getName(), IntegerAttr::get(number64, along.outer));
      if (role.getVariableClass() == train::VariableClass::Trainable)
        remark::passed(argument.getLoc(), remarkBy(getArgument(), program.step))
            << ("variable \"" + role.getName() + "\" is kept in " + Twine(parts) +
                " parts along dimension " + Twine(along.dimension) +
                (along.outer == 1 ? ""
                                  : ", each of its " + std::to_string(along.outer) + " ranges") +
                (more == filled.end() ? "" : ", which is filled up to " + std::to_string(size)))
                   .str();
    }
    takeBlocks(program, cuts, parts);
    for (auto function : program.module.getOps<func::FuncOp>())
      if (function != program.initialize && function != program.step && !function.isExternal())
        gatherAll(function, cuts, parts);
    program.module->setAttr(train::kTensorParts, IntegerAttr::get(number64, parts));
    if (!ranges.empty())
      program.module->setAttr(train::kTensorRanges, ranges.getDictionary(&getContext()));
    edit.apply();
  }

  void takeBlocks(Program program, const llvm::DenseMap<Attribute, TensorCut> &cuts,
                  int64_t parts) {
    func::FuncOp initialize = program.initialize;
    auto *take = isOfKnownDialect(program.step) ? takeBlock : sliceBlock;
    Operation *end = initialize.getBody().front().getTerminator();
    OpBuilder builder(end);
    llvm::DenseMap<std::pair<Value, std::pair<int64_t, int64_t>>, Value> taken;
    for (VariableResult variable : getVariableResults(initialize)) {
      auto found = cuts.find(variable.role);
      if (found == cuts.end())
        continue;
      auto [dimension, outer] = found->second;
      Value &block = taken[{variable.value->get(), {dimension, outer}}];
      Value whole = variable.value->get();
      if (auto more = filledRoles.find(variable.role); !block && more != filledRoles.end())
        whole = fillUp(builder, whole, more->second,
                       train::getBlockSize(more->second.size, parts) * parts);
      if (!block)
        block = take(builder, whole, found->second, parts, neighbours);
      variable.value->set(block);
    }
    initialize.setFunctionType(
        FunctionType::get(&getContext(), initialize.getArgumentTypes(), end->getOperandTypes()));
  }

  void gatherAll(func::FuncOp function, const llvm::DenseMap<Attribute, TensorCut> &cuts,
                 int64_t parts) {
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    for (BlockArgument argument : function.getArguments()) {
      auto role = findHeldVariable(argument);
      auto found = role ? cuts.find(role) : cuts.end();
      if (found == cuts.end())
        continue;
      argument.setType(getBlockType(argument.getType(), found->second.dimension, parts));
      auto uses = llvm::map_to_vector(argument.getUses(), [](OpOperand &use) { return &use; });
      Value whole = gatherBlocks(builder, argument, found->second, parts, neighbours);
      if (auto more = filledRoles.find(role); more != filledRoles.end())
        whole = leaveOut(builder, whole, more->second);
      for (OpOperand *use : uses)
        use->set(whole);
    }
    function.setFunctionType(FunctionType::get(
        &getContext(), function.getBody().front().getArgumentTypes(), function.getResultTypes()));
  }

  FlatSymbolRefAttr neighbours;
  FilledArguments filled;
  llvm::DenseMap<Attribute, FilledDimension> filledRoles;
};
} // namespace
