// Counts operations and bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/cost/ComputeCost.h"

#include "dialects/kernel/Kernel.h"
#include "lib/program/Plan.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>
#include <functional>
#include <numeric>

using namespace mlir;
using namespace tutti::cost;

/// Operations that count for a call of a function like exp, which is a polynomial.
static constexpr double kFunctionOperations = 16;

/// Vectorised operations that take as long as one element of a pooling window, which is not
/// vectorised.
static constexpr double kPoolOperations = 8;

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

/// include/tutti/abi.def has the layout of the parameters.
static double operationsOfConvolution(ArrayRef<int64_t> parameters) {
  int64_t rank = parameters[0], samples = parameters[1], in = parameters[2], out = parameters[3],
          groups = parameters[4];
  ArrayRef<int64_t> kernel = parameters.slice(6 + rank, rank),
                    places = parameters.slice(6 + 6 * rank, rank);
  return 2.0 * double(samples) * double(out) * double(in / groups) * product(kernel) *
         product(places);
}

static double operationsOfPool(ArrayRef<int64_t> parameters) {
  int64_t rank = parameters[0], samples = parameters[1], channels = parameters[2];
  ArrayRef<int64_t> window = parameters.slice(4 + rank, rank),
                    places = parameters.slice(4 + 5 * rank, rank);
  return kPoolOperations * double(samples * channels) * product(window) * product(places);
}

static Work workOfKernel(tutti::kernel::CallOp call) {
  ArrayRef<int64_t> parameters = call.getParameters();
  Work work;
  work.calls = 1;
  work.bytes = bytesOf(call->getOperandTypes());
  if (call.getCallee() == "tutti_matmul")
    work.matmul = 2 * product(parameters.take_front(4));
  else if (call.getCallee().starts_with("tutti_convolution"))
    work.convolution = operationsOfConvolution(parameters);
  else if (call.getCallee().starts_with("tutti_pool"))
    work.loop = operationsOfPool(parameters);
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

Work tutti::cost::workOf(Operation *op) {
  if (auto call = dyn_cast<tutti::kernel::CallOp>(op))
    return workOfKernel(call);
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
  return seconds(work.calls * rates.kernel, 1, sharing.loop) +
         seconds(work.matmul, rates.matmul, sharing.matmul) +
         seconds(work.convolution, rates.convolution, sharing.convolution) +
         std::max(seconds(work.loop, rates.loop, sharing.loop),
                  seconds(work.bytes, rates.memory, sharing.memory));
}
