// distribute-parameter-server: tables are held by servers, which update them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/Remarks.h"
#include "lib/options/NameGlobs.h"
#include "lib/program/gradients/GradientRoles.h"
#include "lib/program/gradients/RowUpdates.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/servers/FirstValues.h"
#include "passes/distribution/servers/ServedTable.h"

#include "dialects/ps/Ps.h"
#include "dialects/train/ProgramClaims.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_PARAMETERSERVERPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

/// Which of the `count` arguments or results have one of `roles`, as `roleOf` tells.
static llvm::BitVector select(unsigned count, const llvm::DenseSet<Attribute> &roles,
                              function_ref<Attribute(unsigned)> roleOf) {
  llvm::BitVector selected(count);
  for (unsigned i = 0; i < count; ++i)
    if (roles.contains(roleOf(i)))
      selected.set(i);
  return selected;
}

/// Erases `ops` that nothing uses, and what only they used.
static void eraseUnused(llvm::SetVector<Operation *> ops) {
  while (!ops.empty()) {
    Operation *op = ops.pop_back_val();
    if (!op->use_empty() || !isMemoryEffectFree(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *made = operand.getDefiningOp())
        ops.insert(made);
    op->erase();
  }
}

/// What `function` returns as the variables `roles`, it returns no longer, nor does it compute it.
static void dropResults(func::FuncOp function, const llvm::DenseSet<Attribute> &roles) {
  llvm::BitVector results = select(function.getNumResults(), roles, [&](unsigned i) {
    return function.getResultAttr(i, train::TrainDialect::kVariable);
  });
  Operation *end = function.getBody().front().getTerminator();
  llvm::SetVector<Operation *> made;
  for (unsigned i : results.set_bits())
    if (Operation *op = end->getOperand(i).getDefiningOp())
      made.insert(op);
  end->eraseOperands(results);
  (void)function.eraseResults(results);
  eraseUnused(std::move(made));
}

/// What `function` took of them and does not use any more.
static void dropArguments(func::FuncOp function, const llvm::DenseSet<Attribute> &roles) {
  (void)function.eraseArguments(select(function.getNumArguments(), roles, [&](unsigned i) {
    return function.getArgAttr(i, train::TrainDialect::kVariable);
  }));
}

namespace {
struct ParameterServer : distribution::impl::ParameterServerPassBase<ParameterServer> {
  using ParameterServerPassBase::ParameterServerPassBase;

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program) || failed(run(*program)))
      signalPassFailure();
  }

private:
  LogicalResult run(Program program) {
    ServedProgram places(program);
    FailureOr<std::vector<ServedTable>> served =
        this->tables.empty() ? chooseTables(places) : findAsked(places);
    if (failed(served))
      return failure();
    if (asynchronous && failed(checkNothingStays(program, *served)))
      return failure();
    FailureOr<FirstValues> firstValues = readFirstValues(program, *served);
    if (failed(firstValues))
      return failure();
    ServedTable::Options options;
    options.isHashed = placement == TablePlacement::Hash;
    options.isMean = reduction == GradientReduction::Mean;
    options.isAsynchronous = asynchronous;
    if (staleness >= 0)
      options.staleness = staleness;
    options.warmUp = asynchronous ? warmUp : 0;
    options.wire = wireType();
    llvm::DenseSet<Attribute> roles;
    for (ServedTable &table : *served) {
      options.initial = firstValues->of(table.getRole().getName());
      if (failed(checkWire(table, options.wire)) ||
          failed(checkBegin(program, table, options.initial)))
        return failure();
      tell(program, table);
      options.isPrefetched = prefetch && canPrefetch(program, table);
      table.serve(places, options);
      roles.insert(table.getRoles().begin(), table.getRoles().end());
      ++servedTables;
    }
    forgetNamedGradients(program.step, roles); // servers add them up
    for (auto function : program.module.getOps<func::FuncOp>()) {
      dropResults(function, roles);
      dropArguments(function, roles);
    }
    return success();
  }

  /// Null: rows travel as they are.
  Type wireType() {
    OpBuilder builder(&getContext());
    if (wire == TableWire::None)
      return {};
    return wire == TableWire::BF16 ? Type(builder.getBF16Type()) : Type(builder.getF16Type());
  }

  static LogicalResult checkWire(ServedTable &table, Type wire) {
    if (!wire || table.isWhole() || table.getType().getElementType().isF32())
      return success();
    return table.getOptimizer()->emitError()
           << "variable \"" << table.getRole().getName() << "\" has rows of "
           << table.getType().getElementType() << ", and only those of f32 can travel as " << wire
           << " (serve-wire)";
  }

  FailureOr<FirstValues> readFirstValues(Program program, ArrayRef<ServedTable> served) {
    std::vector<std::string> rules;
    if (!served.empty()) // else serve=auto has said why it has no effect
      rules.assign(initial.begin(), initial.end());
    auto names = llvm::map_to_vector(
        served, [](const ServedTable &table) { return table.getRole().getName(); });
    return FirstValues::create(&getContext(), rules, names, [&](const Twine &message) {
      return mlir::emitError(program.step.getLoc()) << message;
    });
  }

  static LogicalResult checkBegin(Program program, const ServedTable &table, ps::RandomAttr asked) {
    if (asked || table.hasInitial())
      return success();
    return mlir::emitError(program.step.getLoc())
           << "variable \"" << table.getRole().getName()
           << "\" cannot be served: @initialize computes it; serve-initial says how its rows "
              "begin instead";
  }

  /// Workers that have no common steps cannot reduce a gradient.
  LogicalResult checkNothingStays(Program program, ArrayRef<ServedTable> served) {
    llvm::DenseSet<Attribute> theirs;
    for (const ServedTable &table : served)
      theirs.insert(table.getRole());
    WalkResult result = program.step.walk([&](OptimizerOpInterface optimizer) {
      train::VariableAttr role = findHeldVariable(optimizer.getVariable());
      if (role && theirs.contains(role))
        return WalkResult::advance();
      return WalkResult(optimizer->emitError()
                        << "variable \"" << (role ? role.getName() : "")
                        << "\" stays with the workers, which would have to reduce its gradient in "
                           "common steps; asynchronous training wants all variables with the "
                           "servers, say serve=*");
    });
    return failure(result.wasInterrupted());
  }

  static SmallVector<BlockArgument> trainableOf(Program program) {
    SmallVector<BlockArgument> trainable;
    for (BlockArgument argument : program.step.getArguments())
      if (train::VariableAttr role = findHeldVariable(argument))
        if (role.getVariableClass() == train::VariableClass::Trainable)
          trainable.push_back(argument);
    return trainable;
  }

  /// Large tables of which a step touches a few rows.
  FailureOr<std::vector<ServedTable>> chooseTables(const ServedProgram &places) {
    Program program = places.program;
    std::vector<ServedTable> chosen;
    std::string whyNone = "there is no table that can be served";
    for (BlockArgument argument : trainableOf(program)) {
      if (isNormReported(argument)) {
        whyNone = kWhyNoNorm.str();
        continue;
      }
      llvm::Expected<ServedTable> table =
          ServedTable::find(places, argument, ServedTable::Form::Rows);
      if (!table) {
        if (Refusal refusal = whyNoTable(places, argument, llvm::toString(table.takeError())))
          whyNone = refusal.reason();
        continue;
      }
      Refusal refusal = whyNotChosen(*table);
      if (!refusal) {
        chosen.push_back(std::move(*table));
        continue;
      }
      whyNone = "variable \"" + table->getRole().getName().str() +
                "\" stays with the workers: " + refusal.reason();
      remark::missed(table->getOptimizer()->getLoc(), remarkBy(getArgument(), program.step))
          << whyNone;
    }
    if (chosen.empty())
      mlir::emitWarning(program.step.getLoc()) << "serve=auto has no effect: " << whyNone;
    return chosen;
  }

  /// Of a variable that is looked up; nothing of an ordinary one. `whyNoRows` keeps its rows from
  /// being served: as a rule its optimizer.
  static Refusal whyNoTable(const ServedProgram &places, BlockArgument argument,
                            const std::string &whyNoRows) {
    llvm::Expected<ServedTable> whole =
        ServedTable::find(places, argument, ServedTable::Form::Whole);
    if (!whole) {
      llvm::consumeError(whole.takeError());
      return {};
    }
    if (!whole->isLookedUp())
      return {};
    return "variable \"" + whole->getRole().getName().str() +
           "\" stays with the workers: " + whyNoRows + " (optimizer '" +
           whole->getOptimizer()->getName().stripDialect().str() + "')";
  }

  /// All that keeps it from being served, so that nobody meets one reason after the other.
  Refusal whyNotChosen(const ServedTable &table) {
    if (!table.hasInitial())
      return "@initialize computes it";
    std::string reasons;
    if (table.getBytes() < minBytes)
      reasons = "it has " + std::to_string(table.getBytes()) + " bytes, and min-bytes is " +
                std::to_string(minBytes);
    if (Refusal refusal = lazy ? Refusal() : whyAllRowsChange(table.getOptimizer()))
      reasons += (reasons.empty() ? "" : "; besides, ") + refusal.reason() +
                 "; serve-lazy=true lets it change those with a gradient alone";
    return reasons.empty() ? Refusal() : Refusal(reasons);
  }

  FailureOr<std::vector<ServedTable>> findAsked(const ServedProgram &places) {
    Program program = places.program;
    auto complain = [&](const Twine &message) -> LogicalResult {
      return mlir::emitError(program.step.getLoc()) << message;
    };
    SmallVector<BlockArgument> trainable = trainableOf(program);
    auto names = llvm::map_to_vector(
        trainable, [](BlockArgument argument) { return findHeldVariable(argument).getName(); });
    std::vector<std::string> asked(tables.begin(), tables.end());
    FailureOr<options::NameGlobs> globs =
        options::NameGlobs::create("serve", "variable", asked, names, complain);
    if (failed(globs))
      return failure();
    std::vector<ServedTable> found;
    for (auto [name, argument] : llvm::zip_equal(names, trainable)) {
      if (!globs->matches(name))
        continue;
      llvm::Expected<ServedTable> table = findInAnyForm(places, argument);
      if (!table)
        return complain("variable \"" + name +
                        "\" cannot be served: " + llvm::toString(table.takeError()));
      found.push_back(std::move(*table));
    }
    return found;
  }

  /// Its rows if no more of it is needed.
  llvm::Expected<ServedTable> findInAnyForm(const ServedProgram &program, BlockArgument argument) {
    if (isNormReported(argument))
      return llvm::createStringError(kWhyNoNorm);
    llvm::Expected<ServedTable> table =
        ServedTable::find(program, argument, ServedTable::Form::Rows);
    if (!table) {
      std::string whyNoRows = llvm::toString(table.takeError());
      table = ServedTable::find(program, argument, ServedTable::Form::Whole);
      if (table && table->isClipped() && !asynchronous)
        return llvm::createStringError(
            "its gradient is clipped by the norm of all gradients, which nobody knows before the "
            "servers have added them up; asynchronous workers clip their own (serve-mode=async)");
      if (int64_t neighbours = countNeighbours(program.program.module); table && neighbours > 1)
        return llvm::createStringError(
            "neighbours of mesh=tp:" + std::to_string(neighbours) +
            " share what they push by its rows, and this one has none to share, for " + whyNoRows +
            "; name tables of which a step looks up rows alone, or leave mesh away");
      if (table && table->isLookedUp())
        mlir::emitWarning(table->getOptimizer()->getLoc())
            << "variable \"" << table->getRole().getName()
            << "\" is served whole, and travels whole in each step: " << whyNoRows;
      return table;
    }
    Refusal refusal = lazy ? Refusal() : whyAllRowsChange(table->getOptimizer());
    if (!refusal)
      return table;
    return llvm::createStringError(refusal.reason() +
                                   ", and servers update those with a gradient; use sgd or adagrad "
                                   "without weight decay, or say serve-lazy=true if that is meant");
  }

  /// Ranks that will have the same samples.
  static int64_t countNeighbours(ModuleOp module) {
    auto mesh = module->getAttrOfType<DenseI64ArrayAttr>(train::kMesh);
    return mesh ? mesh[1] : 1;
  }

  static constexpr StringLiteral kWhyNoNorm = "the step reports the norm of all gradients, which "
                                              "nobody knows before the servers have added "
                                              "them up; leave gradient-norm away";

  /// Whether @step returns a norm that the gradient of `variable` is part of.
  static bool isNormReported(BlockArgument variable) {
    auto isReturned = [](Operation *measure) {
      return isa<train::GlobalNormOp>(measure) &&
             llvm::any_of(measure->getUsers(), llvm::IsaPred<func::ReturnOp>);
    };
    for (Operation *user : variable.getUsers()) {
      auto optimizer = dyn_cast<OptimizerOpInterface>(user);
      if (!optimizer || optimizer.getVariable() != variable)
        continue;
      Value gradient = optimizer.getGradientMutable().get();
      if (auto clip = gradient.getDefiningOp<train::ClipOp>())
        gradient = clip.getGradient();
      if (llvm::any_of(gradient.getUsers(), isReturned))
        return true;
    }
    return false;
  }

  bool canPrefetch(Program program, const ServedTable &table) {
    Refusal refusal = table.whyNotPrefetched(program.step);
    if (refusal)
      remark::missed(table.getOptimizer()->getLoc(), remarkBy(getArgument(), program.step))
          << "variable \"" << table.getRole().getName().str()
          << "\" is not asked for ahead: " << refusal.reason();
    return !refusal;
  }

  void tell(Program program, const ServedTable &table) {
    remark::passed(table.getOptimizer()->getLoc(), remarkBy(getArgument(), program.step))
        << "variable \"" << table.getRole().getName().str() << "\" is served: "
        << (table.isWhole() ? "whole" : std::to_string(table.getType().getDimSize(0)) + " rows")
        << ", " << std::to_string(table.getHeldBytes()) << " bytes with the optimizer's states";
  }
};
} // namespace
