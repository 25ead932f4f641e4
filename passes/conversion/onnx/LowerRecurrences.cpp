// The pass lower-recurrences: recurrent layers become loops over the steps of a sequence.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/conversion/Passes.h"
#include "passes/conversion/onnx/RecurrentLoops.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <vector>

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::onnx;

namespace tutti::conversion {
#define GEN_PASS_DEF_LOWERRECURRENCESPASS
#include "passes/conversion/Passes.h.inc"
} // namespace tutti::conversion

namespace {

bool isGradient(Operation *op) { return isa<RNNGradOp, GRUGradOp, LSTMGradOp>(op); }

bool hasHalfWidth(Type element) { return element.isF16() || element.isBF16(); }

/// Operands and results of 16 bits are computed in f32: a sum over the steps would lose its digits.
struct Widening {
  Value widen(Value value) {
    return value && hasHalfWidth(getElementTypeOrSelf(value.getType()))
               ? CastOp::create(builder, value, builder.getF32Type())
               : value;
  }
  Value narrow(Value value, Type type) {
    Type element = cast<RankedTensorType>(type).getElementType();
    return hasHalfWidth(element) ? CastOp::create(builder, value, element) : value;
  }
  ImplicitLocOpBuilder &builder;
};

LogicalResult requireStaticShapes(Operation *op) {
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (!cast<ShapedType>(type).hasStaticShape())
      return op->emitOpError("cannot be compiled: ")
             << type << " is not static; run train-specialize-batch first";
  return success();
}

/// Layers and gradients of one function.
class Recurrences {
public:
  LogicalResult lower(Operation *op) {
    if (failed(requireStaticShapes(op)))
      return failure();
    return isGradient(op) ? lowerGradient(op) : lowerLayer(op);
  }

private:
  /// What tells layers apart: operands and attributes of the layer.
  static std::pair<SmallVector<Value>, DictionaryAttr> keyOf(Operation *op,
                                                             const Recurrence &layer) {
    NamedAttrList attributes(op->getAttrDictionary());
    attributes.erase("operandSegmentSizes");
    return {{layer.x, layer.w, layer.r, layer.b, layer.lengths, layer.initialH, layer.initialC,
             layer.p},
            attributes.getDictionary(op->getContext())};
  }

  /// Whether a gradient after the layer, in its block, is one of it.
  static bool hasGradient(Operation *op, const Recurrence &layer) {
    auto key = keyOf(op, layer);
    return llvm::any_of(layer.r.getUsers(), [&](Operation *user) {
      return isGradient(user) && user->getBlock() == op->getBlock() &&
             keyOf(user, *findRecurrence(user)) == key;
    });
  }

  static Recurrence widened(Widening &types, Recurrence layer) {
    for (Value *operand :
         {&layer.x, &layer.w, &layer.r, &layer.b, &layer.initialH, &layer.initialC, &layer.p})
      *operand = types.widen(*operand);
    return layer;
  }

  LogicalResult lowerLayer(Operation *op) {
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    Widening types{builder};
    Recurrence given = *findRecurrence(op);
    RecurrentLoops loops(builder, widened(types, given), op);
    loops.runForward(hasGradient(op, given));
    SmallVector<Value> results = loops.results();
    for (auto [result, made] : llvm::zip_equal(op->getResults(), results))
      result.replaceAllUsesWith(types.narrow(made, result.getType()));
    if (loops.hasTape())
      tapes[given.r].push_back({op->getBlock(), keyOf(op, given), loops.takeTape()});
    op->erase();
    return success();
  }

  LogicalResult lowerGradient(Operation *op) {
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    Widening types{builder};
    Recurrence given = *findRecurrence(op);
    RecurrentLoops loops(builder, widened(types, given), op);
    if (const Tape *tape = findTape(op, given))
      loops.setTape(*tape);
    else
      loops.runForward(/*keepsTape=*/true);
    SmallVector<Value> incoming(given.kind == Recurrence::Kind::LSTM ? 3 : 2);
    auto segments = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes").asArrayRef();
    unsigned next = 0;
    for (auto [i, value] : llvm::enumerate(incoming))
      value = segments[i] ? types.widen(op->getOperand(next++)) : Value();
    FailureOr<SmallVector<Value>> gradients = loops.runBackward(incoming);
    if (failed(gradients))
      return failure();
    for (auto [result, made] : llvm::zip(op->getResults(), *gradients))
      if (!result.use_empty())
        result.replaceAllUsesWith(types.narrow(made, result.getType()));
    op->erase();
    return success();
  }

  using Tape = RecurrentLoops::Tape;
  struct Kept {
    Block *block;
    std::pair<SmallVector<Value>, DictionaryAttr> key;
    Tape tape;
  };

  const Tape *findTape(Operation *op, const Recurrence &layer) {
    auto key = keyOf(op, layer);
    std::vector<Kept> &known = tapes[layer.r];
    auto found = llvm::find_if(
        known, [&](const Kept &kept) { return kept.block == op->getBlock() && kept.key == key; });
    return found == known.end() ? nullptr : &found->tape;
  }

  llvm::DenseMap<Value, std::vector<Kept>> tapes; ///< by R
};

struct LowerRecurrencesPass
    : tutti::conversion::impl::LowerRecurrencesPassBase<LowerRecurrencesPass> {
  void runOnOperation() override {
    SmallVector<Operation *> layers;
    getOperation().walk([&](Operation *op) {
      if (findRecurrence(op))
        layers.push_back(op);
    });
    Recurrences recurrences;
    for (Operation *op : layers)
      if (failed(recurrences.lower(op)))
        return signalPassFailure();
    if (!layers.empty())
      eraseUnused();
  }

  /// What only results lead to that nobody uses.
  void eraseUnused() {
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isa_and_nonnull<OnnxDialect>(op->getDialect()) && isOpTriviallyDead(op))
        op->erase();
    });
  }
};

} // namespace
