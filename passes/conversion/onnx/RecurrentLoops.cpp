// The loop forward: states, and what is kept of them for the loop back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/conversion/onnx/RecurrentLoops.h"

#include "dialects/onnx/inference/Inference.h"

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::onnx;

RecurrentLoops::RecurrentLoops(ImplicitLocOpBuilder &builder, const Recurrence &layer,
                               Operation *op)
    : b(builder), tensors{builder}, layer(layer), op(op), activations(*layer.readActivations()),
      sequence(layer.isBatchFirst() ? tensors.transpose(layer.x, {1, 0, 2}) : layer.x),
      steps(shapeOf(sequence)[0]), batch(shapeOf(sequence)[1]), inputs(shapeOf(sequence)[2]),
      hidden(shapeOf(layer.r)[2]), element(elementOf(layer.x)) {
  active = findActiveSteps();
}

/// Step t of a sequence is there if t is below its length.
Value RecurrentLoops::findActiveSteps() {
  if (!layer.lengths)
    return nullptr;
  SmallVector<int32_t> numbers = llvm::to_vector(llvm::seq<int32_t>(0, steps));
  auto type = RankedTensorType::get({steps, 1, 1}, b.getI32Type());
  Value number = ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef(numbers)));
  return LessOp::create(b, number, tensors.reshape(layer.lengths, {1, batch, 1}));
}

RecurrentLoops::Weights RecurrentLoops::weightsOf(int64_t direction) {
  Weights weights;
  int64_t all = layer.gates() * hidden, linear = RecurrentCell::linearGates(layer) * hidden;
  auto vector = [&](Value matrix, int64_t begin, int64_t end) {
    return tensors.slice(tensors.entry(matrix, 0, direction), 0, begin, end);
  };
  weights.w = tensors.entry(layer.w, 0, direction);
  Value r = tensors.entry(layer.r, 0, direction);
  weights.r = tensors.slice(r, 0, 0, linear);
  if (layer.b) {
    weights.wb = vector(layer.b, 0, all);
    weights.rb = vector(layer.b, all, all + linear);
  }
  if (RecurrentCell::resetsFirst(layer)) {
    weights.resetR = tensors.slice(r, 0, linear, all);
    if (layer.b)
      weights.resetB = vector(layer.b, all + linear, 2 * all);
  }
  for (int64_t i = 0; layer.p && i < Recurrence::peepholes; ++i)
    weights.p.push_back(vector(layer.p, i * hidden, (i + 1) * hidden));
  auto state = [&](Value initial) {
    return initial ? tensors.entry(initial, layer.isBatchFirst() ? 1 : 0, direction)
                   : tensors.zeros(RankedTensorType::get({batch, hidden}, element));
  };
  weights.initial = {state(layer.initialH), isLstm() ? state(layer.initialC) : Value()};
  return weights;
}

RecurrentCell RecurrentLoops::cellOf(int64_t direction) {
  int64_t count = layer.functions();
  return {b, layer, ArrayRef(activations).slice(direction * count, count)};
}

CellInputs RecurrentLoops::inputsOf(const Weights &weights, Value x, Value u, CellState state) {
  CellInputs in;
  in.x = tensors.split(x, layer.gates());
  in.u = tensors.split(u, RecurrentCell::linearGates(layer));
  in.h = state.h;
  in.c = state.c;
  in.p = weights.p;
  in.resetR = weights.resetR;
  in.resetB = weights.resetB;
  return in;
}

Value RecurrentLoops::addedBy(const Weights &weights, Value h) {
  return multiply(b, h, weights.r, weights.rb, Transposed::Second);
}

void RecurrentLoops::runForward(bool keepsTape) {
  for (int64_t direction = 0; direction < layer.directions(); ++direction)
    runForward(direction, keepsTape);
}

void RecurrentLoops::runForward(int64_t direction, bool keepsTape) {
  Weights weights = weightsOf(direction);
  RecurrentCell cell = cellOf(direction);
  Value x = multiply(b, tensors.rows(sequence), weights.w, weights.wb, Transposed::Second);
  x = tensors.reshape(x, {steps, batch, layer.gates() * hidden});

  // The states; then, of all steps, the hidden ones after them and the states before them.
  Carried initial = {weights.initial.h};
  if (isLstm())
    initial.push_back(weights.initial.c);
  size_t states = initial.size(), kept = keepsTape ? states : 0;
  for (size_t i = 0; i < 1 + kept; ++i)
    initial.push_back(tensors.empty({steps, batch, hidden}, element));
  auto body = [&](Value step, ValueRange carried) -> FailureOr<Carried> {
    CellState before = {carried[0], isLstm() ? carried[1] : Value()};
    CellState next =
        cell.step(inputsOf(weights, tensors.read(x, step), addedBy(weights, before.h), before));
    Value shown = next.h;
    if (active) {
      Value isActive = tensors.read(active, step);
      shown = tensors.select(isActive, next.h, tensors.zeros(next.h.getType()));
      next.h = tensors.select(isActive, next.h, before.h);
      next.c = isLstm() ? tensors.select(isActive, next.c, before.c) : Value();
    }
    Carried on = {next.h};
    if (isLstm())
      on.push_back(next.c);
    on.push_back(tensors.write(shown, carried[states], step));
    for (size_t i = 0; i < kept; ++i)
      on.push_back(tensors.write(carried[i], carried[states + 1 + i], step));
    return on;
  };
  // Nothing in it fails.
  Carried made = *createLoop(b, steps, layer.isReversed(direction), initial, body);
  lastH.push_back(made[0]);
  lastC.push_back(isLstm() ? made[1] : Value());
  y.push_back(made[states]);
  if (keepsTape)
    tape.push_back({x, made[states + 1], isLstm() ? made[states + 2] : Value()});
}

SmallVector<Value> RecurrentLoops::results() {
  int64_t state = layer.isBatchFirst() ? 1 : 0;
  Value all = tensors.stack(y, layer.isBatchFirst() ? 2 : 1);
  if (layer.isBatchFirst()) // [steps, batch, directions, hidden]
    all = tensors.transpose(all, {1, 0, 2, 3});
  SmallVector<Value> results = {all, tensors.stack(lastH, state)};
  if (isLstm())
    results.push_back(tensors.stack(lastC, state));
  return results;
}
