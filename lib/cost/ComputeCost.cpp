// Counts operations and bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/cost/ComputeCost.h"

#include "dialects/kernel/Kernel.h"
#include "lib/execution/Plan.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>
#include <functional>
#include <numeric>

using namespace mlir;
using namespace tutti::cost;

/// A function like exp is a polynomial of about so many operations.
static constexpr double kFunctionOperations = 16;

static double bytesOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return 0;
  return double(shaped.getNumElements()) *
         double(tutti::execution::bytesOfType(shaped.getElementType()));
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

static Work workOfKernel(tutti::kernel::CallOp call) {
  ArrayRef<int64_t> parameters = call.getParameters();
  Work work;
  work.calls = 1;
  if (call.getCallee() == "tutti_matmul")
    work.matmul = 2 * product(parameters.take_front(4));
  else if (call.getCallee().starts_with("tutti_convolution"))
    work.convolution = operationsOfConvolution(parameters);
  else
    work.bytes = bytesOf(call->getOperandTypes());
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
  work.calls = 1;
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
  double seconds = work.calls * rates.kernel + work.matmul / rates.matmul +
                   work.convolution / rates.convolution +
                   std::max(work.loop / rates.loop, work.bytes / rates.memory);
  // From one rank to as many as were measured together, and evenly further on.
  double crowd = double(std::max<int64_t>(1, ranksOnNode) - 1) /
                 double(std::max<int64_t>(1, cluster.ranksPerNode - 1));
  return seconds * (1 + (rates.sharing - 1) * crowd);
}
