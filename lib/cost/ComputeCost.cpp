// Counts operations and bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/cost/Timeline.h"

#include "dialects/interfaces/ComputeCost.h"
#include "dialects/kernel/Kernel.h"
#include "lib/program/plan/Plan.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <functional>
#include <numeric>

using namespace mlir;
using namespace tutti::cost;
using namespace tutti::kernel;

/// Operations that count for a call of a function like exp, which is a polynomial.
static constexpr double kFunctionOperations = 16;

/// Vectorised operations that take as long as one element of a pooling window, which is not
/// vectorised.
static constexpr double kPoolOperations = 8;

/// Channels that a convolution computes together: oneDNN lays images out in blocks of so many
/// (nChw16c, with AVX-512), and fills the last one up. Images of few channels, as pictures have,
/// have kernels of their own.
static constexpr int64_t kChannelBlock = 16, kFewChannels = 4;

/// Bytes of a matrix product that a second-level cache holds: the rate of its operations is
/// measured there (runtime/host/calibration/CalibrateCompute.cpp).
static constexpr double kHeldOperands = 1 << 20;

static double bytesOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return 0;
  return double(shaped.getNumElements()) *
         double(tutti::program::bytesOfType(shaped.getElementType()));
}

static double bytesOf(TypeRange types) {
  double bytes = 0;
  for (Type type : types)
    bytes += bytesOf(type);
  return bytes;
}

static double product(ArrayRef<int64_t> values) {
  return std::accumulate(values.begin(), values.end(), 1.0, std::multiplies<>());
}

static ArrayRef<int64_t> sizesOf(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

/// `x` is the data of the convolution and `y` its result, or tensors of their shapes.
template <typename Op> static double operationsOfConvolution(Op op, Value x, Value y) {
  int64_t taken = sizesOf(x)[1] / int64_t(op.getGroup()), made = sizesOf(y)[1];
  double places = double(sizesOf(y)[0]) * product(sizesOf(y).drop_front(2));
  if (op.getGroup() == 1) {
    taken = taken <= kFewChannels ? taken : llvm::alignTo(taken, kChannelBlock);
    made = llvm::alignTo(made, kChannelBlock);
  }
  return 2.0 * places * double(made) * double(taken) * product(op.getKernel());
}

/// Of each place of the window in `y`.
template <typename Op> static double operationsOfPool(Op op, Value y) {
  return kPoolOperations * product(sizesOf(y)) * product(op.getKernel());
}

static Work workOfKernel(KernelOpInterface kernel) {
  Work work;
  work.calls = 1;
  double bytes = bytesOf(kernel->getOperandTypes());
  (isa<MatmulOp>(kernel) ? work.operands : work.bytes) = bytes;
  llvm::TypeSwitch<Operation *>(kernel)
      .Case([&](MatmulOp op) {
        work.matmul =
            2.0 * double(op.getBatch()) * double(op.getM()) * double(op.getN()) * double(op.getK());
      })
      .Case([&](ConvolutionOp op) {
        work.convolution = operationsOfConvolution(op, op.getInputs()[0], op.getOutputs()[0]);
      })
      .Case([&](ConvolutionBackwardDataOp op) {
        work.convolution = operationsOfConvolution(op, op.getOutputs()[0], op.getInputs()[0]);
      })
      .Case([&](ConvolutionBackwardWeightsOp op) {
        work.convolution = operationsOfConvolution(op, op.getInputs()[1], op.getInputs()[0]);
      })
      .Case([&](PoolOp op) { work.loop = operationsOfPool(op, op.getOutputs()[0]); })
      .Case([&](PoolBackwardOp op) { work.loop = operationsOfPool(op, op.getInputs()[0]); })
      .Default([](Operation *) {});
  return work;
}

static double operationsOfBody(Block &body) {
  double operations = 0;
  for (Operation &op : body.without_terminator())
    operations += isa_and_nonnull<math::MathDialect>(op.getDialect()) ? kFunctionOperations : 1;
  return std::max(1.0, operations);
}

static Work workOfLoop(linalg::LinalgOp loop) {
  SmallVector<int64_t> ranges = loop.getStaticLoopRanges();
  Work work;
  if (llvm::any_of(ranges, ShapedType::isDynamic))
    return work;
  work.loop = product(ranges) * operationsOfBody(*loop.getBlock());
  work.bytes = bytesOf(loop->getOperandTypes());
  return work;
}

static Work workAsTold(tutti::ComputeCostOpInterface op) {
  Work work;
  (op.isMatrixProduct() ? work.matmul : work.loop) = op.getOperations();
  (op.isMatrixProduct() ? work.operands : work.bytes) = op.getBytes();
  return work;
}

Work tutti::cost::workOf(Operation *op) {
  if (auto answers = dyn_cast<tutti::ComputeCostOpInterface>(op))
    return workAsTold(answers);
  if (auto kernel = dyn_cast<KernelOpInterface>(op))
    return workOfKernel(kernel);
  if (auto loop = dyn_cast<linalg::LinalgOp>(op))
    return workOfLoop(loop);
  Work work;
  // What moves elements.
  if (isa<tensor::PadOp, tensor::InsertSliceOp, tensor::ConcatOp>(op))
    work.bytes = 2 * bytesOf(op->getResultTypes());
  return work;
}

double tutti::cost::secondsOf(const Work &work, const Cluster &cluster, int64_t ranksOnNode) {
  const Compute &rates = cluster.compute;
  const Sharing &sharing = rates.sharing;
  // Linear between one rank and the number that was measured, and beyond.
  double crowd = double(std::max<int64_t>(1, ranksOnNode) - 1) /
                 double(std::max<int64_t>(1, cluster.ranksPerNode - 1));
  auto seconds = [&](double amount, double rate, double slowdown) {
    return amount / rate * (1 + (slowdown - 1) * crowd);
  };
  // A file that does not say how fast products read has a rate of operations that includes it.
  double operands =
      rates.matmulMemory > 0 ? std::max(0.0, work.operands - kHeldOperands) : work.operands;
  double reading = rates.matmulMemory > 0 ? rates.matmulMemory : rates.memory;
  return seconds(work.calls * rates.kernel, 1, sharing.loop) +
         seconds(work.matmul, rates.matmul, sharing.matmul) +
         seconds(operands, reading, sharing.memory) +
         seconds(work.convolution, rates.convolution, sharing.convolution) +
         std::max(seconds(work.loop, rates.loop, sharing.loop),
                  seconds(work.bytes, rates.memory, sharing.memory));
}
