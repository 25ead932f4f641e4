// The loop back: each step is computed again, and differentiated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/inference/Inference.h"
#include "lib/program/gradients/ReverseMode.h"
#include "passes/conversion/onnx/RecurrentLoops.h"

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::onnx;
using tutti::program::ReverseMode;

namespace {

/// A step that is computed again, and the gradients of what it takes.
class StepGradient {
public:
  StepGradient(ImplicitLocOpBuilder &b, Operation *asker) : b(b), tensors{b}, asker(asker) {}

  /// `into`: what flows into the state after the step.
  LogicalResult run(RecurrentCell &cell, const CellInputs &in, CellState into) {
    Block *block = b.getInsertionBlock();
    Operation *before = &block->back();
    CellState next = cell.step(in);
    SmallVector<Value> variables(in.x);
    llvm::append_range(variables, in.u);
    llvm::append_range(variables, in.p);
    for (Value value : {in.h, in.c, in.resetR, in.resetB})
      if (value)
        variables.push_back(value);
    ReverseMode reverse(asker, b, variables,
                        llvm::make_range(std::next(before->getIterator()), block->end()));
    SmallVector<ReverseMode::Seed> seeds = {{next.h, into.h}};
    if (next.c)
      seeds.push_back({next.c, into.c});
    FailureOr<SmallVector<Value>> found = reverse.run(seeds);
    if (failed(found))
      return failure();
    for (auto [variable, gradient] : llvm::zip_equal(variables, *found))
      gradients[variable] = gradient;
    return success();
  }

  /// Null where it is zero.
  Value of(Value variable) const { return variable ? gradients.lookup(variable) : Value(); }
  /// Those of the gates, side by side.
  Value ofAll(ArrayRef<Value> variables) {
    SmallVector<Value> parts;
    for (Value variable : variables) {
      Value part = of(variable);
      parts.push_back(part ? part : tensors.zeros(variable.getType()));
    }
    return tensors.join(parts, static_cast<int64_t>(shapeOf(variables[0]).size()) - 1);
  }

private:
  ImplicitLocOpBuilder &b;
  StepTensors tensors;
  Operation *asker;
  llvm::DenseMap<Value, Value> gradients;
};

} // namespace

/// The loop back over one direction. It carries the gradients of the states; those of what X, and
/// h if that is not the same, add to the gates of all steps; and sums over the steps.
class RecurrentLoops::Backward {
public:
  Backward(RecurrentLoops &loops, int64_t direction, ArrayRef<Value> incoming)
      : loops(loops), b(loops.b), tensors(loops.tensors), direction(direction), incoming(incoming),
        weights(loops.weightsOf(direction)), kept(loops.tape[direction]),
        gates(loops.layer.gates() * loops.hidden),
        linear(RecurrentCell::linearGates(loops.layer) * loops.hidden),
        isApart(loops.layer.kind == Recurrence::Kind::GRU && loops.layer.linearBeforeReset) {
    for (Value value : weights.p)
      summed.push_back(value);
    for (Value value : {weights.resetR, weights.resetB})
      if (value)
        summed.push_back(value);
  }

  /// Gradients without a dimension for the direction; those of the memory and the peepholes of an
  /// LSTM only.
  struct Gradients {
    Value x, w, r, b, h, c, p;
  };

  FailureOr<Gradients> run() {
    u = loops.addedBy(weights, tensors.rows(kept.h));
    u = tensors.reshape(u, {loops.steps, loops.batch, linear});
    FailureOr<Carried> made =
        createLoop(b, loops.steps, !loops.layer.isReversed(direction), begin(),
                   [&](Value step, ValueRange carried) { return stepBack(step, carried); });
    return failed(made) ? FailureOr<Gradients>(failure()) : finish(*made);
  }

private:
  size_t states() const { return loops.isLstm() ? 2 : 1; }
  size_t sums() const { return states() + (isApart ? 2 : 1); }

  Carried begin() {
    Carried initial;
    for (size_t i = 0; i < states(); ++i)
      initial.push_back(incoming[1 + i] ? incoming[1 + i]
                                        : tensors.zeros(weights.initial.h.getType()));
    initial.push_back(tensors.empty({loops.steps, loops.batch, gates}, loops.element));
    if (isApart)
      initial.push_back(tensors.empty({loops.steps, loops.batch, linear}, loops.element));
    for (Value value : summed)
      initial.push_back(tensors.zeros(value.getType()));
    return initial;
  }

  FailureOr<Carried> stepBack(Value step, ValueRange carried) {
    SmallVector<Value> into(carried.take_front(states())), past(states());
    Value dY = incoming[0] ? tensors.read(incoming[0], step) : Value();
    if (loops.active) { // a step after the end hands on the state, and shows zeros
      Value isActive = tensors.read(loops.active, step), zero = tensors.zeros(into[0].getType());
      for (auto [gradient, passed] : llvm::zip_equal(into, past)) {
        passed = tensors.select(isActive, zero, gradient);
        gradient = tensors.select(isActive, gradient, zero);
      }
      dY = dY ? tensors.select(isActive, dY, zero) : dY;
    }
    into[0] = tensors.add(into[0], dY);

    CellState before = {tensors.read(kept.h, step),
                        loops.isLstm() ? tensors.read(kept.c, step) : Value()};
    CellInputs in =
        loops.inputsOf(weights, tensors.read(kept.x, step), tensors.read(u, step), before);
    RecurrentCell cell = loops.cellOf(direction);
    StepGradient gradient(b, loops.op);
    if (failed(gradient.run(cell, in, {into[0], loops.isLstm() ? into[1] : Value()})))
      return failure();
    Value dx = gradient.ofAll(in.x), du = gradient.ofAll(in.u);
    Value dh = multiply(b, du, weights.r, gradient.of(in.h), Transposed::None);
    Carried on = {tensors.add(dh, past[0])};
    if (loops.isLstm())
      on.push_back(tensors.add(gradient.of(in.c), past[1]));
    on.push_back(tensors.write(dx, carried[states()], step));
    if (isApart)
      on.push_back(tensors.write(du, carried[states() + 1], step));
    for (auto [i, value] : llvm::enumerate(summed))
      on.push_back(tensors.add(carried[sums() + i], gradient.of(value)));
    return on;
  }

  /// What needs no loop.
  Gradients finish(ArrayRef<Value> made) {
    Value dx = tensors.rows(made[states()]);
    Value du = isApart ? tensors.rows(made[states() + 1]) : tensors.slice(dx, 1, 0, linear);
    Value x = tensors.rows(loops.sequence), h = tensors.rows(kept.h);
    Gradients gradients;
    gradients.h = made[0];
    gradients.c = loops.isLstm() ? made[1] : Value();
    gradients.x = tensors.reshape(multiply(b, dx, weights.w, nullptr, Transposed::None),
                                  {loops.steps, loops.batch, loops.inputs});
    gradients.w = multiply(b, dx, x, nullptr, Transposed::First);
    gradients.r = multiply(b, du, h, nullptr, Transposed::First);
    SmallVector<Value> bias = {tensors.sumOfRows(dx), tensors.sumOfRows(du)};
    ArrayRef<Value> added = made.drop_front(sums());
    gradients.p = weights.p.empty() ? tensors.zeros(RankedTensorType::get(
                                          {Recurrence::peepholes * loops.hidden}, loops.element))
                                    : tensors.join(added.take_front(weights.p.size()), 0);
    if (weights.resetR) {
      added = added.drop_front(weights.p.size());
      gradients.r = tensors.join({gradients.r, added[0]}, 0);
      bias.push_back(weights.resetB
                         ? added[1]
                         : tensors.zeros(RankedTensorType::get({loops.hidden}, loops.element)));
    }
    gradients.b = tensors.join(bias, 0);
    return gradients;
  }

  RecurrentLoops &loops;
  ImplicitLocOpBuilder &b;
  StepTensors tensors;
  int64_t direction;
  ArrayRef<Value> incoming; ///< of Y and the states, without a dimension for the direction
  Weights weights;
  const DirectionTape &kept;
  int64_t gates, linear;
  /// Whether h adds to a gate something else than X does: else its gradient is the same.
  bool isApart;
  SmallVector<Value> summed; ///< weights whose gradients are sums over the steps
  Value u;                   ///< what h adds to the gates of all steps
};

FailureOr<SmallVector<Value>> RecurrentLoops::runBackward(ArrayRef<Value> incoming) {
  auto ofDirection = [&](Value value, bool isOfAllSteps, int64_t direction) -> Value {
    if (!value)
      return value;
    if (layer.isBatchFirst()) // to [steps, directions, batch, hidden], [directions, batch, hidden]
      value = isOfAllSteps ? tensors.transpose(value, {1, 2, 0, 3})
                           : tensors.transpose(value, {1, 0, 2});
    return tensors.entry(value, isOfAllSteps ? 1 : 0, direction);
  };
  Value dX;
  SmallVector<Value> w, r, bias, h, c, p;
  for (int64_t direction = 0; direction < layer.directions(); ++direction) {
    SmallVector<Value> into;
    for (auto [i, value] : llvm::enumerate(incoming))
      into.push_back(ofDirection(value, i == 0, direction));
    FailureOr<Backward::Gradients> gradients = Backward(*this, direction, into).run();
    if (failed(gradients))
      return failure();
    dX = tensors.add(dX, gradients->x);
    w.push_back(gradients->w);
    r.push_back(gradients->r);
    bias.push_back(gradients->b);
    h.push_back(gradients->h);
    c.push_back(gradients->c);
    p.push_back(gradients->p);
  }
  int64_t state = layer.isBatchFirst() ? 1 : 0;
  if (layer.isBatchFirst())
    dX = tensors.transpose(dX, {1, 0, 2});
  SmallVector<Value> results = {dX, tensors.stack(w, 0), tensors.stack(r, 0),
                                tensors.stack(bias, 0), tensors.stack(h, state)};
  if (isLstm())
    results.append({tensors.stack(c, state), tensors.stack(p, 0)});
  return results;
}
