// Collectives and messages on buffers as calls of the runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/codegen/CallPattern.h"
#include "passes/memory/BucketLayout.h"

#include "dialects/collective/Collective.h"
#include "lib/program/plan/Plan.h"
#include "tutti/types.h"

using namespace mlir;
using namespace tutti::collective;
using namespace tutti::program;
using tutti::program::numberOfType;

namespace tutti::codegen {

namespace {

/// What all communication tells the runtime.
template <typename Op> struct CommunicationPattern : CallPattern<Op> {
  using CallPattern<Op>::CallPattern;
  using OpAdaptor = typename Op::Adaptor;

  /// Writes the calls of `op`; the first of them is entry `entry` of the plan.
  virtual LogicalResult writeCalls(Op op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter,
                                   int64_t entry) const = 0;

  /// Between begin and end of a future, if it has one.
  LogicalResult matchAndRewrite(Op op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto future = op->template getAttrOfType<IntegerAttr>(kFuture);
    if (future && failed(this->calls.call(rewriter, loc, "tutti_async_begin",
                                          this->i64(rewriter, loc, future.getInt()))))
      return failure();
    int64_t entry = op->template getAttrOfType<IntegerAttr>(kPlanEntry).getInt();
    if (failed(writeCalls(op, adaptor, rewriter, entry)) ||
        (future && failed(this->calls.call(rewriter, loc, "tutti_async_end", {}))))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }

  /// The first arguments of every call: the entry of the plan and the group.
  SmallVector<Value> head(Op op, OpBuilder &builder, int64_t entry) const {
    Location loc = op.getLoc();
    return {this->i64(builder, loc, entry),
            this->i64(builder, loc, this->calls.group(op.getGroupAttr()).number)};
  }

  static int64_t sizeOf(Value buffer) {
    return cast<MemRefType>(buffer.getType()).getNumElements();
  }
};

/// The function of a collective, and its parameters between the group and the element type.
struct Entry {
  StringRef callee;
  SmallVector<int32_t, 2> parameters;
};

static_assert(uint32_t(ReductionKind::sum) == TUTTI_SUM &&
              uint32_t(ReductionKind::mean) == TUTTI_MEAN &&
              uint32_t(ReductionKind::min) == TUTTI_MIN &&
              uint32_t(ReductionKind::max) == TUTTI_MAX &&
              uint32_t(ReductionKind::prod) == TUTTI_PROD);

int32_t i32Of(ReductionKind kind) { return static_cast<int32_t>(kind); }
int32_t i32Of(uint64_t root) { return static_cast<int32_t>(root); }

Entry entryOf(AllReduceOp op) { return {"tutti_all_reduce", {i32Of(op.getReduction())}}; }
Entry entryOf(ReduceScatterOp op) { return {"tutti_reduce_scatter", {i32Of(op.getReduction())}}; }
Entry entryOf(ReduceOp op) {
  return {"tutti_reduce", {i32Of(op.getReduction()), i32Of(op.getRoot())}};
}
Entry entryOf(BroadcastOp op) { return {"tutti_broadcast", {i32Of(op.getRoot())}}; }
Entry entryOf(AllGatherOp) { return {"tutti_all_gather", {}}; }
Entry entryOf(GatherOp op) { return {"tutti_gather", {i32Of(op.getRoot())}}; }
Entry entryOf(ScatterOp op) { return {"tutti_scatter", {i32Of(op.getRoot())}}; }
Entry entryOf(AllToAllOp) { return {"tutti_all_to_all", {}}; }

/// A bucket: one call for each element type.
template <typename Op> struct ConvertBucket : CommunicationPattern<Op> {
  using CommunicationPattern<Op>::CommunicationPattern;
  using OpAdaptor = typename Op::Adaptor;

  LogicalResult writeCalls(Op op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter,
                           int64_t entry) const override {
    Location loc = op.getLoc();
    auto sources = this->addresses(rewriter, loc, op.getInputs().getTypes(), adaptor.getInputs());
    auto destinations =
        this->addresses(rewriter, loc, op.getDestinations().getTypes(), adaptor.getDestinations());
    auto types =
        llvm::map_to_vector(op.getInputs(), [](Value v) { return getElementTypeOrSelf(v); });
    for (ArrayRef<unsigned> positions : program::splitByType(types))
      if (failed(callFor(op, rewriter, positions, sources, destinations, entry++)))
        return failure();
    return success();
  }

  /// The runtime counts the elements of one rank's part: the smaller of input and destination, or
  /// what goes to one rank where both hold parts for all ranks.
  FailureOr<int64_t> elementsOf(Op op, unsigned position) const {
    int64_t smaller = std::min(this->sizeOf(op.getInputs()[position]),
                               this->sizeOf(op.getDestinations()[position]));
    if (!isa<AllToAllOp>(op))
      return smaller;
    std::optional<int64_t> ranks = this->calls.group(op.getGroupAttr()).size;
    if (!ranks)
      return op.emitOpError("cannot be compiled: the size of ")
             << op.getGroupAttr() << " is not known";
    return smaller / *ranks;
  }

  /// Positions of inputs, by buffer of the runtime: contiguous inputs share one buffer.
  static SmallVector<SmallVector<unsigned>> joinAdjacent(Op op, ArrayRef<unsigned> positions) {
    SmallVector<SmallVector<unsigned>> buffers;
    llvm::SmallDenseSet<unsigned> joined;
    if (auto row = op->template getAttrOfType<DenseI64ArrayAttr>(memory::kAdjacent)) {
      buffers.emplace_back(row.asArrayRef().begin(), row.asArrayRef().end());
      joined.insert(buffers.back().begin(), buffers.back().end());
    }
    for (unsigned position : positions)
      if (!joined.contains(position))
        buffers.push_back({position});
    return buffers;
  }

  LogicalResult callFor(Op op, OpBuilder &builder, ArrayRef<unsigned> positions,
                        ArrayRef<Value> sources, ArrayRef<Value> destinations,
                        int64_t entry) const {
    Location loc = op.getLoc();
    SmallVector<Value> from, to;
    SmallVector<int64_t> elements;
    for (ArrayRef<unsigned> buffer : joinAdjacent(op, positions)) {
      from.push_back(sources[buffer.front()]);
      to.push_back(destinations[buffer.front()]);
      elements.push_back(0);
      for (unsigned position : buffer) {
        FailureOr<int64_t> count = elementsOf(op, position);
        if (failed(count))
          return failure();
        elements.back() += *count;
      }
    }
    Type type = getElementTypeOrSelf(op.getInputs()[positions.front()]);
    Entry called = entryOf(op);
    SmallVector<Value> arguments = this->head(op, builder, entry);
    for (int32_t parameter : called.parameters)
      arguments.push_back(this->i32(builder, loc, parameter));
    llvm::append_values(arguments, this->i32(builder, loc, numberOfType(type)),
                        this->i64(builder, loc, elements.size()),
                        this->calls.pointerArray(builder, loc, from),
                        this->calls.pointerArray(builder, loc, to),
                        this->calls.constantArray(builder, loc, elements));
    return this->calls.call(builder, loc, called.callee, arguments);
  }
};

/// An exchange of rows.
template <typename Op> struct ConvertRows : CommunicationPattern<Op> {
  using CommunicationPattern<Op>::CommunicationPattern;
  using OpAdaptor = typename Op::Adaptor;

  static StringRef callee(AllToAllVOp) { return "tutti_all_to_all_v"; }
  static StringRef callee(AllToAllVCOp) { return "tutti_all_to_all_vc"; }

  LogicalResult writeCalls(Op op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter,
                           int64_t entry) const override {
    Location loc = op.getLoc();
    auto data = cast<MemRefType>(op.getData().getType());
    auto init = cast<MemRefType>(op.getInit().getType());
    SmallVector<Value> pointers =
        this->addresses(rewriter, loc, op->getOperandTypes(), adaptor.getOperands());
    int64_t rowElements = 1;
    for (int64_t extent : data.getShape().drop_front())
      rowElements *= extent;
    SmallVector<Value> arguments = this->head(op, rewriter, entry);
    llvm::append_values(arguments, this->i32(rewriter, loc, numberOfType(data.getElementType())),
                        this->i64(rewriter, loc, rowElements), pointers[0],
                        this->i64(rewriter, loc, data.getDimSize(0)), pointers[1],
                        this->i64(rewriter, loc, init.getDimSize(0)));
    llvm::append_range(arguments, ArrayRef(pointers).drop_front(2));
    return this->calls.call(rewriter, loc, callee(op), arguments);
  }
};

/// send and recv: one call for each element type.
template <typename Op> struct ConvertMessage : CommunicationPattern<Op> {
  using CommunicationPattern<Op>::CommunicationPattern;
  using OpAdaptor = typename Op::Adaptor;

  static ValueRange converted(SendOp::Adaptor adaptor) { return adaptor.getInputs(); }
  static ValueRange converted(RecvOp::Adaptor adaptor) { return adaptor.getDestinations(); }
  static StringRef callee(SendOp) { return "tutti_send"; }
  static StringRef callee(RecvOp) { return "tutti_recv"; }

  LogicalResult writeCalls(Op op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter,
                           int64_t entry) const override {
    Location loc = op.getLoc();
    SmallVector<Value> payload = program::payloadOf(op);
    auto pointers =
        this->addresses(rewriter, loc, ValueRange(payload).getTypes(), converted(adaptor));
    auto types = llvm::map_to_vector(payload, [](Value v) { return getElementTypeOrSelf(v); });
    Value peer = LLVM::TruncOp::create(rewriter, loc, rewriter.getI32Type(), adaptor.getPeer());
    for (ArrayRef<unsigned> positions : program::splitByType(types)) {
      SmallVector<Value> buffers;
      SmallVector<int64_t> elements;
      for (unsigned position : positions) {
        buffers.push_back(pointers[position]);
        elements.push_back(this->sizeOf(payload[position]));
      }
      SmallVector<Value> arguments = this->head(op, rewriter, entry++);
      llvm::append_values(arguments, peer, this->i64(rewriter, loc, op.getTag()),
                          this->i32(rewriter, loc, numberOfType(types[positions.front()])),
                          this->i64(rewriter, loc, positions.size()),
                          this->calls.pointerArray(rewriter, loc, buffers),
                          this->calls.constantArray(rewriter, loc, elements));
      if (failed(this->calls.call(rewriter, loc, callee(op), arguments)))
        return failure();
    }
    return success();
  }
};

/// Those that move no data.
template <typename Op> struct ConvertSignal : CommunicationPattern<Op> {
  using CommunicationPattern<Op>::CommunicationPattern;
  using OpAdaptor = typename Op::Adaptor;

  static StringRef callee(BarrierOp) { return "tutti_barrier"; }
  static StringRef callee(DestroyGroupOp) { return "tutti_destroy_group"; }
  static StringRef callee(CreateGroupOp) { return "tutti_create_group"; }

  LogicalResult writeCalls(Op op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter,
                           int64_t entry) const override {
    SmallVector<Value> arguments = this->head(op, rewriter, entry);
    if (isa<CreateGroupOp>(op)) // its operands are the ranks
      llvm::append_values(arguments, this->i64(rewriter, op.getLoc(), op->getNumOperands()),
                          this->calls.stackArray(rewriter, op.getLoc(), rewriter.getI64Type(),
                                                 adaptor.getOperands()));
    return this->calls.call(rewriter, op.getLoc(), callee(op), arguments);
  }
};

struct ConvertComplete : CallPattern<CompleteOp> {
  using CallPattern::CallPattern;
  LogicalResult matchAndRewrite(CompleteOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value future = i64(rewriter, op.getLoc(), op.getFuture());
    if (failed(calls.call(rewriter, op.getLoc(), "tutti_await", future)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateCollectiveCallPatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns,
                                    RuntimeCalls &calls) {
  patterns.add<ConvertBucket<AllReduceOp>, ConvertBucket<ReduceOp>, ConvertBucket<ReduceScatterOp>,
               ConvertBucket<BroadcastOp>, ConvertBucket<AllGatherOp>, ConvertBucket<GatherOp>,
               ConvertBucket<ScatterOp>, ConvertBucket<AllToAllOp>, ConvertRows<AllToAllVOp>,
               ConvertRows<AllToAllVCOp>, ConvertMessage<SendOp>, ConvertMessage<RecvOp>,
               ConvertSignal<BarrierOp>, ConvertSignal<CreateGroupOp>,
               ConvertSignal<DestroyGroupOp>, ConvertComplete>(converter, calls);
}

} // namespace tutti::codegen
