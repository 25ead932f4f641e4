// collective-hierarchy: reductions over all ranks become reductions in each node and across them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/CollectiveMotion.h"
#include "lib/analysis/Remarks.h"
#include "passes/communication/NodeGroups.h"
#include "passes/communication/Passes.h"

namespace tutti::communication {
#define GEN_PASS_DEF_COLLECTIVEHIERARCHYPASS
#include "passes/communication/Passes.h.inc"
} // namespace tutti::communication

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using namespace tutti::communication;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Bytes of all inputs; none if a shape is not known.
static std::optional<int64_t> countBytes(AllReduceOp op) {
  int64_t bytes = 0;
  for (Value input : op.getInputs()) {
    auto type = typeOf(input);
    if (!type.hasStaticShape())
      return std::nullopt;
    bytes += type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }
  return bytes;
}

/// Whether the element type has `number` exactly.
static bool hasExactly(Type element, int64_t number) {
  auto type = dyn_cast<FloatType>(element);
  llvm::APFloat value(static_cast<double>(number));
  bool losesInfo = false;
  if (type)
    value.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return type && !losesInfo;
}

namespace {

/// One all_reduce on its way to three collectives.
class Split {
public:
  Split(AllReduceOp op, const NodeGroups &groups) : op(op), groups(groups), builder(op) {}

  void rewrite() {
    auto reduced =
        AllReduceOp::create(builder, op.getLoc(), stepKind(), scatter(divisible()), groups.across);
    for (auto [whole, output] : llvm::zip(gather(reduced.getOutputs()), op.getOutputs()))
      output.replaceAllUsesWith(finished(whole, typeOf(output)));
    op.erase();
  }

private:
  ReductionKind stepKind() const {
    AllReduceOp reduce = op;
    return reduce.getReduction() == ReductionKind::mean ? ReductionKind::sum
                                                        : reduce.getReduction();
  }

  /// Each input with a first dimension that the ranks of a node divide: as it is, or as a row with
  /// zeros behind.
  SmallVector<Value> divisible() {
    return llvm::map_to_vector(op.getInputs(), [&](Value input) -> Value {
      auto type = typeOf(input);
      if (type.getRank() > 0 && type.getDimSize(0) % groups.ranksPerNode == 0)
        return input;
      int64_t length = llvm::alignTo(type.getNumElements(), groups.ranksPerNode);
      return FlattenOp::create(builder, op.getLoc(), input, length).getOutput();
    });
  }

  SmallVector<Type> scaledTypes(ValueRange values, int64_t times, int64_t parts) const {
    return llvm::map_to_vector(values, [&](Value value) -> Type {
      SmallVector<int64_t> shape(typeOf(value).getShape());
      shape[0] = shape[0] * times / parts;
      return typeOf(value).clone(shape);
    });
  }

  ValueRange scatter(ValueRange inputs) {
    auto kind = ReductionKindAttr::get(builder.getContext(), stepKind());
    return ReduceScatterOp::create(builder, op.getLoc(),
                                   scaledTypes(inputs, 1, groups.ranksPerNode), kind,
                                   builder.getI64IntegerAttr(0), inputs, ValueRange(), groups.node)
        .getOutputs();
  }

  ValueRange gather(ValueRange inputs) {
    return AllGatherOp::create(builder, op.getLoc(), scaledTypes(inputs, groups.ranksPerNode, 1),
                               builder.getI64IntegerAttr(0), inputs, ValueRange(), groups.node)
        .getOutputs();
  }

  /// What was gathered in the shape of the input, and divided where the mean was asked: once and
  /// last, as the runtime divides.
  Value finished(Value whole, RankedTensorType type) {
    if (typeOf(whole) != type)
      whole = UnflattenOp::create(builder, op.getLoc(), type, whole);
    if (op.getReduction() != ReductionKind::mean)
      return whole;
    auto ranks = builder.getFloatAttr(type.getElementType(), groups.ranksPerNode * groups.nodes);
    Value divisor =
        arith::ConstantOp::create(builder, op.getLoc(), DenseElementsAttr::get(type, ranks));
    return arith::DivFOp::create(builder, op.getLoc(), whole, divisor);
  }

  AllReduceOp op;
  const NodeGroups &groups;
  OpBuilder builder;
};

struct CollectiveHierarchy : communication::impl::CollectiveHierarchyPassBase<CollectiveHierarchy> {
  using CollectiveHierarchyPassBase::CollectiveHierarchyPassBase;

  void runOnOperation() override {
    SmallVector<AllReduceOp> found;
    getOperation().walk([&](AllReduceOp op) {
      if (op.getDestinations().empty() && isOnWorld(op))
        found.push_back(op);
    });
    if (found.empty())
      return markAllAnalysesPreserved();
    FailureOr<Topology> topology = findTopology(getOperation(), ranksPerNode);
    if (failed(topology))
      return signalPassFailure();
    if (topology->ranksPerNode == 1 || topology->nodes == 1) {
      markAllAnalysesPreserved();
      return leaveAll(found, *topology);
    }
    remarkOnScattered();
    CollectiveMotion motion(getOperation(), getAnalysis<UniformityAnalysis>());
    std::optional<NodeGroups> groups;
    for (AllReduceOp op : found)
      if (mayBeSplit(op, motion, *topology)) {
        if (!groups)
          groups = declareNodeGroups(getOperation(), *topology);
        remark::passed(op.getLoc(), remarkBy(getArgument(), op))
            << "all_reduce of " << std::to_string(*countBytes(op))
            << " bytes goes across nodes as parts of one in "
            << std::to_string(groups->ranksPerNode);
        Split(op, *groups).rewrite();
        ++split;
      }
    if (!groups)
      markAllAnalysesPreserved();
  }

private:
  static bool isOnWorld(CollectiveOpInterface op) {
    GroupOp group = lookupGroup(op, op.getGroupAttr());
    return group && group.isWholeWorld();
  }

  /// As sharded optimizers have them: what each rank gets is a part of its own of the world's.
  void remarkOnScattered() {
    getOperation().walk([&](ReduceScatterOp op) {
      if (isOnWorld(op))
        remark::missed(op.getLoc(), remarkBy(getArgument(), op))
            << "reduce_scatter stays flat: its parts are for all ranks, not for those of a node";
    });
  }

  void leaveAll(ArrayRef<AllReduceOp> ops, const Topology &topology) {
    left += ops.size();
    AllReduceOp op = ops.front();
    if (ranksPerNode > 0)
      mlir::emitWarning(getOperation().getLoc())
          << "hierarchy=" << ranksPerNode.getValue() << " has no effect: "
          << (topology.nodes == 1 ? "there is one node" : "there is one rank on each node");
    auto remark = remark::missed(op.getLoc(), remarkBy(getArgument(), op));
    if (topology.nodes == 1)
      remark << "all_reduce stays flat, as all do: there is one node";
    else
      remark << "all_reduce stays flat, as all do: there is one rank on each node";
  }

  bool leave(AllReduceOp op, const std::string &reason) {
    ++left;
    remark::missed(op.getLoc(), remarkBy(getArgument(), op)) << "all_reduce stays flat: " << reason;
    return false;
  }

  bool mayBeSplit(AllReduceOp op, const CollectiveMotion &motion, const Topology &topology) {
    if (StringRef reason = motion.getReasonToStay(op); !reason.empty())
      return leave(op, reason.str());
    std::optional<int64_t> bytes = countBytes(op);
    if (!bytes)
      return leave(op, "the shape of an input is not known");
    if (*bytes < minBytes)
      return leave(op, "its " + std::to_string(*bytes) +
                           " bytes are fewer than min-bytes=" + std::to_string(minBytes));
    if (isa<AsyncOp>(op->getParentOp()))
      return leave(op, "it is asynchronous already; run collective-hierarchy before "
                       "collective-overlap");
    if (op.getReduction() == ReductionKind::mean && !llvm::all_of(op.getInputs(), [&](Value input) {
          return hasExactly(typeOf(input).getElementType(), topology.ranksPerNode * topology.nodes);
        }))
      return leave(op, "its element type does not have the number of ranks exactly, by which the "
                       "mean divides");
    return true;
  }
};
} // namespace
