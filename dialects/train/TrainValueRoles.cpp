// Reads and verifies the roles of values: gradients and sources of random numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/train/ValueRoles.h"

#include "dialects/interfaces/Determinism.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tutti::train;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

std::optional<StringRef> tutti::train::readGradient(Attribute role) {
  if (isa_and_nonnull<UnitAttr>(role))
    return StringRef();
  auto name = dyn_cast_or_null<StringAttr>(role);
  return name && !name.empty() ? std::optional<StringRef>(name.getValue()) : std::nullopt;
}

std::optional<StringRef> tutti::train::findGradient(Operation *op, unsigned index) {
  Attribute roles = op->getDiscardableAttr(TrainDialect::kGradient);
  if (auto each = dyn_cast_or_null<ArrayAttr>(roles))
    return index < each.size() ? readGradient(each[index]) : std::nullopt;
  return readGradient(roles);
}

RandomAttr tutti::train::findRandom(Operation *op) {
  return dyn_cast_or_null<RandomAttr>(op->getDiscardableAttr(TrainDialect::kRandom));
}

//===----------------------------------------------------------------------===//
// One role
//===----------------------------------------------------------------------===//

static bool isFloatTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor &&
         isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(tensor.getElementType());
}

// program_c13
LogicalResult tutti::train::verifyGradient(Attribute role, Type type, EmitError emitError) {
  if (!readGradient(role))
    return emitError() << TrainDialect::kGradient
                       << " must be the name of a variable, or have no value, got " << role;
  if (isFloatTensor(type))
    return success();
  return emitError() << "a gradient must be a tensor of f16, bf16, f32 or f64, got " << type;
}

// program_c13
LogicalResult tutti::train::verifyGradients(Operation *op, Attribute roles) {
  auto each = dyn_cast<ArrayAttr>(roles);
  if (op->getNumResults() == 0 || (each && each.size() != op->getNumResults()) ||
      (!each && op->getNumResults() != 1))
    return op->emitError() << TrainDialect::kGradient << " is about the results of an operation: "
                           << "expected a role for each of " << op->getNumResults()
                           << " results, got " << roles;
  for (auto [index, type] : llvm::enumerate(op->getResultTypes())) {
    Attribute role = each ? each[index] : roles;
    auto name = dyn_cast<StringAttr>(role);
    if (each && name && name.empty())
      continue;
    auto emitError = [&, index = index] { return op->emitError() << "result " << index << ": "; };
    if (failed(verifyGradient(role, type, emitError)))
      return failure();
  }
  return success();
}

// program_c15
LogicalResult tutti::train::verifyRandom(Operation *op, Attribute role) {
  auto random = dyn_cast<RandomAttr>(role);
  if (!random || op->getNumResults() == 0)
    return op->emitError() << TrainDialect::kRandom
                           << " must be a #train.random, on an operation with results";
  if (random.isPerRank() && op->hasAttr(tutti::kDeterministic))
    return op->emitError() << "is declared " << tutti::kDeterministic
                           << ", and a source of random numbers of each rank's own: drop one";
  return success();
}

//===----------------------------------------------------------------------===//
// Gradients and variables
//===----------------------------------------------------------------------===//

namespace {
/// The gradients of one program, against its variables.
class GradientVerifier {
public:
  explicit GradientVerifier(ModuleOp program);
  LogicalResult verify(FunctionOpInterface function);

private:
  /// Checks the gradient of `name`, if that is a name. `seen` are those of the same kind.
  LogicalResult verify(std::optional<StringRef> name, Type type, llvm::StringSet<> &seen,
                       EmitError emitError);
  LogicalResult verifyResults(Operation *op, llvm::StringSet<> &seen);
  void addVariable(Attribute role, Type type);

  struct Variable {
    VariableAttr role;
    Type type;
  };
  llvm::StringMap<Variable> variables;
};
} // namespace

GradientVerifier::GradientVerifier(ModuleOp program) {
  if (auto initialize = program.lookupSymbol<FunctionOpInterface>("initialize"))
    for (auto [index, type] : llvm::enumerate(initialize.getResultTypes()))
      addVariable(initialize.getResultAttr(index, TrainDialect::kVariable), type);
  if (auto step = program.lookupSymbol<FunctionOpInterface>("step"))
    for (auto [index, type] : llvm::enumerate(step.getArgumentTypes()))
      addVariable(step.getArgAttr(index, TrainDialect::kVariable), type);
}

void GradientVerifier::addVariable(Attribute role, Type type) {
  if (auto variable = dyn_cast_or_null<VariableAttr>(role))
    variables.try_emplace(variable.getName(), Variable{variable, type});
}

/// Whether a gradient of type `own` can be that of a variable of type `type`.
static bool fits(Type own, Type type) {
  auto gradient = dyn_cast<ShapedType>(own), variable = dyn_cast<ShapedType>(type);
  return gradient && variable && gradient.getElementType() == variable.getElementType() &&
         succeeded(verifyCompatibleShape(gradient, variable));
}

// program_c14
LogicalResult GradientVerifier::verify(std::optional<StringRef> name, Type type,
                                       llvm::StringSet<> &seen, EmitError emitError) {
  if (!name || name->empty())
    return success();
  auto found = variables.find(*name);
  if (found == variables.end())
    return emitError() << "is the gradient of \"" << *name
                       << "\", which is no variable of this program";
  const Variable &variable = found->second;
  bool isWhole = variable.role.getPlacement() != VariablePlacement::Shard;
  if (isWhole && !fits(type, variable.type))
    return emitError() << "is the gradient of variable \"" << *name << "\", which is "
                       << variable.type << ", but has type " << type;
  if (seen.insert(*name).second)
    return success();
  return emitError() << "is a second gradient of variable \"" << *name
                     << "\": mark their sum instead";
}

LogicalResult GradientVerifier::verifyResults(Operation *op, llvm::StringSet<> &seen) {
  for (auto [index, type] : llvm::enumerate(op->getResultTypes())) {
    auto emitError = [&, index = index] { return op->emitError() << "result " << index << " "; };
    if (failed(verify(findGradient(op, index), type, seen, emitError)))
      return failure();
  }
  return success();
}

LogicalResult GradientVerifier::verify(FunctionOpInterface function) {
  llvm::StringSet<> ofArguments, ofResults, ofOperations;
  auto emitAt = [&](StringRef kind, unsigned index) {
    return function.emitError() << kind << " " << index << " of @" << function.getName() << " ";
  };
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (failed(verify(readGradient(function.getArgAttr(index, TrainDialect::kGradient)), type,
                      ofArguments, [&, index = index] { return emitAt("argument", index); })))
      return failure();
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(verify(readGradient(function.getResultAttr(index, TrainDialect::kGradient)), type,
                      ofResults, [&, index = index] { return emitAt("result", index); })))
      return failure();
  // A mark may come after an operation that has a role itself.
  WalkResult walked = function.walk([&](Operation *op) {
    llvm::StringSet<> ofMark;
    return WalkResult(verifyResults(op, isa<MarkGradientOp>(op) ? ofMark : ofOperations));
  });
  return failure(walked.wasInterrupted());
}

LogicalResult tutti::train::verifyGradientsOf(ModuleOp program) {
  GradientVerifier verifier(program);
  for (auto function : program.getOps<FunctionOpInterface>())
    if (failed(verifier.verify(function)))
      return failure();
  return success();
}
