// Rules of sharding of recurrent layers: samples pass, whatever dimension they are in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/Onnx.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::onnx;

/// The rule of a layer, or of its gradient: `batchFirst` where the layout is 1.
template <typename Op>
static FailureOr<ShardingRule> ruleOfLayer(Op op, const ShardingText &batchFirst) {
  return (op.getLayout() == 1 ? batchFirst : Op::shardingText()).expand(op);
}

static constexpr const char *batchFirstLayer =
    "n t^ i^, d^ g^ i, d g h^, d b^, n, n d h -> n t d h, n d h";
static constexpr const char *batchFirstGradient =
    "n+ t^ d^ h^, n d h, n t i^, d g^ i, d g h, d b^, n, n d h "
    "-> n t i, d g i, d g h, d b, n d h";

FailureOr<ShardingRule> RNNOp::getFactors() {
  static const ShardingText text(batchFirstLayer);
  return ruleOfLayer(*this, text);
}

FailureOr<ShardingRule> GRUOp::getFactors() {
  static const ShardingText text(batchFirstLayer);
  return ruleOfLayer(*this, text);
}

FailureOr<ShardingRule> LSTMOp::getFactors() {
  static const ShardingText text("n t^ i^, d^ g^ i, d g h^, d b^, n, n d h, n d h, d p^ "
                                 "-> n t d h, n d h, n d h");
  return ruleOfLayer(*this, text);
}

FailureOr<ShardingRule> RNNGradOp::getFactors() {
  static const ShardingText text(batchFirstGradient);
  return ruleOfLayer(*this, text);
}

FailureOr<ShardingRule> GRUGradOp::getFactors() {
  static const ShardingText text(batchFirstGradient);
  return ruleOfLayer(*this, text);
}

FailureOr<ShardingRule> LSTMGradOp::getFactors() {
  static const ShardingText text(
      "n+ t^ d^ h^, n d h, n d h, n t i^, d g^ i, d g h, d b^, n, n d h, n d h, d p^ "
      "-> n t i, d g i, d g h, d b, n d h, n d h, d p");
  return ruleOfLayer(*this, text);
}
