// Chooses the variables that are trained, and tells of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/recipe/TrainedVariables.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/train/DoubtfulVariables.h"
#include "lib/analysis/Remarks.h"
#include "lib/options/NameGlobs.h"
#include "passes/gradient/LossOfGraph.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::gradient;
using train::TrainDialect;
using train::VariableClass;

namespace {

class Chooser {
public:
  Chooser(ForwardFunction forward, func::FuncOp initialize, const Recipe &recipe)
      : forward(forward), initialize(initialize), recipe(recipe), count(forward.countVariables()) {
    for (unsigned index = 0; index < count; ++index)
      names.push_back(forward.variable(index).getName());
  }

  FailureOr<SmallVector<unsigned>> choose();

private:
  /// What becomes of a variable.
  enum class Use { Trained, Frozen, Scalar, Unused, WithoutGradient, Kept };

  LogicalResult parseGlobs();
  LogicalResult checkFrozen();
  bool isScalar(unsigned index);
  bool isStatistic(unsigned index);
  bool canTrain(unsigned index) {
    return forward.variable(index).getVariableClass() == VariableClass::Trainable ||
           isScalar(index);
  }
  Use useOf(unsigned index);
  void findUnused();
  DenseSet<Value> findAbove(ArrayRef<Value> values, bool withGradient);
  LogicalResult checkDoubtful();
  void setClass(unsigned index, VariableClass kind);
  void report(Use use, StringRef what);
  LogicalResult complain(const Twine &problem) {
    return forward.op().emitError("recipe: ") << problem;
  }

  ForwardFunction forward;
  func::FuncOp initialize;
  const Recipe &recipe;
  unsigned count;
  SmallVector<StringRef> names;
  SmallVector<std::string> chosen; ///< the globs of `trainable` but `default`
  options::NameGlobs trainable, frozen;
  SmallVector<Use> uses;
};

} // namespace

/// Of a batch normalization.
bool Chooser::isStatistic(unsigned index) {
  return llvm::any_of(forward.op().getArgument(index).getUses(), [](OpOperand &use) {
    return isa<onnx::BatchNormalizationOp>(use.getOwner()) && use.getOperandNumber() >= 3;
  });
}

/// A float of one element that is no running statistic: it may train if it is asked for.
bool Chooser::isScalar(unsigned index) {
  BlockArgument argument = forward.op().getArgument(index);
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  bool hasOneElement = type && isa<FloatType>(type.getElementType()) && type.hasStaticShape() &&
                       type.getNumElements() == 1;
  return hasOneElement && forward.variable(index).getVariableClass() == VariableClass::Other &&
         !isStatistic(index);
}

LogicalResult Chooser::parseGlobs() {
  auto complain = [&](const Twine &problem) { return this->complain(problem); };
  llvm::copy_if(recipe.trainable, std::back_inserter(chosen),
                [](StringRef glob) { return glob != Recipe::trainableByDefault; });
  auto first = options::NameGlobs::create("trainable", "variable", chosen, names, complain);
  if (failed(first))
    return failure();
  auto second = options::NameGlobs::create("freeze", "variable", recipe.frozen, names, complain);
  if (failed(second))
    return failure();
  trainable = std::move(*first), frozen = std::move(*second);
  return success();
}

/// A glob may match running statistics besides what can be trained, but not alone, unless it
/// freezes them.
LogicalResult Chooser::checkFrozen() {
  auto check = [&](StringRef key, ArrayRef<std::string> globs,
                   bool takesStatistics) -> LogicalResult {
    for (const std::string &glob : globs) {
      auto one = options::NameGlobs::create(
          key, "variable", glob, names, [](const Twine &) -> LogicalResult { return failure(); });
      auto isChosen = [&](unsigned index) {
        return one->matches(names[index]) &&
               (canTrain(index) || (takesStatistics && isStatistic(index)));
      };
      if (succeeded(one) && llvm::none_of(llvm::seq(count), isChosen))
        return complain(key + ": variable '" + glob +
                        "' is not trainable: it is a buffer or a running statistic, or of a type "
                        "that has no gradient");
    }
    return success();
  };
  return failure(failed(check("trainable", chosen, /*takesStatistics=*/false)) ||
                 failed(check("freeze", recipe.frozen, /*takesStatistics=*/true)));
}

Chooser::Use Chooser::useOf(unsigned index) {
  if (!canTrain(index))
    return Use::Kept;
  bool isDefault =
      recipe.trainable.empty() || llvm::is_contained(recipe.trainable, Recipe::trainableByDefault);
  bool isTrained = trainable.matches(names[index]) || (isDefault && !isScalar(index));
  if (isTrained)
    return frozen.matches(names[index]) ? Use::Frozen : Use::Trained;
  return isScalar(index) && !frozen.matches(names[index]) ? Use::Scalar : Use::Frozen;
}

static bool isFloat(Value value) { return isa<FloatType>(getElementTypeOrSelf(value.getType())); }

/// What `values` are made of; `withGradient`, as far as gradients get: integers and truths, which
/// comparisons and conversions make of floats, have none.
DenseSet<Value> Chooser::findAbove(ArrayRef<Value> values, bool withGradient) {
  SmallVector<Value> pending(values);
  DenseSet<Value> reached(pending.begin(), pending.end());
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op)
      continue;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if ((!withGradient || isFloat(operand)) && reached.insert(operand).second)
          pending.push_back(operand);
    });
  }
  return reached;
}

/// Variables that what the loss is made of does not depend on, or not in a way that has a gradient.
/// An optimizer would still let them decay.
void Chooser::findUnused() {
  SmallVector<Value> loss = valuesOfLoss(forward, recipe);
  if (loss.empty())
    return;
  DenseSet<Value> reached = findAbove(loss, /*withGradient=*/false);
  DenseSet<Value> moved = findAbove(loss, /*withGradient=*/true);
  for (unsigned index = 0; index < count; ++index) {
    Value variable = forward.op().getArgument(index);
    if (uses[index] == Use::Trained && !moved.contains(variable))
      uses[index] = reached.contains(variable) ? Use::WithoutGradient : Use::Unused;
  }
}

/// Globs that match `names`: themselves, or, if they are many, their last words.
static std::string globsFor(ArrayRef<StringRef> names) {
  constexpr size_t few = 5;
  SetVector<StringRef> globs;
  std::vector<std::string> words;
  for (StringRef name : names) {
    StringRef word = names.size() > few && name.contains('.') ? name.rsplit('.').second : name;
    if (globs.insert(word))
      words.push_back((word == name ? "" : "*.") + word.str());
  }
  return llvm::join(words, ",");
}

/// Nobody but the user knows what these are.
LogicalResult Chooser::checkDoubtful() {
  auto module = forward.op()->getParentOfType<ModuleOp>();
  auto doubtful = module->getAttrOfType<DictionaryAttr>(train::kDoubtful);
  SmallVector<StringRef> open;
  std::string listed;
  for (unsigned index = 0; doubtful && index < count; ++index) {
    auto why = doubtful.getAs<StringAttr>(names[index]);
    if (!why || uses[index] != Use::Trained || trainable.matches(names[index]))
      continue;
    open.push_back(names[index]);
    if (open.size() <= 5)
      listed += (listed.empty() ? "'" : ", '") + names[index].str() + "' (" + why.str() + ")";
  }
  if (open.empty())
    return success();
  std::string globs = globsFor(open);
  return complain(
      Twine(counted(open.size(), "variable")) +
      (open.size() == 1 ? " looks like a buffer, which is" : " look like buffers, which are") +
      " not trained, and nothing says so: " + listed + (open.size() > 5 ? ", ..." : "") +
      "; freeze=" + globs + " keeps, trainable=default," + globs +
      " trains them; a model that says tutti.buffers needs neither "
      "(docs/from-pytorch.md)");
}

void Chooser::setClass(unsigned index, VariableClass kind) {
  auto variable = train::VariableAttr::get(forward.op().getContext(), names[index], kind);
  forward.op().setArgAttr(index, TrainDialect::kVariable, variable);
  initialize.setResultAttr(index, TrainDialect::kVariable, variable);
}

/// "2 variables trained", and their names.
void Chooser::report(Use use, StringRef what) {
  SmallVector<StringRef> group;
  for (unsigned index = 0; index < count; ++index)
    if (uses[index] == use)
      group.push_back(names[index]);
  if (!group.empty())
    remark::analysis(forward.op().getLoc(), remarkBy("train-apply-recipe", forward.op()))
        << counted(group.size(), "variable") << " " << what
        << remark::metric("names", llvm::join(group, ", "));
}

FailureOr<SmallVector<unsigned>> Chooser::choose() {
  if (failed(parseGlobs()) || failed(checkFrozen()))
    return failure();
  for (unsigned index = 0; index < count; ++index)
    uses.push_back(useOf(index));
  findUnused();
  if (failed(checkDoubtful()))
    return failure();
  SmallVector<unsigned> trained;
  for (unsigned index = 0; index < count; ++index) {
    if (uses[index] == Use::Trained)
      trained.push_back(index);
    if (canTrain(index))
      setClass(index,
               uses[index] == Use::Trained ? VariableClass::Trainable : VariableClass::Other);
  }
  report(Use::Trained, "trained");
  report(Use::Frozen, "frozen");
  report(Use::Scalar, "of one element not trained, as trainable= does not ask for it");
  report(Use::Unused, "unused: the loss does not depend on it, so it is not trained");
  report(Use::WithoutGradient, "without a gradient: the loss depends on it only by way of integers "
                               "and truths, so it is not trained");
  report(Use::Kept, "kept, that cannot be trained");
  if (trained.empty())
    return complain("no variable of @forward is trainable; parameters are float initializers that "
                    "are neither folded into constants nor frozen, nor scalars; inputs of an ONNX "
                    "graph become parameters where --variables gives their values");
  return trained;
}

FailureOr<SmallVector<unsigned>> tutti::gradient::chooseTrained(ForwardFunction forward,
                                                                func::FuncOp initialize,
                                                                const Recipe &recipe) {
  return Chooser(forward, initialize, recipe).choose();
}
