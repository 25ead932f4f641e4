// Following the values of an input to the nodes that use them as indices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/IndexInputs.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/ps/Ps.h"
#include "dialects/train/Train.h"
#include "lib/program/ValueNames.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::execution;

/// Whether a result of the owner holds all values of the operand `use` as they are. Where it holds
/// only some (Gather, Split, a slice), the others may be what the node after it does not allow.
static bool passesOn(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<onnx::ReshapeOp, onnx::UnsqueezeOp, onnx::SqueezeOp>(op))
    return use.getOperandNumber() == 0; // the others are shapes
  if (auto part = dyn_cast<train::MicroBatchOp>(op))
    return use.get() == part.getBatch();
  return isa<onnx::IdentityOp, onnx::FlattenOp, onnx::TransposeOp, onnx::CastOp, onnx::ConcatOp,
             tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
}

static std::optional<IndexBounds> boundsOfClasses(Operation *op, Value scores,
                                                  std::optional<int64_t> ignored) {
  int64_t classes = cast<ShapedType>(scores.getType()).getDimSize(1);
  if (ShapedType::isDynamic(classes))
    return std::nullopt;
  return IndexBounds{0, classes - 1, ignored, program::nodeAt(op->getLoc()), true};
}

/// What `use` allows, if it is one as an index.
static std::optional<IndexBounds> boundsOf(OpOperand &use) {
  using Bounds = std::optional<IndexBounds>;
  return llvm::TypeSwitch<Operation *, Bounds>(use.getOwner())
      .Case([&](onnx::SoftmaxCrossEntropyLossOp loss) -> Bounds {
        if (use.get() != loss.getLabels())
          return std::nullopt;
        return boundsOfClasses(loss, loss.getScores(), loss.getIgnoreIndex());
      })
      .Case([&](onnx::GatherOp gather) -> Bounds {
        auto data = cast<ShapedType>(gather.getData().getType());
        if (use.getOperandNumber() != 1 || !data.hasRank() ||
            data.isDynamicDim(gather.getGatheredAxis()))
          return std::nullopt;
        int64_t entries = data.getDimSize(gather.getGatheredAxis());
        return IndexBounds{-entries, entries - 1, std::nullopt, program::nodeAt(gather.getLoc()),
                           false};
      })
      .Case([&](ps::PullRowsOp pull) -> Bounds {
        auto table = SymbolTable::lookupNearestSymbolFrom<ps::TableOp>(pull, pull.getTableAttr());
        int64_t entries = table.getType().getDimSize(0);
        return IndexBounds{-entries, entries - 1, std::nullopt, program::nodeAt(pull.getLoc()),
                           false};
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::vector<IndexBounds> tutti::execution::findIndexBounds(Value input) {
  std::vector<IndexBounds> found;
  llvm::SetVector<Value> reached;
  reached.insert(input);
  for (size_t next = 0; next < reached.size(); ++next)
    for (OpOperand &use : reached[next].getUses()) {
      if (passesOn(use))
        reached.insert(use.getOwner()->result_begin(), use.getOwner()->result_end());
      std::optional<IndexBounds> bounds = boundsOf(use);
      if (bounds && !llvm::is_contained(found, *bounds))
        found.push_back(*bounds);
    }
  return found;
}
