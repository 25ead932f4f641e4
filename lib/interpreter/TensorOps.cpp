// Operations of arith, linalg and tensor on whole tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/interpreter/Interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tutti::interpreter;

static LogicalResult runConstant(Machine &machine, Operation *op) {
  auto constant = cast<arith::ConstantOp>(op);
  if (auto elements = dyn_cast<ElementsAttr>(constant.getValue())) {
    TensorRef tensor = machine.program.constantOf(op, elements);
    if (!tensor)
      return emitError(op->getLoc())
             << "a constant of type " << constant.getType() << " has no interpreter";
    machine.set(constant.getResult(), tensor);
    return success();
  }
  machine.set(constant.getResult(), makeScalar(elementOf(constant.getValue())));
  return success();
}

static LogicalResult runEmpty(Machine &machine, Operation *op) {
  machine.set(op->getResult(0), Tensor(shapeOf(op->getResult(0))));
  return success();
}

/// The same elements in another shape.
static LogicalResult runReshape(Machine &machine, Operation *op) {
  TensorRef from = machine.get(op->getOperand(0));
  machine.set(op->getResult(0), Tensor(shapeOf(op->getResult(0)), from->elements));
  return success();
}

static LogicalResult runSame(Machine &machine, Operation *op) {
  machine.set(op->getResult(0), machine.get(op->getOperand(0)));
  return success();
}

static SmallVector<int64_t> numbersOf(Machine &machine, ArrayRef<OpFoldResult> mixed) {
  return llvm::map_to_vector(mixed, [&](OpFoldResult entry) {
    if (std::optional<int64_t> constant = getConstantIntValue(entry))
      return *constant;
    return machine.getIndex(cast<Value>(entry));
  });
}

/// The place of a slice; its start is brought into the tensor, as where indices are data.
struct Slice {
  template <typename Op>
  Slice(Machine &machine, Op op)
      : offsets(numbersOf(machine, op.getMixedOffsets())),
        sizes(numbersOf(machine, op.getMixedSizes())),
        strides(numbersOf(machine, op.getMixedStrides())) {}
  bool isWithin(ArrayRef<int64_t> shape) const {
    for (auto [i, size] : llvm::enumerate(shape))
      if (sizes[i] > 0 && (offsets[i] < 0 || offsets[i] + (sizes[i] - 1) * strides[i] >= size))
        return false;
    return true;
  }
  SmallVector<int64_t> offsets, sizes, strides;
};

static LogicalResult failBeyond(Operation *op) {
  return emitError(op->getLoc()) << "'" << op->getName() << "' reaches beyond its tensor";
}

static LogicalResult runExtractSlice(Machine &machine, Operation *op) {
  auto extract = cast<tensor::ExtractSliceOp>(op);
  TensorRef whole = machine.get(extract.getSource());
  Slice slice(machine, extract);
  if (!slice.isWithin(whole->shape))
    return failBeyond(op);
  Tensor part = extractPart(*whole, slice.offsets, slice.sizes, slice.strides);
  part.shape.assign(extract.getType().getShape());
  machine.set(extract.getResult(), std::move(part));
  return success();
}

static LogicalResult runInsertSlice(Machine &machine, Operation *op) {
  auto insert = cast<tensor::InsertSliceOp>(op);
  Tensor whole = *machine.get(insert.getDest());
  Slice slice(machine, insert);
  if (!slice.isWithin(whole.shape))
    return failBeyond(op);
  insertPart(*machine.get(insert.getSource()), whole, slice.offsets, slice.sizes, slice.strides);
  machine.set(insert.getResult(), std::move(whole));
  return success();
}

static LogicalResult runConcat(Machine &machine, Operation *op) {
  auto concat = cast<tensor::ConcatOp>(op);
  auto parts =
      llvm::map_to_vector(concat.getInputs(), [&](Value part) { return machine.get(part); });
  machine.set(concat.getResult(), joinAlong(parts, concat.getDim()));
  return success();
}

static LogicalResult runFromElements(Machine &machine, Operation *op) {
  Tensor tensor(shapeOf(op->getResult(0)));
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    tensor.elements[i] = machine.get(operand)->elements.front();
  machine.set(op->getResult(0), std::move(tensor));
  return success();
}

static LogicalResult runExtract(Machine &machine, Operation *op) {
  auto extract = cast<tensor::ExtractOp>(op);
  TensorRef tensor = machine.get(extract.getTensor());
  int64_t place = 0;
  for (auto [index, size] : llvm::zip_equal(extract.getIndices(), tensor->shape)) {
    int64_t at = machine.getIndex(index);
    if (at < 0 || at >= size)
      return failBeyond(op);
    place = place * size + at;
  }
  machine.set(extract.getResult(), makeScalar(tensor->elements[place]));
  return success();
}

static LogicalResult runDim(Machine &machine, Operation *op) {
  int64_t dimension = machine.getIndex(op->getOperand(1));
  machine.set(op->getResult(0), makeScalar(machine.get(op->getOperand(0))->shape[dimension]));
  return success();
}

static LogicalResult runSplat(Machine &machine, Operation *op) {
  Tensor tensor(shapeOf(op->getResult(0)));
  llvm::fill(tensor.elements, machine.get(op->getOperand(0))->elements.front());
  machine.set(op->getResult(0), std::move(tensor));
  return success();
}

void tutti::interpreter::addTensorOps(HandlerTable &table) {
  table["arith.constant"] = runConstant;
  table["tensor.empty"] = runEmpty;
  table["tensor.expand_shape"] = runReshape;
  table["tensor.collapse_shape"] = runReshape;
  table["tensor.reshape"] = runReshape;
  table["tensor.cast"] = runSame;
  table["tensor.extract_slice"] = runExtractSlice;
  table["tensor.insert_slice"] = runInsertSlice;
  table["tensor.concat"] = runConcat;
  table["tensor.from_elements"] = runFromElements;
  table["tensor.extract"] = runExtract;
  table["tensor.dim"] = runDim;
  table["tensor.splat"] = runSplat;
}

//===----------------------------------------------------------------------===//
// Loops over elements
//===----------------------------------------------------------------------===//

namespace {
/// Where a loop reads or writes a tensor: `start`, and how far each dimension of the loop moves it.
struct Access {
  int64_t start = 0;
  SmallVector<int64_t> steps;
};
} // namespace

/// Of a map whose results are sums of dimensions with constant factors; nothing for others.
static std::optional<Access> accessOf(AffineMap map, ArrayRef<int64_t> shape) {
  Access access;
  SmallVector<int64_t> strides = stridesOf(shape);
  for (AffineExpr result : map.getResults())
    if (!result.isPureAffine() || result
                                      .walk([](AffineExpr e) {
                                        return e.getKind() == AffineExprKind::Mod ||
                                                       e.getKind() == AffineExprKind::FloorDiv ||
                                                       e.getKind() == AffineExprKind::CeilDiv
                                                   ? WalkResult::interrupt()
                                                   : WalkResult::advance();
                                      })
                                      .wasInterrupted())
      return std::nullopt;
  auto placeAt = [&](ArrayRef<int64_t> point) {
    int64_t place = 0;
    for (auto [index, stride] : llvm::zip_equal(map.compose(point), strides))
      place += index * stride;
    return place;
  };
  SmallVector<int64_t> point(map.getNumDims(), 0);
  access.start = placeAt(point);
  for (int64_t &coordinate : point) {
    coordinate = 1;
    access.steps.push_back(placeAt(point) - access.start);
    coordinate = 0;
  }
  return access;
}

namespace {
/// One run of a Linalg operation.
class LoopRun {
public:
  LoopRun(Machine &machine, linalg::LinalgOp op) : machine(machine), op(op) {}

  LogicalResult run() {
    body = machine.program.bodyOf(op, *op.getBlock());
    if (!body || failed(findAccesses()))
      return failure();
    registers = body->registers();
    for (const ScalarBody::Capture &capture : body->captures)
      registers[capture.reg] = machine.get(capture.value)->elements.front();
    for (OpOperand &output : op.getDpsInitsMutable())
      results.push_back(*machine.get(output.get()));
    for (auto [k, operand] : llvm::enumerate(op->getOperands()))
      data.push_back(k < firstOutput ? machine.get(operand)->elements.data() : nullptr);
    for (auto [k, result] : llvm::enumerate(results))
      data[firstOutput + k] = result.elements.data();
    visitPoints();
    for (auto [result, tensor] : llvm::zip(op->getResults(), results))
      machine.set(result, std::move(tensor));
    return success();
  }

private:
  LogicalResult findAccesses() {
    firstOutput = op.getNumDpsInputs();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    sizes = op.getStaticLoopRanges();
    for (auto [operand, map] : llvm::zip_equal(op->getOperands(), maps)) {
      std::optional<Access> access = accessOf(map, machine.get(operand)->shape);
      if (!access)
        return emitError(op.getLoc()) << "'" << op->getName()
                                      << "' reads along something else than sums of its indices, "
                                         "which has no interpreter";
      accesses.push_back(*access);
      places.push_back(access->start);
    }
    return success();
  }

  void visitPoints() {
    int64_t count = Tensor::countElements(sizes);
    SmallVector<int64_t> index(sizes.size(), 0);
    for (int64_t point = 0; point < count; ++point) {
      visitPoint(index);
      advance(index);
    }
  }

  void visitPoint(ArrayRef<int64_t> index) {
    for (const ScalarBody::Capture &use : body->indices)
      registers[use.reg] = index[use.dimension];
    for (size_t k = 0; k < data.size(); ++k)
      registers[k] = data[k][places[k]];
    body->run(registers);
    for (size_t k = 0; k < results.size(); ++k)
      results[k].elements[places[firstOutput + k]] = registers[body->yields[k]];
  }

  void advance(SmallVectorImpl<int64_t> &index) {
    for (int64_t d = int64_t(sizes.size()) - 1; d >= 0; --d) {
      for (size_t k = 0; k < places.size(); ++k)
        places[k] += accesses[k].steps[d];
      if (++index[d] < sizes[d])
        return;
      for (size_t k = 0; k < places.size(); ++k)
        places[k] -= accesses[k].steps[d] * sizes[d];
      index[d] = 0;
    }
  }

  Machine &machine;
  linalg::LinalgOp op;
  const ScalarBody *body = nullptr;
  unsigned firstOutput = 0;
  SmallVector<int64_t> sizes, places;
  SmallVector<Access> accesses;
  SmallVector<const uint64_t *> data;
  SmallVector<Tensor> results;
  std::vector<uint64_t> registers;
};
} // namespace

LogicalResult tutti::interpreter::runLinalg(Machine &machine, Operation *op) {
  return LoopRun(machine, cast<linalg::LinalgOp>(op)).run();
}
