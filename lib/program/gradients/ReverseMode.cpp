// Reverse-mode differentiation of values of a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/gradients/ReverseMode.h"

#include "dialects/interfaces/Differentiable.h"
#include "lib/program/Program.h"
#include "lib/program/ValueNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;

/// Gradients flow only through floats: integers have no derivative.
static bool carriesGradient(Value value) {
  return isa<RankedTensorType>(value.getType()) &&
         isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

std::string program::nameOfVariable(Operation *asker, Value variable, unsigned index) {
  if (train::VariableAttr role = findHeldVariable(variable))
    return ("'" + role.getName() + "'").str();
  return ("number " + Twine(index) + " of " + asker->getName().getStringRef()).str();
}

ReverseMode::ReverseMode(Operation *asker, const OpBuilder &builder, ValueRange variables,
                         llvm::iterator_range<Block::iterator> operations)
    : asker(asker), builder(builder), ordered(variables) {
  for (auto [i, variable] : llvm::enumerate(variables))
    this->variables.try_emplace(variable, i);
  for (Operation &op : operations)
    this->operations.push_back(&op);
}

std::optional<unsigned> ReverseMode::findVariableOf(Operation *op) const {
  SetVector<Value> captured;
  if (op->getNumRegions())
    getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (auto values : {ValueRange(op->getOperands()), ValueRange(captured.getArrayRef())})
    for (Value value : values)
      if (auto found = active.find(value); found != active.end())
        return found->second;
  return std::nullopt;
}

void ReverseMode::findActiveValues() {
  active = variables;
  for (Operation *op : operations)
    if (std::optional<unsigned> variable = findVariableOf(op))
      for (Value result : op->getResults())
        if (carriesGradient(result))
          active.try_emplace(result, *variable);
}

SmallVector<Value> ReverseMode::takeResultGradients(Operation *op) {
  SmallVector<Value> gradients;
  for (Value result : op->getResults())
    gradients.push_back(variables.contains(result) ? Value() : flowing.lookup(result));
  return llvm::any_of(gradients, [](Value v) { return static_cast<bool>(v); })
             ? gradients
             : SmallVector<Value>();
}

/// "onnx.Shape", or the operator that a custom operation stands for: "com.acme.Swirl".
static std::string nameOfOperator(Operation *op) {
  auto domain = op->getAttrOfType<StringAttr>("domain"),
       name = op->getAttrOfType<StringAttr>("name");
  if (op->getName().getStringRef() != "onnx.custom" || !domain || !name)
    return op->getName().getStringRef().str();
  return ((domain.empty() ? "ai.onnx" : domain.getValue()) + "." + name.getValue()).str();
}

LogicalResult ReverseMode::reportMissingRule(Operation *op) {
  InFlightDiagnostic error =
      op->emitError("'") << nameOfOperator(op) << "' has no gradient, but the gradient of variable "
                         << nameOfVariable(asker, ordered[*findVariableOf(op)], *findVariableOf(op))
                         << " passes through it";
  bool isCustom = op->getName().getStringRef() == "onnx.custom"; // which does not compile either
  error.attachNote(asker->getLoc())
      << "the gradient is asked for here; "
      << (isCustom ? "Tutti has no definition of the operator: express it by operators that it has "
                     "(docs/frontend.md), as nodes or as a function of the model "
                     "(ModelProto.functions)"
                   : "leave the variable out (freeze it), or replace the operation");
  return error;
}

void ReverseMode::add(Value value, Value gradient, Location location) {
  Value &sum = flowing[value];
  if (sum) {
    sum = arith::AddFOp::create(builder, location, sum, gradient);
    ++sums;
  } else {
    sum = gradient;
  }
}

LogicalResult ReverseMode::passOn(Operation *op, ValueRange operandGradients) {
  for (auto [operand, added] : llvm::zip_equal(op->getOperands(), operandGradients)) {
    if (!added)
      continue;
    if (added.getType() != operand.getType())
      return op->emitOpError("gave a gradient of type ")
             << added.getType() << " for an operand of type " << operand.getType();
    add(operand, added, op->getLoc());
  }
  return success();
}

StringRef ReverseMode::partOf(Operation *op, const llvm::SmallBitVector &reached) const {
  auto isVariable = [&](unsigned operand) { return variables.contains(op->getOperand(operand)); };
  if (reached.none())
    return "backward";
  if (llvm::all_of(reached.set_bits(), isVariable))
    return "backward, weights";
  bool hasVariable =
      llvm::any_of(op->getOperands(), [&](Value v) { return variables.contains(v); });
  return hasVariable && llvm::none_of(reached.set_bits(), isVariable) ? "backward, input"
                                                                      : "backward";
}

void ReverseMode::nameParts(Operation *op, Operation *before, ValueRange operandGradients) {
  Block *block = builder.getInsertionBlock();
  auto first = before ? std::next(before->getIterator()) : block->begin();
  SmallVector<Operation *> made;
  for (Operation &one : llvm::make_range(first, builder.getInsertionPoint()))
    made.push_back(&one);
  llvm::DenseMap<Operation *, llvm::SmallBitVector> reached;
  auto reaches = [&](Operation *one) -> llvm::SmallBitVector & {
    return reached.try_emplace(one, op->getNumOperands()).first->second;
  };
  for (auto [i, gradient] : llvm::enumerate(operandGradients))
    if (Operation *maker = gradient ? gradient.getDefiningOp() : nullptr)
      reaches(maker).set(i);
  for (Operation *one : llvm::reverse(made)) {
    llvm::SmallBitVector own = reaches(one);
    one->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *maker = operand.getDefiningOp())
          reaches(maker) |= own;
      inner->setLoc(program::withPart(inner->getLoc(), partOf(op, own)));
    });
  }
}

LogicalResult ReverseMode::differentiate(Operation *op) {
  SmallVector<Value> resultGradients = takeResultGradients(op);
  if (resultGradients.empty() || !findVariableOf(op))
    return success();
  auto rule = dyn_cast<DifferentiableOpInterface>(op);
  if (!rule)
    return reportMissingRule(op);
  llvm::SmallBitVector wanted(op->getNumOperands());
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    wanted[i] = active.contains(operand);
  SmallVector<Value> operandGradients;
  Block::iterator place = builder.getInsertionPoint();
  Operation *before = place == builder.getInsertionBlock()->begin() ? nullptr : &*std::prev(place);
  if (failed(rule.buildGradient(builder, resultGradients, wanted, operandGradients)))
    return failure();
  ++differentiated;
  nameParts(op, before, operandGradients);
  return passOn(op, operandGradients);
}

FailureOr<SmallVector<Value>> ReverseMode::run(ArrayRef<Seed> seeds) {
  findActiveValues();
  for (auto [value, gradient] : seeds)
    add(value, gradient, asker->getLoc());
  for (Operation *op : llvm::reverse(operations))
    if (failed(differentiate(op)))
      return failure();
  return llvm::map_to_vector(ordered, [&](Value variable) { return flowing.lookup(variable); });
}
