// What calls of the runtime's kernels compute.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/interpreter/Interpreter.h"
#include "lib/interpreter/Windows.h"

#include "dialects/kernel/Kernel.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::interpreter;
using namespace tutti::interpreter::field;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
/// A matrix within a tensor, perhaps transposed.
struct Matrix {
  Number at(int64_t row, int64_t column) const {
    return first[isTransposed ? column * rows + row : row * columns + column];
  }
  const Number *first;
  int64_t rows, columns;
  bool isTransposed;
};
} // namespace

static Number rowTimesColumn(const Matrix &a, const Matrix &b, int64_t row, int64_t column) {
  Number sum = 0;
  for (int64_t i = 0; i < a.columns; ++i)
    sum = add(sum, mul(a.at(row, i), b.at(i, column)));
  return sum;
}

static LogicalResult runMatmul(Machine &machine, Operation *op) {
  auto product = cast<kernel::MatmulOp>(op);
  TensorRef a = machine.get(product.getInputs()[0]), b = machine.get(product.getInputs()[1]);
  Tensor result = *machine.get(product.getOutputs()[0]);
  int64_t m = product.getM(), n = product.getN(), k = product.getK();
  Number alpha = fromFloat(product.getAlpha()), *to = result.elements.data();
  for (int64_t batch = 0, count = product.getBatch(); batch < count; ++batch) {
    Matrix left{a->elements.data() + batch * int64_t(product.getStrideA()), m, k,
                product.getTransposeA()};
    Matrix right{b->elements.data() + batch * int64_t(product.getStrideB()), k, n,
                 product.getTransposeB()};
    for (int64_t row = 0; row < m; ++row)
      for (int64_t column = 0; column < n; ++column, ++to) {
        Number value = mul(alpha, rowTimesColumn(left, right, row, column));
        *to = product.getAccumulate() ? add(*to, value) : value;
      }
  }
  machine.set(product.getResult(0), std::move(result));
  return success();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

template <typename Op> static Windows windowsOf(Op op, Value data, Value result) {
  return Windows(shapeOf(data).drop_front(2), shapeOf(result).drop_front(2), op.getKernel(),
                 op.getStrides(), op.getPadsBegin(), op.getDilations());
}

static LogicalResult runConvolution(Machine &machine, Operation *op) {
  auto convolution = cast<kernel::ConvolutionOp>(op);
  ValueRange in = convolution.getInputs();
  Value out = convolution.getOutputs()[0];
  Tensor result(shapeOf(out));
  if (in.size() == 3) {
    TensorRef bias = machine.get(in[2]);
    int64_t channels = result.shape[1], spatial = result.size() / result.shape[0] / channels;
    for (int64_t i = 0; i < result.size(); ++i)
      result.elements[i] = bias->elements[i / spatial % channels];
  }
  ConvolutionShape shape(shapeOf(in[0]), shapeOf(out), convolution.getGroup(),
                         windowsOf(convolution, in[0], out));
  TensorRef data = machine.get(in[0]), weights = machine.get(in[1]);
  shape.visit([&](int64_t y, int64_t x, int64_t w) {
    result.elements[y] = add(result.elements[y], mul(data->elements[x], weights->elements[w]));
  });
  machine.set(op->getResult(0), std::move(result));
  return success();
}

static LogicalResult runConvolutionOfData(Machine &machine, Operation *op) {
  auto gradient = cast<kernel::ConvolutionBackwardDataOp>(op);
  Value dy = gradient.getInputs()[0], dx = gradient.getOutputs()[0];
  Tensor result(shapeOf(dx));
  ConvolutionShape shape(shapeOf(dx), shapeOf(dy), gradient.getGroup(),
                         windowsOf(gradient, dx, dy));
  TensorRef given = machine.get(dy), weights = machine.get(gradient.getInputs()[1]);
  shape.visit([&](int64_t y, int64_t x, int64_t w) {
    result.elements[x] = add(result.elements[x], mul(given->elements[y], weights->elements[w]));
  });
  machine.set(op->getResult(0), std::move(result));
  return success();
}

static LogicalResult runConvolutionOfWeights(Machine &machine, Operation *op) {
  auto gradient = cast<kernel::ConvolutionBackwardWeightsOp>(op);
  Value dy = gradient.getInputs()[0], x = gradient.getInputs()[1];
  Tensor result(shapeOf(gradient.getOutputs()[0]));
  ConvolutionShape shape(shapeOf(x), shapeOf(dy), gradient.getGroup(), windowsOf(gradient, x, dy));
  TensorRef given = machine.get(dy), data = machine.get(x);
  shape.visit([&](int64_t y, int64_t place, int64_t w) {
    result.elements[w] = add(result.elements[w], mul(given->elements[y], data->elements[place]));
  });
  machine.set(op->getResult(0), std::move(result));
  return success();
}

static LogicalResult runPool(Machine &machine, Operation *op) {
  auto pool = cast<kernel::PoolOp>(op);
  TensorRef data = machine.get(pool.getInputs()[0]);
  Tensor result(shapeOf(pool.getOutputs()[0]));
  Windows windows = windowsOf(pool, pool.getInputs()[0], pool.getOutputs()[0]);
  int64_t planes = result.size() / std::max<int64_t>(windows.outputs, 1);
  for (int64_t plane = 0; plane < planes; ++plane)
    for (int64_t out = 0; out < windows.outputs; ++out) {
      const uint64_t *in = data->elements.data() + plane * windows.inputs;
      uint64_t &y = result.elements[plane * windows.outputs + out];
      if (pool.getKind() == kernel::PoolKind::Max) {
        std::optional<int64_t> place = windows.findLargest(out, in);
        y = place ? in[*place] : kMinusInfinity;
      } else {
        Number sum = 0;
        for (const Windows::Contact &contact : windows.contactsOf(out))
          sum = add(sum, in[contact.input]);
        y = divide(sum, windows.divisor(out, pool.getKind() == kernel::PoolKind::Average));
      }
    }
  machine.set(op->getResult(0), std::move(result));
  return success();
}

static LogicalResult runPoolBackward(Machine &machine, Operation *op) {
  auto pool = cast<kernel::PoolBackwardOp>(op);
  Value dy = pool.getInputs()[0], x = pool.getInputs()[1];
  TensorRef given = machine.get(dy), data = machine.get(x);
  Tensor result(shapeOf(pool.getOutputs()[0]));
  Windows windows = windowsOf(pool, x, dy);
  int64_t planes = given->size() / std::max<int64_t>(windows.outputs, 1);
  for (int64_t plane = 0; plane < planes; ++plane)
    for (int64_t out = 0; out < windows.outputs; ++out) {
      Number gradient = given->elements[plane * windows.outputs + out];
      uint64_t *to = result.elements.data() + plane * windows.inputs;
      if (pool.getKind() == kernel::PoolKind::Max) {
        if (auto place = windows.findLargest(out, data->elements.data() + plane * windows.inputs))
          to[*place] = add(to[*place], gradient);
        continue;
      }
      gradient =
          divide(gradient, windows.divisor(out, pool.getKind() == kernel::PoolKind::Average));
      for (const Windows::Contact &contact : windows.contactsOf(out))
        to[contact.input] = add(to[contact.input], gradient);
    }
  machine.set(op->getResult(0), std::move(result));
  return success();
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

/// The places of `size` elements in the global batch, as the runtime's kernels have them: a tensor
/// without a row for each sample has one place on all ranks. The last input of `op` from `fewest`
/// on is the number of the micro-batch, if there are several.
template <typename Op>
static SmallVector<int64_t> placesOf(Machine &machine, Op op, unsigned fewest, int64_t size) {
  int64_t parts = op.getParts(), blocks = op.getBlocks();
  int64_t part = parts > 1 ? int64_t(machine.get(op.getInputs()[fewest])->elements.front()) : 0;
  int64_t samples = machine.place.samples.size() / parts;
  bool hasSamples = blocks > 0 && samples > 0 && size % (blocks * samples) == 0;
  int64_t row = hasSamples ? size / (blocks * samples) : size;
  SmallVector<int64_t> places;
  for (int64_t i = 0; i < size; ++i) {
    int64_t number = row > 0 ? i / row : 0; // of the row among all blocks
    int64_t sample = hasSamples ? machine.place.samples[part * samples + number % samples] : 0;
    int64_t block = hasSamples ? number / samples : 0;
    places.push_back((block << 32) + sample * row + (row > 0 ? i % row : 0));
  }
  return places;
}

static LogicalResult runDropout(Machine &machine, Operation *op) {
  auto dropout = cast<kernel::DropoutOp>(op);
  TensorRef data = machine.get(dropout.getInputs()[0]);
  Number ratio = machine.get(dropout.getInputs()[1])->elements.front();
  Tensor kept(data->shape), mask(data->shape);
  Number scale = divide(1, sub(1, ratio));
  SmallVector<int64_t> places = placesOf(machine, dropout, /*fewest=*/2, data->size());
  for (int64_t i = 0; i < data->size(); ++i) {
    uint64_t drawn = hash(machine.place.seed ^ uint64_t(dropout.getNode()), places[i]);
    mask.elements[i] = drawn & 1;
    kept.elements[i] = mask.elements[i] ? mul(data->elements[i], scale) : 0;
  }
  machine.set(op->getResult(0), std::move(kept));
  machine.set(op->getResult(1), std::move(mask));
  return success();
}

static LogicalResult runRandom(Machine &machine, Operation *op) {
  auto random = cast<kernel::RandomOp>(op);
  Tensor drawn(shapeOf(random.getOutputs()[0]));
  uint64_t seed = random.getSeed() ? uint64_t(*random.getSeed()) : machine.place.seed;
  SmallVector<int64_t> places = placesOf(machine, random, /*fewest=*/0, drawn.size());
  for (int64_t i = 0; i < drawn.size(); ++i)
    drawn.elements[i] = hash(seed ^ uint64_t(random.getNode()), places[i]);
  machine.set(op->getResult(0), std::move(drawn));
  return success();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The row that an index means; `rows` if it marks an entry that is not used. An index that the
/// runtime would refuse is one of data that nobody has: any row does, if it is the same everywhere.
static int64_t rowOf(uint64_t index, int64_t rows, bool mayBeUnused) {
  int64_t row = int64_t(index);
  if (row == rows && mayBeUnused)
    return rows;
  if (rows == 0)
    return 0;
  row %= rows;
  return row < 0 ? row + rows : row;
}

static LogicalResult runGatherRows(Machine &machine, Operation *op) {
  auto gather = cast<kernel::GatherRowsOp>(op);
  TensorRef table = machine.get(gather.getInputs()[0]),
            indices = machine.get(gather.getInputs()[1]);
  Tensor result(shapeOf(gather.getOutputs()[0]));
  int64_t axis = gather.getAxis(), rows = table->shape[axis], count = indices->size();
  int64_t outer = Tensor::countElements(ArrayRef(table->shape).take_front(axis));
  int64_t inner = Tensor::countElements(ArrayRef(table->shape).drop_front(axis + 1));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < count; ++i) {
      int64_t row = rowOf(indices->elements[i], rows, gather.getUnused());
      if (row < rows)
        std::copy_n(table->elements.begin() + (o * rows + row) * inner, inner,
                    result.elements.begin() + (o * count + i) * inner);
    }
  machine.set(op->getResult(0), std::move(result));
  return success();
}

static LogicalResult runScatterUpdateRows(Machine &machine, Operation *op) {
  auto scatter = cast<kernel::ScatterUpdateRowsOp>(op);
  TensorRef indices = machine.get(scatter.getInputs()[0]),
            rows = machine.get(scatter.getInputs()[1]);
  Tensor table = *machine.get(scatter.getOutputs()[0]);
  int64_t count = table.shape[0], size = count ? table.size() / count : 0;
  for (int64_t i = 0; i < indices->size(); ++i)
    if (int64_t row = rowOf(indices->elements[i], count, true); row < count)
      std::copy_n(rows->elements.begin() + i * size, size, table.elements.begin() + row * size);
  machine.set(op->getResult(0), std::move(table));
  return success();
}

static void addRow(std::vector<uint64_t> &sums, int64_t to, const std::vector<uint64_t> &rows,
                   int64_t from, int64_t size, bool areFloats) {
  for (int64_t i = 0; i < size; ++i) {
    uint64_t &sum = sums[to * size + i];
    sum = areFloats ? add(sum, rows[from * size + i]) : sum + rows[from * size + i];
  }
}

static LogicalResult runScatterRows(Machine &machine, Operation *op) {
  auto scatter = cast<kernel::ScatterRowsOp>(op);
  TensorRef indices = machine.get(scatter.getInputs()[0]),
            rows = machine.get(scatter.getInputs()[1]);
  Tensor table(shapeOf(scatter.getOutputs()[0]));
  int64_t count = table.shape[0], size = count ? table.size() / count : 0;
  for (int64_t i = 0; i < indices->size(); ++i)
    if (int64_t row = rowOf(indices->elements[i], count, true); row < count)
      addRow(table.elements, row, rows->elements, i, size, holdsFloats(scatter.getOutputs()[0]));
  machine.set(op->getResult(0), std::move(table));
  return success();
}

static uint64_t combine(kernel::RowReduction reduction, uint64_t a, uint64_t b, bool areFloats) {
  auto isBelow = [&](uint64_t left, uint64_t right) {
    return areFloats ? isLess(left, right) : int64_t(left) < int64_t(right);
  };
  switch (reduction) {
  case kernel::RowReduction::Sum:
    return areFloats ? add(a, b) : a + b;
  case kernel::RowReduction::Product:
    return areFloats ? mul(a, b) : a * b;
  case kernel::RowReduction::Max:
    return (areFloats && a == kNone) || isBelow(b, a) ? a : b;
  case kernel::RowReduction::Min:
    return (areFloats && a == kNone) || isBelow(a, b) ? a : b;
  }
  llvm_unreachable("all are handled");
}

static LogicalResult runCombineRows(Machine &machine, Operation *op) {
  auto scatter = cast<kernel::CombineRowsOp>(op);
  bool areFloats = holdsFloats(scatter.getOutputs()[0]);
  TensorRef indices = machine.get(scatter.getInputs()[0]),
            rows = machine.get(scatter.getInputs()[1]);
  Tensor table = *machine.get(scatter.getOutputs()[0]);
  int64_t count = table.shape[0], size = count ? table.size() / count : 0;
  for (int64_t i = 0; i < indices->size(); ++i)
    if (int64_t row = rowOf(indices->elements[i], count, true); row < count)
      for (int64_t e = 0; e < size; ++e) {
        uint64_t &to = table.elements[row * size + e];
        to = combine(scatter.getReduction(), to, rows->elements[i * size + e], areFloats);
      }
  machine.set(op->getResult(0), std::move(table));
  return success();
}

/// What is no number is larger than any; of equal elements the first one comes first.
static LogicalResult runTopK(Machine &machine, Operation *op) {
  auto top = cast<kernel::TopKOp>(op);
  TensorRef data = machine.get(top.getInputs()[0]);
  Tensor values(shapeOf(top.getOutputs()[0])), places(shapeOf(top.getOutputs()[1]));
  int64_t axis = top.getAxis(), size = data->shape[axis], k = values.shape[axis];
  int64_t inner = Tensor::countElements(ArrayRef(data->shape).drop_front(axis + 1));
  int64_t outer = Tensor::countElements(ArrayRef(data->shape).take_front(axis));
  bool areFloats = holdsFloats(top.getInputs()[0]), isSmallest = top.getSmallest();
  auto isBelow = [&](uint64_t a, uint64_t b) {
    return areFloats ? isLess(a, b) || (b == kNone && a != kNone) : int64_t(a) < int64_t(b);
  };
  for (int64_t line = 0; line < outer * inner; ++line) {
    const uint64_t *first = data->elements.data() + line / inner * size * inner + line % inner;
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, size));
    llvm::stable_sort(order, [&](int64_t i, int64_t j) {
      uint64_t a = first[i * inner], b = first[j * inner];
      return isSmallest ? isBelow(a, b) : isBelow(b, a);
    });
    for (int64_t rank = 0; rank < k; ++rank) {
      int64_t to = (line / inner * k + rank) * inner + line % inner;
      values.elements[to] = first[order[rank] * inner];
      places.elements[to] = order[rank];
    }
  }
  machine.set(op->getResult(0), std::move(values));
  machine.set(op->getResult(1), std::move(places));
  return success();
}

static LogicalResult runMergeRows(Machine &machine, Operation *op) {
  auto merge = cast<kernel::MergeRowsOp>(op);
  TensorRef indices = machine.get(merge.getInputs()[0]), rows = machine.get(merge.getInputs()[1]);
  int64_t tableRows = merge.getTableRows();
  Tensor listed(shapeOf(merge.getOutputs()[0])), sums(shapeOf(merge.getOutputs()[1]));
  std::map<int64_t, SmallVector<int64_t>> places;
  for (int64_t i = 0; i < indices->size(); ++i)
    if (int64_t row = rowOf(indices->elements[i], tableRows, true); row < tableRows)
      places[row].push_back(i);
  if (int64_t(places.size()) > listed.size())
    return emitError(op->getLoc())
           << "a list of " << listed.size() << " rows gets " << places.size();
  std::fill(listed.elements.begin(), listed.elements.end(), tableRows);
  int64_t size = listed.size() ? sums.size() / listed.size() : 0, next = 0;
  for (const auto &[row, entries] : places) {
    listed.elements[next] = row;
    for (int64_t entry : entries)
      addRow(sums.elements, next, rows->elements, entry, size, true);
    ++next;
  }
  if (merge.getInputs().size() == 3) {
    Number divisor = machine.get(merge.getInputs()[2])->elements.front();
    for (int64_t i = 0; i < next * size; ++i)
      sums.elements[i] = divide(sums.elements[i], divisor);
  }
  machine.set(op->getResult(0), std::move(listed));
  machine.set(op->getResult(1), std::move(sums));
  return success();
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

static LogicalResult runCopyBlocks(Machine &machine, Operation *op) {
  auto copy = cast<kernel::CopyBlocksOp>(op);
  int64_t bytes = std::max<int64_t>(
      getElementTypeOrSelf(copy.getInputs()[0].getType()).getIntOrFloatBitWidth() / 8, 1);
  TensorRef from = machine.get(copy.getInputs()[0]);
  Tensor to = *machine.get(copy.getOutputs()[0]);
  for (int64_t block = 0; block < int64_t(copy.getBlocks()); ++block) {
    int64_t source = (copy.getInputOffset() + block * copy.getInputStride()) / bytes;
    int64_t target = (copy.getOutputOffset() + block * copy.getOutputStride()) / bytes;
    int64_t count = copy.getBytes() / bytes;
    if (source + count > from->size() || target + count > to.size())
      return emitError(op->getLoc()) << "'" << op->getName() << "' reaches beyond its tensors";
    std::copy_n(from->elements.begin() + source, count, to.elements.begin() + target);
  }
  machine.set(op->getResult(0), std::move(to));
  return success();
}

/// A label of no class becomes one, the same everywhere.
static LogicalResult runCheckLabels(Machine &machine, Operation *op) {
  auto check = cast<kernel::CheckLabelsOp>(op);
  Tensor labels = *machine.get(check.getInputs()[0]);
  for (uint64_t &label : labels.elements)
    if (!check.getIgnored() || int64_t(label) != int64_t(*check.getIgnored()))
      label = rowOf(label, check.getClasses(), false);
  machine.set(op->getResult(0), std::move(labels));
  return success();
}

void tutti::interpreter::addKernelOps(HandlerTable &table) {
  table["kernel.matmul"] = runMatmul;
  table["kernel.convolution"] = runConvolution;
  table["kernel.convolution_backward_data"] = runConvolutionOfData;
  table["kernel.convolution_backward_weights"] = runConvolutionOfWeights;
  table["kernel.pool"] = runPool;
  table["kernel.pool_backward"] = runPoolBackward;
  table["kernel.dropout"] = runDropout;
  table["kernel.random"] = runRandom;
  table["kernel.gather_rows"] = runGatherRows;
  table["kernel.scatter_update_rows"] = runScatterUpdateRows;
  table["kernel.scatter_rows"] = runScatterRows;
  table["kernel.combine_rows"] = runCombineRows;
  table["kernel.top_k"] = runTopK;
  table["kernel.merge_rows"] = runMergeRows;
  table["kernel.copy_blocks"] = runCopyBlocks;
  table["kernel.check_labels"] = runCheckLabels;
}
