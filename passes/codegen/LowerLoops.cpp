// The pass lower-loops: Linalg on buffers becomes scf.for loops over flat arrays.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/codegen/Lanes.h"
#include "passes/codegen/LoopNest.h"
#include "passes/codegen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace tutti::codegen {
#define GEN_PASS_DEF_LOWERLOOPSPASS
#include "passes/codegen/Passes.h.inc"
} // namespace tutti::codegen

using namespace tutti::codegen;

namespace {

/// Writes the loops of one op.
class LoopWriter {
public:
  LoopWriter(linalg::LinalgOp op, const LoopNest &nest)
      : op(op), nest(nest), builder(op.getLoc(), op), inputs(op.getNumDpsInputs()),
        outputs(op.getNumDpsInits()), combiners(findLaneCombiners(op, nest)) {}

  void write() {
    for (OpOperand &operand : op->getOpOperands())
      arrays.push_back(flatten(operand));
    SmallVector<Value> positions;
    for ([[maybe_unused]] Value array : arrays)
      positions.push_back(index(0));
    writeLoops(0, positions, {});
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, value); }

  /// The operand as an array of one dimension that starts at the nest's lowest element.
  Value flatten(OpOperand &operand) {
    if (op.isScalar(&operand))
      return operand.get();
    auto type = cast<MemRefType>(operand.get().getType());
    unsigned number = operand.getOperandNumber();
    if (nest.isOffsetComputed[number])
      return flattenFromComputedOffset(operand);
    int64_t offset = nest.offsets[number];
    auto layout =
        offset ? StridedLayoutAttr::get(op.getContext(), offset, {1}) : StridedLayoutAttr();
    auto flat = offset ? MemRefType::get({nest.extents[number]}, type.getElementType(), layout)
                       : MemRefType::get({nest.extents[number]}, type.getElementType());
    if (flat == type)
      return operand.get();
    return memref::ReinterpretCastOp::create(builder, flat, operand.get(), offset,
                                             ArrayRef<int64_t>{nest.extents[number]},
                                             ArrayRef<int64_t>{1});
  }

  /// The same for a part of a buffer, as a rank's own, whose place is known when the program runs.
  Value flattenFromComputedOffset(OpOperand &operand) {
    unsigned number = operand.getOperandNumber();
    auto metadata = memref::ExtractStridedMetadataOp::create(builder, operand.get());
    Value offset = metadata.getOffset();
    if (nest.offsets[number])
      offset = arith::AddIOp::create(builder, offset, index(nest.offsets[number]));
    auto layout = StridedLayoutAttr::get(op.getContext(), ShapedType::kDynamic, {1});
    auto flat = MemRefType::get({nest.extents[number]},
                                getElementTypeOrSelf(operand.get().getType()), layout);
    OpFoldResult extent = builder.getIndexAttr(nest.extents[number]);
    OpFoldResult step = builder.getIndexAttr(1);
    return memref::ReinterpretCastOp::create(builder, flat, metadata.getBaseBuffer(),
                                             OpFoldResult(offset), ArrayRef(extent),
                                             ArrayRef(step));
  }

  /// The position of each operand after `induction` iterations of `loop`.
  SmallVector<Value> advance(const Loop &loop, ArrayRef<Value> positions, Value induction) {
    SmallVector<Value> advanced(positions);
    for (auto [position, stride] : llvm::zip_equal(advanced, loop.strides)) {
      if (stride == 0)
        continue;
      Value distance = distanceOf(loop, induction, stride);
      bool atStart = isConstantZero(position);
      position = atStart ? distance : arith::AddIOp::create(builder, position, distance);
    }
    return advanced;
  }

  /// How far from the lowest element of `loop` an operand is.
  Value distanceOf(const Loop &loop, Value induction, int64_t stride) {
    if (stride < 0)
      induction = arith::SubIOp::create(builder, index(loop.size - 1), induction);
    int64_t step = std::abs(stride);
    return step == 1 ? induction : arith::MulIOp::create(builder, induction, index(step));
  }

  static bool isConstantZero(Value value) {
    auto constant = value.getDefiningOp<arith::ConstantIndexOp>();
    return constant && constant.value() == 0;
  }

  SmallVector<Value> loadOutputs(ArrayRef<Value> positions) {
    SmallVector<Value> values;
    for (unsigned output = inputs; output < inputs + outputs; ++output)
      values.push_back(memref::LoadOp::create(builder, arrays[output], positions[output]));
    return values;
  }

  void storeOutputs(ValueRange values, ArrayRef<Value> positions) {
    for (auto [output, value] : llvm::enumerate(values))
      memref::StoreOp::create(builder, value, arrays[inputs + output], positions[inputs + output]);
  }

  /// Builds the loops from `depth` inward. Outside the reductions nothing is carried and the result
  /// is empty; inside them `carried` holds the accumulators and the result their new values.
  SmallVector<Value> writeLoops(unsigned depth, ArrayRef<Value> positions, ValueRange carried) {
    unsigned firstAccumulating = nest.loops.size() - nest.accumulating;
    if (depth == firstAccumulating && carried.empty()) {
      SmallVector<Value> accumulators =
          nest.accumulating ? loadOutputs(positions) : SmallVector<Value>();
      storeOutputs(writeInside(depth, positions, accumulators), positions);
      return {};
    }
    return writeInside(depth, positions, carried);
  }

  SmallVector<Value> writeInside(unsigned depth, ArrayRef<Value> positions, ValueRange carried) {
    if (depth == nest.loops.size())
      return writeBody(positions, carried);
    int64_t begin = 0;
    SmallVector<Value> joined(carried);
    if (depth + 1 == nest.loops.size() && !combiners.empty()) {
      begin = llvm::alignDown(nest.loops[depth].size, kLanes);
      joined = writeLanes(begin, positions, carried);
    }
    return writeLoop(
        depth, begin, nest.loops[depth].size, 1, joined, [&](Value induction, ValueRange inside) {
          return writeLoops(depth + 1, advance(nest.loops[depth], positions, induction), inside);
        });
  }

  /// The innermost loop up to `end`, in lanes, joined with `carried`.
  SmallVector<Value> writeLanes(int64_t end, ArrayRef<Value> positions, ValueRange carried) {
    SmallVector<Value> lanes = writeLoop(
        nest.loops.size() - 1, 0, end, kLanes, createNeutralLanes(builder, combiners),
        [&](Value induction, ValueRange inside) {
          return writeBodyInLanes(advance(nest.loops.back(), positions, induction), inside);
        });
    return llvm::map_to_vector(llvm::zip_equal(combiners, carried, lanes), [&](auto result) {
      auto [combiner, start, vector] = result;
      return joinLanes(builder, combiner, start, vector);
    });
  }

  /// One scf.for of the nest's loop `depth`, unless it has no iteration; gives its results.
  SmallVector<Value>
  writeLoop(unsigned depth, int64_t begin, int64_t end, int64_t step, ValueRange carried,
            llvm::function_ref<SmallVector<Value>(Value, ValueRange)> writeIteration) {
    if (begin == end && begin > 0) // lanes have taken all
      return carried;
    auto loop = scf::ForOp::create(builder, index(begin), index(end), index(step), carried);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    if (nest.loops[depth].indexedDimension)
      indices[*nest.loops[depth].indexedDimension] = loop.getInductionVar();
    SmallVector<Value> results = writeIteration(loop.getInductionVar(), loop.getRegionIterArgs());
    if (!carried.empty())
      scf::YieldOp::create(builder, results);
    return llvm::to_vector_of<Value>(loop.getResults());
  }

  Value loadInput(unsigned number, Value position) {
    if (op.isScalar(&op->getOpOperand(number)))
      return arrays[number];
    return memref::LoadOp::create(builder, arrays[number], position);
  }

  SmallVector<Value> mapYielded(const IRMapping &mapping) {
    return llvm::map_to_vector(op.getBlock()->getTerminator()->getOperands(),
                               [&](Value value) { return mapping.lookupOrDefault(value); });
  }

  /// The body for one point. Without accumulators, outputs that the body reads are loaded.
  SmallVector<Value> writeBody(ArrayRef<Value> positions, ValueRange carried) {
    Block &body = *op.getBlock();
    IRMapping mapping;
    for (unsigned number = 0; number < inputs + outputs; ++number) {
      BlockArgument argument = body.getArgument(number);
      if (number >= inputs && !carried.empty())
        mapping.map(argument, carried[number - inputs]);
      else if (!argument.use_empty())
        mapping.map(argument, loadInput(number, positions[number]));
    }
    for (Operation &inner : body.without_terminator()) {
      if (auto indexOp = dyn_cast<linalg::IndexOp>(inner))
        mapping.map(indexOp.getResult(), indices.lookup(indexOp.getDim()));
      else
        builder.clone(inner, mapping);
    }
    return mapYielded(mapping);
  }

  /// The body for kLanes neighbouring points of the innermost loop.
  SmallVector<Value> writeBodyInLanes(ArrayRef<Value> positions, ValueRange carried) {
    Block &body = *op.getBlock();
    const Loop &innermost = nest.loops.back();
    IRMapping mapping;
    for (unsigned number = 0; number < inputs; ++number)
      if (BlockArgument argument = body.getArgument(number); !argument.use_empty())
        mapping.map(argument, innermost.strides[number] == 0
                                  ? loadInput(number, positions[number])
                                  : loadLanes(builder, arrays[number], positions[number]));
    mapping.map(body.getArguments().drop_front(inputs), carried);
    for (Operation &inner : body.without_terminator()) {
      if (auto indexOp = dyn_cast<linalg::IndexOp>(inner)) {
        Value number = indices.lookup(indexOp.getDim());
        bool isInnermost = innermost.indexedDimension == std::optional<int64_t>(indexOp.getDim());
        mapping.map(indexOp.getResult(), isInnermost ? countLanes(builder, number) : number);
      } else {
        cloneInLanes(builder, inner, mapping);
      }
    }
    return mapYielded(mapping);
  }

  linalg::LinalgOp op;
  const LoopNest &nest;
  ImplicitLocOpBuilder builder;
  unsigned inputs, outputs;
  SmallVector<Operation *> combiners; // empty: the innermost loop goes element by element
  SmallVector<Value> arrays;
  llvm::DenseMap<int64_t, Value> indices;
};

/// Whether the elements lie one after the other, so that a copy is one of plain memory.
static bool isDense(Type buffer) {
  auto type = cast<MemRefType>(buffer);
  return !type.hasStaticShape() || type.getNumElements() == 0 || type.getLayout().isIdentity() ||
         memref::isStaticShapeAndContiguousRowMajor(type);
}

/// Of a buffer with gaps the copy is a nest: otherwise it would be a call of MLIR's own library.
static void writeCopiesWithGaps(func::FuncOp function) {
  function.walk([](memref::CopyOp copy) {
    if (isDense(copy.getSource().getType()) && isDense(copy.getTarget().getType()))
      return;
    OpBuilder builder(copy);
    linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(), copy.getTarget());
    copy.erase();
  });
}

struct LowerLoopsPass : tutti::codegen::impl::LowerLoopsPassBase<LowerLoopsPass> {
  void runOnOperation() override {
    writeCopiesWithGaps(getOperation());
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops)
      if (failed(lower(op, rewriter)))
        return signalPassFailure();
  }

  static LogicalResult lower(linalg::LinalgOp op, IRRewriter &rewriter) {
    if (!isa<linalg::GenericOp>(op)) {
      rewriter.setInsertionPoint(op);
      // Every op with this interface but linalg.generic has a generic form.
      op = cast<linalg::LinalgOp>(linalg::generalizeNamedOp(rewriter, op)->getOperation());
    }
    FailureOr<LoopNest> nest = describeLoops(op);
    if (failed(nest))
      return failure();
    LoopWriter(op, *nest).write();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace
