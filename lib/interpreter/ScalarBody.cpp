// Bodies of loops as steps on registers, with the loops in them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/interpreter/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tutti::interpreter;

/// A loop in the body, by registers.
struct ScalarBody::Loop {
  unsigned lower, upper, step, index;
  std::vector<unsigned> initial, carried, yielded, results; ///< alike in number
  std::vector<Step> steps;
};

/// Gives each value of a body a register.
class ScalarBody::Compiler {
public:
  ScalarBody body;

  unsigned add(Value value, uint64_t initial = 0) {
    registers[value] = body.initial.size();
    body.initial.push_back(initial);
    return registers[value];
  }

  std::vector<unsigned> addAll(ValueRange values) {
    std::vector<unsigned> all;
    for (Value value : values)
      all.push_back(add(value));
    return all;
  }

  /// The register of an operand: a constant, what was made before, or a value from outside.
  unsigned find(Value value) {
    if (auto known = registers.find(value); known != registers.end())
      return known->second;
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      if (!isa<ShapedType>(constant.getType()))
        return add(value, elementOf(constant.getValue()));
    unsigned place = add(value);
    body.captures.push_back({place, value});
    return place;
  }

  std::vector<unsigned> findAll(ValueRange values) {
    std::vector<unsigned> all;
    for (Value value : values)
      all.push_back(find(value));
    return all;
  }

  LogicalResult compile(Block &block, std::vector<Step> &steps) {
    for (Operation &op : block.without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(op)) {
        body.indices.push_back({add(index.getResult()), Value(), int64_t(index.getDim())});
        continue;
      }
      if (isa<arith::ConstantOp>(op))
        continue;
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        if (failed(compileLoop(loop, steps.emplace_back())))
          return failure();
        continue;
      }
      std::optional<ScalarOp> scalar = ScalarOp::find(&op);
      if (!scalar || op.getNumOperands() > 3)
        return op.emitError() << "'" << op.getName() << "' has no interpreter in a loop";
      Step step;
      step.op = *scalar;
      step.count = op.getNumOperands();
      llvm::copy(findAll(op.getOperands()), step.operands);
      step.result = add(op.getResult(0));
      steps.push_back(std::move(step));
    }
    return success();
  }

private:
  LogicalResult compileLoop(scf::ForOp op, Step &step) {
    Loop loop;
    loop.lower = find(op.getLowerBound());
    loop.upper = find(op.getUpperBound());
    loop.step = find(op.getStep());
    loop.initial = findAll(op.getInitArgs());
    loop.index = add(op.getInductionVar());
    loop.carried = addAll(op.getRegionIterArgs());
    if (failed(compile(*op.getBody(), loop.steps)))
      return failure();
    loop.yielded = findAll(op.getYieldedValues());
    loop.results = addAll(op.getResults());
    step.loop = std::make_shared<const Loop>(std::move(loop));
    return success();
  }

  llvm::DenseMap<Value, unsigned> registers;
};

FailureOr<ScalarBody> ScalarBody::compile(Block &block) {
  Compiler compiler;
  compiler.addAll(block.getArguments());
  std::vector<Step> steps;
  if (failed(compiler.compile(block, steps)))
    return failure();
  compiler.body.steps = std::move(steps);
  compiler.body.yields = compiler.findAll(block.getTerminator()->getOperands());
  return std::move(compiler.body);
}

void ScalarBody::run(std::vector<uint64_t> &registers) const { run(steps, registers); }

void ScalarBody::run(const std::vector<Step> &steps, std::vector<uint64_t> &registers) {
  uint64_t operands[3];
  for (const Step &step : steps) {
    if (step.loop) {
      run(*step.loop, registers);
      continue;
    }
    for (unsigned i = 0; i < step.count; ++i)
      operands[i] = registers[step.operands[i]];
    registers[step.result] = step.op.compute(operands, step.op);
  }
}

static void move(std::vector<uint64_t> &registers, ArrayRef<unsigned> from, ArrayRef<unsigned> to) {
  SmallVector<uint64_t> values;
  for (unsigned place : from)
    values.push_back(registers[place]);
  for (auto [place, value] : llvm::zip_equal(to, values))
    registers[place] = value;
}

/// A step that is not positive, which the operation does not allow, ends the loop.
void ScalarBody::run(const Loop &loop, std::vector<uint64_t> &registers) {
  int64_t upper = int64_t(registers[loop.upper]), step = int64_t(registers[loop.step]);
  move(registers, loop.initial, loop.carried);
  for (int64_t i = int64_t(registers[loop.lower]); step > 0 && i < upper; i += step) {
    registers[loop.index] = uint64_t(i);
    run(loop.steps, registers);
    move(registers, loop.yielded, loop.carried);
  }
  move(registers, loop.carried, loop.results);
}
