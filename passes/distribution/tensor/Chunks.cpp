// distribute-chunks: neighbours exchange one chunk of a value while they compute another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/interfaces/Draws.h"
#include "lib/analysis/CollectiveMotion.h"
#include "lib/analysis/Remarks.h"
#include "lib/layout/SampleRoles.h"
#include "lib/layout/ShardingRules.h"
#include "lib/layout/Transfer.h"
#include "lib/program/MeshGroups.h"
#include "lib/stablehlo/Ops.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/tensor/ChunkedValues.h"
#include "passes/distribution/tensor/TensorProgram.h"
#include "passes/distribution/tensor/Vocabulary.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/MapVector.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_CHUNKSPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

static TensorCut cutOf(const Layout &layout) { return {layout.dimension, layout.outer}; }

/// Whether the rule is that of a product: it sums over something that several operands have.
static bool isProduct(const ShardingRule &rule) {
  return llvm::any_of(llvm::seq<unsigned>(0, rule.factors.size()), [&](unsigned factor) {
    auto has = [&](const TensorFactors &tensor) {
      return llvm::any_of(tensor, [&](auto &all) { return llvm::is_contained(all, factor); });
    };
    return rule.factors[factor].kind == FactorKind::Sum && llvm::count_if(rule.operands, has) > 1;
  });
}

static int64_t bytesOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return 0;
  return llvm::divideCeil(type.getNumElements() * type.getElementTypeBitWidth(), 8);
}

namespace {
/// What of a block is computed in chunks.
class ChunkPlan {
public:
  /// `exchanges` are of the block, in program order.
  ChunkPlan(Block &block, ArrayRef<Operation *> exchanges, int64_t neighbours, int64_t chunks,
            int64_t minBytes)
      : block(block), exchanges(exchanges.begin(), exchanges.end()), neighbours(neighbours),
        chunks(chunks), minBytes(minBytes) {}

  /// The last exchanges first: they say how those before are cut.
  void plan() {
    for (Operation *exchange : llvm::reverse(exchanges.getArrayRef()))
      if (!isKind(exchange, {CommunicationKind::AllGather}) && !cuts.contains(exchange))
        cutExchange(exchange);
  }

  bool contains(Operation *op) const { return cuts.contains(op); }
  const Transfer &getTransfer(Operation *op) const { return cuts.find(op)->second; }

  /// All that is cut, in program order.
  SmallVector<Operation *> getOperations() const {
    SmallVector<Operation *> all;
    for (Operation &op : block)
      if (cuts.contains(&op))
        all.push_back(&op);
    return all;
  }

private:
  using Place = std::pair<Value, TensorCut>;

  /// Along the first dimension in which a product leads to it.
  void cutExchange(Operation *exchange) {
    Value result = exchange->getResult(0);
    if (bytesOf(result) < minBytes)
      return;
    int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
    for (int64_t dimension = 0; dimension + 1 < rank; ++dimension) {
      std::optional<Transfer> transfer = transferOf(exchange, 0, {dimension});
      if (!transfer)
        continue;
      Place from = {exchange->getOperand(0), cutOf(transfer->operands[0])};
      if (!leadsToProduct(from))
        continue;
      cuts[exchange] = *transfer;
      follow(from);
      return;
    }
  }

  /// Whether something that is cut already, or else a product, is among what would be cut to cut a
  /// value, before another exchange.
  bool leadsToProduct(Place from) {
    bool hasProduct = false;
    explore(from, [&](Operation *op, const Place &place, const Transfer &) {
      if (hasProduct || exchanges.contains(op) ||
          !seen.insert({place.first, place.second.dimension, place.second.outer}).second)
        return false;
      hasProduct = cuts.contains(op) || isProduct(*findShardingRule(op));
      return !hasProduct;
    });
    return hasProduct;
  }

  /// Cuts all that leads to a value which is cut.
  void follow(Place from) {
    explore(from, [&](Operation *op, const Place &, const Transfer &transfer) {
      return cuts.insert({op, transfer}).second;
    });
  }

  /// Visits what makes a value and can be cut as the value is, or is cut so; and, if `visit` says
  /// so, what makes its operands.
  void explore(Place from,
               llvm::function_ref<bool(Operation *, const Place &, const Transfer &)> visit) {
    SmallVector<Place> open = {from};
    while (!open.empty()) {
      Place place = open.pop_back_val();
      auto result = dyn_cast<OpResult>(place.first);
      if (!result || result.getOwner()->getBlock() != &block)
        continue;
      Operation *op = result.getOwner();
      std::optional<Transfer> transfer = transferOf(op, result.getResultNumber(), place.second);
      if (!transfer || !visit(op, place, *transfer))
        continue;
      for (auto [operand, layout] : llvm::zip_equal(op->getOperands(), transfer->operands))
        if (layout.isShard())
          open.push_back({operand, cutOf(layout)});
    }
  }

  /// How `op` makes a chunk of its result; none if it cannot.
  std::optional<Transfer> transferOf(Operation *op, unsigned result, TensorCut cut) {
    if (auto known = cuts.find(op); known != cuts.end())
      return cutOf(known->second.results[result]) == cut ? std::optional(known->second)
                                                         : std::nullopt;
    auto type = dyn_cast<RankedTensorType>(op->getResult(result).getType());
    if (!type || !type.hasStaticShape() || !cut.fits(type, chunks))
      return std::nullopt;
    if (exchanges.contains(op))
      return bytesOf(op->getResult(0)) < minBytes ? std::nullopt : transferOfExchange(op, cut);
    if (op->getNumOperands() == 0 || !isComputed(op) || op->hasTrait<Draws>())
      return std::nullopt;
    FailureOr<ShardingRule> rule = findShardingRule(op);
    if (failed(rule))
      return std::nullopt;
    std::optional<Transfer> transfer = transferBack(op, *rule, result, cut.getLayout(), chunks);
    if (!transfer || isOfVocabulary(op, *transfer) || !canAddUp(op, *transfer) ||
        !isLocal(op, *transfer))
      return std::nullopt;
    return transfer;
  }

  /// In the dimension in which values of neighbours are joined, a chunk has a piece of each.
  std::optional<Transfer> transferOfExchange(Operation *op, TensorCut cut) const {
    TensorCut source = cut;
    CommunicationForm form = *getForm(op);
    if (form.axis == cut.dimension && form.kind == CommunicationKind::ReduceScatter)
      source.outer *= neighbours;
    if (form.axis == cut.dimension && form.kind == CommunicationKind::AllGather) {
      if (cut.outer % neighbours != 0)
        return std::nullopt;
      source.outer /= neighbours;
    }
    return Transfer{{source.getLayout()}, {cut.getLayout()}};
  }

  /// Whether what chunks make of a result, such as summands of a loss, can be scaled and added
  /// here.
  static bool canAddUp(Operation *op, const Transfer &transfer) {
    return llvm::all_of(llvm::zip_equal(op->getResultTypes(), transfer.results), [&](auto one) {
      auto [type, layout] = one;
      bool isTaken = !layout.isPartial() && layout.scale == 0;
      return isTaken ||
             (isa<FloatType>(getElementTypeOrSelf(type)) && stablehlo::getKind(op).empty());
    });
  }

  /// Whether `op` can be made for chunks of its operands.
  bool isLocal(Operation *op, const Transfer &transfer) const {
    Block scratch;
    SmallVector<Value> operands;
    for (auto [operand, layout] : llvm::zip_equal(op->getOperands(), transfer.operands)) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (layout.isShard() &&
          (!type || !type.hasStaticShape() || !cutOf(layout).fits(type, chunks)))
        return false;
      operands.push_back(
          layout.isShard()
              ? scratch.addArgument(getBlockType(operand.getType(), layout.dimension, chunks),
                                    operand.getLoc())
              : operand);
    }
    OpBuilder builder(op->getContext());
    builder.setInsertionPointToEnd(&scratch);
    Operation *local = createChunk(builder, op, transfer, operands, chunks);
    bool isValid = succeeded(mlir::verify(local));
    local->erase();
    return isValid;
  }

  Block &block;
  llvm::SetVector<Operation *> exchanges;
  int64_t neighbours, chunks, minBytes;
  llvm::DenseMap<Operation *, Transfer> cuts;
  /// What was asked, and along what: it leads to no product, or is cut.
  llvm::DenseSet<std::tuple<Value, int64_t, int64_t>> seen;
};

/// A block whose exchanges are made in chunks.
class BlockInChunks {
public:
  BlockInChunks(const ChunkPlan &plan, int64_t chunks, bool isOfStablehlo)
      : plan(plan), values(chunks, isOfStablehlo) {}

  void rewrite() {
    SmallVector<Operation *> all = plan.getOperations();
    for (Operation *op : all)
      makeChunks(op);
    for (Operation *op : all)
      joinForOthers(op);
    for (Operation *op : llvm::reverse(all))
      op->erase();
  }

private:
  void makeChunks(Operation *op) {
    const Transfer &transfer = plan.getTransfer(op);
    OpBuilder builder(op);
    SmallVector<ChunkedValues::Chunks> made(op->getNumResults());
    for (int64_t chunk = 0; chunk < values.getCount(); ++chunk) {
      SmallVector<Value> operands;
      for (auto [operand, layout] : llvm::zip_equal(op->getOperands(), transfer.operands))
        operands.push_back(layout.isShard() ? values.get(operand, cutOf(layout))[chunk]
                                            : values.getWhole(operand));
      Operation *local = createChunk(builder, op, transfer, operands, values.getCount());
      for (auto [all, result, layout] :
           llvm::zip_equal(made, local->getResults(), transfer.results))
        all.push_back(adjustScale(builder, result, layout.scale, Scale(), values.getCount()));
    }
    for (auto [result, layout, all] : llvm::zip_equal(op->getResults(), transfer.results, made)) {
      if (layout.isPartial())
        all.assign({addUp(builder, all)});
      values.set(result, layout.withScale(Scale()), all);
    }
  }

  static Value addUp(OpBuilder &builder, ArrayRef<Value> summands) {
    Value sum = summands.front();
    for (Value summand : summands.drop_front())
      sum = arith::AddFOp::create(builder, sum.getLoc(), sum, summand);
    return sum;
  }

  /// Those that are not computed in chunks take all of it.
  void joinForOthers(Operation *op) {
    auto isOther = [&](OpOperand &use) { return !plan.contains(use.getOwner()); };
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUses(), isOther))
        result.replaceUsesWithIf(values.getWhole(result), isOther);
  }

  const ChunkPlan &plan;
  ChunkedValues values;
};

struct Chunks : distribution::impl::ChunksPassBase<Chunks> {
  using ChunksPassBase::ChunksPassBase;

  void runOnOperation() override {
    if (chunks < 1) {
      mlir::emitError(getOperation().getLoc())
          << "chunks must be 1 or more, got " << chunks.getValue();
      return signalPassFailure();
    }
    neighbours = program::partsOf(getOperation());
    if (chunks == 1)
      return markAllAnalysesPreserved();
    if (llvm::any_of(getOperation().getOps<train::DatasetOp>(), hasUnequalParts)) {
      mlir::emitWarning(getOperation().getLoc())
          << "chunks has no effect: ranks take batches of two sizes, which are not cut alike; "
          << "choose a global batch that the ranks divide";
      return markAllAnalysesPreserved();
    }
    CollectiveMotion motion(getOperation(), getAnalysis<UniformityAnalysis>());
    unsigned inChunks = 0;
    for (auto &[block, exchanges] : findExchanges(motion))
      inChunks += rewrite(*block, exchanges);
    if (inChunks == 0)
      mlir::emitWarning(getOperation().getLoc())
          << "chunks has no effect: no product leads to what neighbours exchange, of a size that "
          << chunks.getValue() << " chunks divide; --remarks --remarks-filter=distribute-chunks "
          << "tells more";
  }

private:
  /// What neighbours exchange, by the block in which they do.
  llvm::MapVector<Block *, SmallVector<Operation *>> findExchanges(const CollectiveMotion &motion) {
    llvm::MapVector<Block *, SmallVector<Operation *>> all;
    getOperation().walk([&](Operation *op) {
      if (isOfNeighbours(op) && !motion.whyStays(op))
        all[op->getBlock()].push_back(op);
    });
    return all;
  }

  bool isOfNeighbours(Operation *op) const {
    constexpr CommunicationKind kinds[] = {CommunicationKind::AllReduce,
                                           CommunicationKind::AllGather,
                                           CommunicationKind::ReduceScatter};
    return isKind(op, kinds) && op->getNumOperands() == 1 && op->getNumResults() == 1 &&
           isa<RankedTensorType>(op->getResult(0).getType()) && !isStartedApart(op) &&
           program::isOfNeighbours(findGroup(op, getForm(op)->group), neighbours) && isMade(op);
  }

  /// Whether its dialect makes operations like it.
  static bool isMade(Operation *op) {
    Block scratch;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointToEnd(&scratch);
    const CommunicationDialectInterface *factory = getFactory(op);
    return factory &&
           factory->createLike(builder, op->getLoc(), op, op->getOperands(), op->getResultTypes());
  }

  /// What only has the shape of a value, such as the gradient of the loss, must not wait for it.
  static void dropShapes(Block &block) {
    for (auto filled : llvm::make_early_inc_range(block.getOps<train::FullLikeOp>())) {
      auto type = dyn_cast<RankedTensorType>(filled.getType());
      if (!type || !type.hasStaticShape())
        continue;
      OpBuilder builder(filled);
      Attribute value =
          builder.getFloatAttr(type.getElementType(), filled.getValue().convertToDouble());
      Value constant =
          arith::ConstantOp::create(builder, filled.getLoc(), DenseElementsAttr::get(type, value));
      filled.replaceAllUsesWith(constant);
      filled.erase();
    }
  }

  /// How many of its exchanges are made in chunks.
  unsigned rewrite(Block &block, ArrayRef<Operation *> exchanges) {
    dropShapes(block);
    ChunkPlan plan(block, exchanges, neighbours, chunks, minBytes);
    plan.plan();
    unsigned count = llvm::count_if(exchanges, [&](Operation *op) { return plan.contains(op); });
    for (Operation *exchange : exchanges)
      report(exchange, plan);
    exchanged += count;
    computed += plan.getOperations().size() - count;
    bool isOfStablehlo =
        llvm::any_of(block, [](Operation &op) { return !stablehlo::getKind(&op).empty(); });
    BlockInChunks(plan, chunks, isOfStablehlo).rewrite();
    return count;
  }

  void report(Operation *exchange, const ChunkPlan &plan) {
    auto options = remarkBy(getArgument(), exchange);
    if (plan.contains(exchange))
      remark::passed(exchange->getLoc(), options)
          << (spellKind(exchange) + " is made in " + Twine(chunks) + " chunks along dimension " +
              Twine(plan.getTransfer(exchange).results[0].dimension))
                 .str();
    else if (!isKind(exchange, {CommunicationKind::AllGather})) // which follow what takes them
      remark::missed(exchange->getLoc(), options)
          << spellKind(exchange) << " stays whole: "
          << (bytesOf(exchange->getResult(0)) < minBytes
                  ? "it has fewer than " + std::to_string(minBytes) + " bytes"
                  : "no product leads to it by rows that " + std::to_string(chunks) +
                        " chunks divide");
  }

  int64_t neighbours = 1;
};
} // namespace
