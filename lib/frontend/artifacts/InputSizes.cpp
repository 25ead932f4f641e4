// The rules of three operators that contract an input with a weight.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/artifacts/InputSizes.h"

using namespace mlir;
using namespace tutti::frontend;

static int64_t integerOf(const proto::NodeProto &node, StringRef name, int64_t otherwise) {
  for (const auto &attribute : node.attribute())
    if (attribute.name() == name)
      return attribute.i();
  return otherwise;
}

namespace {
/// What a node says of one dimension of its first input; nothing if `axis` is negative.
struct Demand {
  int axis = -1;
  int64_t size = 0;
};
} // namespace

static Demand demandOf(const proto::NodeProto &node, int rank, RankedTensorType weight) {
  if (!canonicalDomain(node.domain()).empty() || weight.getRank() < 2)
    return {};
  ArrayRef<int64_t> sizes = weight.getShape();
  if (node.op_type() == "MatMul")
    return {rank - 1, sizes[sizes.size() - 2]};
  if (node.op_type() == "Gemm" && rank == 2)
    return {integerOf(node, "transA", 0) == 0 ? 1 : 0,
            sizes[integerOf(node, "transB", 0) == 0 ? 0 : 1]};
  int64_t groups = integerOf(node, "group", 1);
  constexpr int64_t most = 1 << 20; // so that the product is no surprise
  if (node.op_type() == "Conv" && rank == weight.getRank() && groups > 0 && groups < most &&
      sizes[1] < most)
    return {1, sizes[1] * groups};
  return {};
}

void tutti::frontend::declareSizes(proto::ValueInfoProto &input, const NodeList &nodes,
                                   WeightType weightType) {
  if (!input.type().has_tensor_type())
    return;
  auto *shape = input.mutable_type()->mutable_tensor_type()->mutable_shape();
  for (const proto::NodeProto *node : nodes) {
    if (node->input_size() < 2 || node->input(0) != input.name())
      continue;
    RankedTensorType weight = weightType(node->input(1));
    Demand demand = weight ? demandOf(*node, shape->dim_size(), weight) : Demand();
    if (demand.axis >= 0 && demand.axis < shape->dim_size() &&
        !shape->dim(demand.axis).has_dim_value())
      shape->mutable_dim(demand.axis)->set_dim_value(demand.size);
  }
}
