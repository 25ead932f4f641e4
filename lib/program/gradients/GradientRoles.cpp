// From roles of gradients to train.mark_gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/program/gradients/GradientRoles.h"

#include "dialects/ps/Ps.h"
#include "dialects/train/ValueRoles.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;
using train::findGradient;
using train::readGradient;
using train::TrainDialect;

static constexpr StringRef kGradient = TrainDialect::kGradient;

static FunctionOpInterface findCallee(Operation *op) {
  auto call = dyn_cast<CallOpInterface>(op);
  return call ? dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable())
              : FunctionOpInterface();
}

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

namespace {
class Finder {
public:
  explicit Finder(func::FuncOp step) : step(step) {}

  SmallVector<NamedGradient> find() {
    for (BlockArgument argument : step.getArguments())
      add(argument, readGradient(step.getArgAttr(argument.getArgNumber(), kGradient)));
    step.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
    return std::move(found);
  }

private:
  void visit(Operation *op) {
    if (isa<train::MarkGradientOp>(op))
      return;
    for (OpResult result : op->getResults())
      add(result, findGradient(op, result.getResultNumber()));
    if (FunctionOpInterface callee = findCallee(op))
      visitCall(cast<CallOpInterface>(op), callee);
    if (op->getParentOp() == step && op->hasTrait<OpTrait::ReturnLike>())
      for (OpOperand &value : op->getOpOperands())
        add(value.get(), readGradient(step.getResultAttr(value.getOperandNumber(), kGradient)));
  }

  void visitCall(CallOpInterface call, FunctionOpInterface callee) {
    for (auto [index, value] : llvm::enumerate(call.getArgOperands()))
      if (index < callee.getNumArguments())
        add(value, readGradient(callee.getArgAttr(index, kGradient)));
    for (OpResult result : call->getResults())
      if (result.getResultNumber() < callee.getNumResults())
        add(result, readGradient(callee.getResultAttr(result.getResultNumber(), kGradient)));
  }

  void add(Value value, std::optional<StringRef> variable) {
    bool isMarked = isa_and_nonnull<train::MarkGradientOp>(value.getDefiningOp());
    if (variable && !isMarked && !isPushed(value) && values.insert(value).second)
      found.push_back({value, *variable});
  }

  static bool isPushed(Value value) {
    return llvm::any_of(value.getUsers(), llvm::IsaPred<ps::PushOp, ps::PushRowsOp>);
  }

  func::FuncOp step;
  llvm::DenseSet<Value> values;
  SmallVector<NamedGradient> found;
};
} // namespace

SmallVector<NamedGradient> tutti::program::findNamedGradients(func::FuncOp step) {
  return Finder(step).find();
}

//===----------------------------------------------------------------------===//
// Roles out of reach
//===----------------------------------------------------------------------===//

/// The functions, other than `step`, that run when it does.
static llvm::SetVector<Operation *> findReached(func::FuncOp step) {
  llvm::SetVector<Operation *> reached;
  reached.insert(step);
  for (size_t next = 0; next < reached.size(); ++next)
    reached[next]->walk([&](Operation *op) {
      if (FunctionOpInterface callee = findCallee(op))
        reached.insert(callee);
    });
  reached.remove(step);
  return reached;
}

static bool hasRoles(FunctionOpInterface function) {
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    if (function.getArgAttr(index, kGradient))
      return true;
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    if (function.getResultAttr(index, kGradient))
      return true;
  return false;
}

static LogicalResult checkReach(func::FuncOp step) {
  for (Operation *function : findReached(step)) {
    WalkResult walked = function->walk([&](Operation *op) {
      FunctionOpInterface callee = findCallee(op);
      bool isNamed = op->getDiscardableAttr(kGradient) && !isa<train::MarkGradientOp>(op);
      if (!isNamed && !(callee && hasRoles(callee)))
        return WalkResult::advance();
      return WalkResult(mlir::emitError(op->getLoc())
                        << "'" << op->getName() << "' has a gradient by the attribute " << kGradient
                        << ", but stands in @" << SymbolTable::getSymbolName(function).getValue()
                        << ", which @step calls: gradients are reduced in @step; inline the call");
    });
    if (walked.wasInterrupted())
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Marking
//===----------------------------------------------------------------------===//

/// Puts the builder before the first use of `value`, so that gradients that exist before any of
/// them is used are reduced together.
static void setBeforeUses(OpBuilder &builder, Value value) {
  Operation *first = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *inBlock = value.getParentBlock()->findAncestorOpInBlock(*user);
    if (!inBlock)
      return builder.setInsertionPointAfterValue(value);
    first = !first || inBlock->isBeforeInBlock(first) ? inBlock : first;
  }
  first ? builder.setInsertionPoint(first) : builder.setInsertionPointAfterValue(value);
}

static Attribute roleOf(StringRef variable, Builder &builder) {
  return variable.empty() ? Attribute(builder.getUnitAttr()) : builder.getStringAttr(variable);
}

static void mark(NamedGradient gradient) {
  OpBuilder builder(gradient.value.getContext());
  setBeforeUses(builder, gradient.value);
  auto mark = train::MarkGradientOp::create(builder, gradient.value.getLoc(),
                                            gradient.value.getType(), gradient.value);
  mark->setAttr(kGradient, roleOf(gradient.variable, builder));
  gradient.value.replaceAllUsesExcept(mark, mark);
}

/// Takes the role of `value` away from where it is made.
static void dropRole(Value value, func::FuncOp step) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    if (argument.getOwner()->getParentOp() == step)
      step.removeArgAttr(argument.getArgNumber(), kGradient);
    return;
  }
  op->removeDiscardableAttr(StringAttr::get(op->getContext(), kGradient));
  unsigned index = cast<OpResult>(value).getResultNumber();
  FunctionOpInterface callee = findCallee(op);
  if (callee && index < callee.getNumResults())
    callee.removeResultAttr(index, StringAttr::get(op->getContext(), kGradient));
}

FailureOr<unsigned> tutti::program::markNamedGradients(Program program) {
  if (failed(checkReach(program.step)))
    return failure();
  SmallVector<NamedGradient> gradients = findNamedGradients(program.step);
  for (const NamedGradient &gradient : gradients) {
    mark(gradient);
    dropRole(gradient.value, program.step);
  }
  return gradients.size();
}

/// The attribute of an operation with `count` results of which result `index` has `role`; `others`
/// is what it had before.
static Attribute withRole(Attribute others, unsigned count, unsigned index, Attribute role) {
  if (count == 1)
    return role;
  Builder builder(role.getContext());
  SmallVector<Attribute> each(count, builder.getStringAttr(""));
  if (auto known = dyn_cast_or_null<ArrayAttr>(others))
    each.assign(known.begin(), known.end());
  each[index] = role;
  return builder.getArrayAttr(each);
}

/// Gives `value` the role where it is made.
static void setRole(Value value, Attribute role, func::FuncOp step) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    if (argument.getOwner()->getParentOp() == step)
      step.setArgAttr(argument.getArgNumber(), kGradient, role);
    return;
  }
  unsigned index = cast<OpResult>(value).getResultNumber();
  auto name = StringAttr::get(op->getContext(), kGradient);
  FunctionOpInterface callee = findCallee(op);
  if (callee && index < callee.getNumResults())
    callee.setResultAttr(index, name, role);
  else
    op->setDiscardableAttr(
        name, withRole(op->getDiscardableAttr(name), op->getNumResults(), index, role));
}

void tutti::program::unmarkNamedGradients(Program program) {
  SmallVector<std::pair<Value, Attribute>> unmarked;
  program.step.walk([&](train::MarkGradientOp mark) {
    Attribute role = mark->getDiscardableAttr(kGradient);
    if (!role)
      return;
    unmarked.push_back({mark.getGradient(), role});
    mark.replaceAllUsesWith(mark.getGradient());
    mark.erase();
  });
  // What a function takes or returns as a gradient has kept its role.
  llvm::DenseSet<Value> named;
  for (const NamedGradient &gradient : findNamedGradients(program.step))
    named.insert(gradient.value);
  for (auto [value, role] : unmarked)
    if (!named.contains(value) && !value.getDefiningOp<train::MarkGradientOp>())
      setRole(value, role, program.step);
}

void tutti::program::forgetNamedGradients(func::FuncOp step,
                                          const llvm::DenseSet<Attribute> &variables) {
  llvm::DenseSet<StringRef> names;
  for (Attribute role : variables)
    names.insert(cast<train::VariableAttr>(role).getName());
  Builder builder(step.getContext());
  step.walk([&](Operation *op) {
    Attribute roles = op->getDiscardableAttr(kGradient);
    auto isForgotten = [&](Attribute role) {
      std::optional<StringRef> name = readGradient(role);
      return name && names.contains(*name);
    };
    auto each = dyn_cast_or_null<ArrayAttr>(roles);
    if (each && llvm::any_of(each, isForgotten)) {
      auto kept = llvm::map_to_vector(each, [&](Attribute role) -> Attribute {
        return isForgotten(role) ? builder.getStringAttr("") : role;
      });
      op->setDiscardableAttr(builder.getStringAttr(kGradient), builder.getArrayAttr(kept));
    } else if (isForgotten(roles)) {
      op->removeDiscardableAttr(builder.getStringAttr(kGradient));
    }
  });
}
