// collective-hierarchy: reductions over all ranks become reductions in each node and across them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "lib/analysis/CollectiveMotion.h"
#include "lib/analysis/Remarks.h"
#include "passes/communication/NodeGroups.h"
#include "passes/communication/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tutti::communication {
#define GEN_PASS_DEF_COLLECTIVEHIERARCHYPASS
#include "passes/communication/Passes.h.inc"
} // namespace tutti::communication

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using namespace tutti::communication;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {

/// One all_reduce on its way to three collectives.
class Split {
public:
  Split(BucketOpInterface op, const NodeGroups &groups)
      : op(op), form(*getForm(op)), groups(groups), factory(*getFactory(op)), builder(op) {}

  /// Fails, and changes nothing, where the dialect lacks one of the operations.
  LogicalResult rewrite() {
    Operation *before = op->getPrevNode();
    SmallVector<Value> parts = scatter(divisible());
    parts = create({Kind::AllReduce, groups.across, stepKind()}, parts, TypeRange(parts));
    SmallVector<Value> wholes = gather(parts);
    SmallVector<Value> outputs;
    for (auto [whole, output] : llvm::zip(wholes, op.getOutputs()))
      outputs.push_back(finished(whole, typeOf(output)));
    if (outputs.size() != op.getOutputs().size() || llvm::is_contained(outputs, Value())) {
      eraseAfter(before);
      return failure();
    }
    for (auto [made, output] : llvm::zip(outputs, op.getOutputs()))
      output.replaceAllUsesWith(made);
    op.erase();
    return success();
  }

private:
  using Kind = CommunicationKind;

  Reduction stepKind() const {
    return form.reduction == Reduction::Mean ? Reduction::Sum : *form.reduction;
  }

  /// Drops what was made in vain.
  void eraseAfter(Operation *before) {
    while (op->getPrevNode() != before)
      op->getPrevNode()->erase();
  }

  /// The results of a new operation; empty if there is none, or an input is missing.
  SmallVector<Value> create(const CommunicationForm &made, ArrayRef<Value> inputs,
                            TypeRange results) {
    if (inputs.empty() || llvm::is_contained(inputs, Value()))
      return {};
    Operation *step = factory.create(builder, op.getLoc(), made, inputs, results);
    return step ? SmallVector<Value>(step->getResults()) : SmallVector<Value>();
  }

  /// Each input with a first dimension that the ranks of a node divide: as it is, or as a row with
  /// zeros after it.
  SmallVector<Value> divisible() {
    return llvm::map_to_vector(op.getInputs(), [&](Value input) -> Value {
      std::optional<int64_t> length = rowOfNode(typeOf(input), groups.ranksPerNode);
      return length ? factory.createRow(builder, op.getLoc(), input, *length) : input;
    });
  }

  SmallVector<Type> scaledTypes(ArrayRef<Value> values, int64_t times, int64_t parts) const {
    return llvm::map_to_vector(values, [&](Value value) -> Type {
      if (!value)
        return {};
      SmallVector<int64_t> shape(typeOf(value).getShape());
      shape[0] = shape[0] * times / parts;
      return typeOf(value).clone(shape);
    });
  }

  SmallVector<Value> scatter(ArrayRef<Value> inputs) {
    return create({Kind::ReduceScatter, groups.node, stepKind()}, inputs,
                  scaledTypes(inputs, 1, groups.ranksPerNode));
  }

  SmallVector<Value> gather(ArrayRef<Value> inputs) {
    return create({Kind::AllGather, groups.node}, inputs,
                  scaledTypes(inputs, groups.ranksPerNode, 1));
  }

  /// What was gathered in the shape of the input, and divided where the mean was asked: once and
  /// last, as the runtime divides.
  Value finished(Value whole, RankedTensorType type) {
    if (typeOf(whole) != type)
      whole = factory.createFromRow(builder, op.getLoc(), whole, type);
    if (!whole || form.reduction != Reduction::Mean)
      return whole;
    auto ranks = builder.getFloatAttr(type.getElementType(), groups.ranksPerNode * groups.nodes);
    Value divisor =
        arith::ConstantOp::create(builder, op.getLoc(), DenseElementsAttr::get(type, ranks));
    return arith::DivFOp::create(builder, op.getLoc(), whole, divisor);
  }

  BucketOpInterface op;
  CommunicationForm form;
  const NodeGroups &groups;
  const CommunicationDialectInterface &factory;
  OpBuilder builder;
};

struct CollectiveHierarchy : communication::impl::CollectiveHierarchyPassBase<CollectiveHierarchy> {
  using CollectiveHierarchyPassBase::CollectiveHierarchyPassBase;

  void runOnOperation() override {
    SmallVector<BucketOpInterface> found;
    getOperation().walk([&](BucketOpInterface op) {
      if (isReductionOfBatch(op))
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
    groupsOf.clear();
    for (BucketOpInterface op : found)
      if (mayBeSplit(op, motion, *topology))
        splitOne(op, *topology);
    if (groupsOf.empty())
      markAllAnalysesPreserved();
  }

private:
  /// The groups of each dialect that has collectives to split; null where it has no such groups.
  llvm::DenseMap<Dialect *, std::optional<NodeGroups>> groupsOf;

  void splitOne(BucketOpInterface op, const Topology &topology) {
    auto [known, isNew] = groupsOf.try_emplace(op->getDialect());
    if (isNew)
      known->second = declareNodeGroups(getOperation(), topology, op);
    const std::optional<NodeGroups> &groups = known->second;
    int64_t bytes = *countBytes(op.getInputs().getTypes());
    Location place = op.getLoc();
    auto passed = remarkBy(getArgument(), op);
    if (!groups || failed(Split(op, *groups).rewrite())) {
      leave(op, "its dialect lacks the groups or the operations of the parts");
      return;
    }
    remark::passed(place, passed) << "all_reduce of " << std::to_string(bytes)
                                  << " bytes goes across nodes as parts of one in "
                                  << std::to_string(groups->ranksPerNode);
    ++split;
  }

  /// As sharded optimizers have them: what each rank gets is a part of its own of the world's.
  void remarkOnScattered() {
    getOperation().walk([&](CollectiveOpInterface op) {
      if (isKind(op, {CommunicationKind::ReduceScatter}) && isOfBatch(op))
        remark::missed(op.getLoc(), remarkBy(getArgument(), op))
            << "reduce_scatter stays flat: its parts are for all ranks, not for those of a node";
    });
  }

  void leaveAll(ArrayRef<BucketOpInterface> ops, const Topology &topology) {
    left += ops.size();
    BucketOpInterface op = ops.front();
    if (ranksPerNode > 0)
      mlir::emitWarning(getOperation().getLoc())
          << "hierarchy=" << ranksPerNode.getValue() << " has no effect: " << whyNone(topology);
    remark::missed(op.getLoc(), remarkBy(getArgument(), op))
        << "all_reduce stays flat, as all do: " << whyNone(topology);
  }

  static StringRef whyNone(const Topology &topology) {
    if (topology.nodes == 1)
      return "there is one node";
    return topology.parts == 1
               ? "there is one rank on each node"
               : "of the ranks that hold the same parts there is one on each node at most, so that "
                 "parts cross nodes as it is";
  }

  bool leave(BucketOpInterface op, const std::string &reason) {
    ++left;
    remark::missed(op.getLoc(), remarkBy(getArgument(), op)) << "all_reduce stays flat: " << reason;
    return false;
  }

  bool mayBeSplit(BucketOpInterface op, const CollectiveMotion &motion, const Topology &topology) {
    if (Refusal refusal = motion.whyStays(op))
      return leave(op, refusal.reason());
    if (isStartedApart(op))
      return leave(op, "it is asynchronous already; run collective-hierarchy before "
                       "collective-overlap");
    if (Refusal refusal =
            whyFlat(op.getInputs().getTypes(), *getForm(op)->reduction, topology, minBytes))
      return leave(op, refusal.reason());
    return true;
  }
};
} // namespace
