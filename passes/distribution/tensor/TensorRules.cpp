// Reads the rules of tensor=RULES, and finds those of tensor=auto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/distribution/tensor/TensorRules.h"

#include "lib/analysis/Remarks.h"
#include "lib/diagnostics/Refusal.h"
#include "lib/layout/ShardingRules.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

static bool isTrainable(BlockArgument argument) {
  train::VariableAttr role = findHeldVariable(argument);
  return role && role.getVariableClass() == train::VariableClass::Trainable && role.isReplicated();
}

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

namespace {
/// What rules say of the arguments of a step.
struct NamedArguments {
  CutArguments cut;
  llvm::DenseSet<unsigned> whole;
};
} // namespace

static LogicalResult readRule(Program program, StringRef rule, int64_t parts,
                              NamedArguments &named) {
  auto refuse = [&]() -> InFlightDiagnostic {
    return mlir::emitError(program.step.getLoc()) << "tensor: \"" << rule << "\" ";
  };
  auto [pattern, number] = rule.rsplit('=');
  int64_t dimension = -1;
  bool isWhole = number == "whole";
  if (pattern.empty() || (!isWhole && (number.getAsInteger(10, dimension) || dimension < 0)))
    return refuse()
           << "is no rule: write PATTERN=DIMENSION, such as fc1.weight=0, or PATTERN=whole";
  llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern);
  if (!glob) {
    llvm::consumeError(glob.takeError());
    return refuse() << "has no pattern of names: * stands for any text, ? for one character";
  }
  bool isUsed = false;
  for (BlockArgument argument : program.step.getArguments()) {
    if (!isTrainable(argument) || !glob->match(findHeldVariable(argument).getName()))
      continue;
    isUsed = true;
    if (isWhole) {
      named.whole.insert(argument.getArgNumber());
      continue;
    }
    auto type = cast<RankedTensorType>(argument.getType());
    auto complain = [&]() -> InFlightDiagnostic {
      return refuse() << "cannot cut \"" << findHeldVariable(argument).getName() << "\" of type "
                      << type << ": ";
    };
    if (dimension >= type.getRank())
      return complain() << "it has no dimension " << dimension << ", they are counted from 0";
    if (type.isDynamicDim(dimension) || type.getDimSize(dimension) % parts != 0)
      return complain() << parts << " ranks do not divide dimension " << dimension
                        << "; choose another dimension, or another number of ranks in mesh=tp:N";
    named.cut[argument.getArgNumber()] = {dimension};
  }
  if (isUsed)
    return success();
  return refuse() << "names no trainable variable of the program";
}

//===----------------------------------------------------------------------===//
// Pairs of products
//===----------------------------------------------------------------------===//

namespace {
/// Weights that may be cut along their columns, of products with one and the same value.
struct Columns {
  CutArguments weights;
  Operation *product = nullptr; ///< the first of them
};
} // namespace

/// The column of the weight of a product of a value and a weight, which nobody else has.
static std::optional<std::pair<BlockArgument, TensorCut>> findColumn(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() < 2)
    return std::nullopt;
  FailureOr<ShardingRule> rule = findShardingRule(op);
  if (failed(rule) || rule->operands.size() < 2)
    return std::nullopt;
  auto isLinearInOneOf = [&](unsigned factor, unsigned other) {
    return llvm::any_of(rule->linear, [&](const auto &set) {
      return llvm::is_contained(set, factor) && !llvm::is_contained(set, other);
    });
  };
  auto has = [](const TensorFactors &tensor, unsigned factor) {
    return llvm::any_of(tensor, [&](auto &all) { return llvm::is_contained(all, factor); });
  };
  bool sums = llvm::any_of(llvm::seq<unsigned>(0, rule->factors.size()), [&](unsigned factor) {
    return rule->factors[factor].kind == FactorKind::Sum && has(rule->operands[0], factor) &&
           has(rule->operands[1], factor);
  });
  if (!sums || !isLinearInOneOf(0, 1) || !isLinearInOneOf(1, 0))
    return std::nullopt;
  for (auto [dimension, factors] : llvm::enumerate(rule->operands[1])) {
    bool isColumn = factors.size() == 1 && has(rule->results[0], factors.front()) &&
                    !has(rule->operands[0], factors.front());
    if (!isColumn)
      continue;
    auto found = findCutArgument(op->getOperand(1), {int64_t(dimension)});
    if (found && isTrainable(found->first))
      return found;
  }
  return std::nullopt;
}

/// Whether a weight has at least as many columns as rows.
static bool isWide(BlockArgument weight, const TensorCut &along) {
  auto type = cast<RankedTensorType>(weight.getType());
  int64_t columns = type.getDimSize(along.dimension);
  return type.hasStaticShape() && columns * columns >= type.getNumElements();
}

SmallVector<Column> tutti::distribution::findUnequalColumns(func::FuncOp step, int64_t parts) {
  SmallVector<Column> all;
  llvm::DenseSet<Value> seen;
  step.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto column = findColumn(op);
    if (!column || !isWide(column->first, column->second) || column->second.outer != 1)
      return;
    auto type = cast<RankedTensorType>(column->first.getType());
    if (type.getDimSize(column->second.dimension) >= parts && !column->second.fits(type, parts) &&
        seen.insert(column->first).second)
      all.push_back({column->first, column->second, op});
  });
  return all;
}

/// In the order of the program; each weight where it is used first.
static llvm::MapVector<Value, Columns> findColumns(func::FuncOp step, int64_t parts) {
  llvm::MapVector<Value, Columns> all;
  llvm::DenseSet<Value> seen;
  step.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto column = findColumn(op);
    if (!column || !seen.insert(column->first).second)
      return;
    auto type = cast<RankedTensorType>(column->first.getType());
    if (!column->second.fits(type, parts)) {
      remark::missed(op->getLoc(), remarkBy("distribute-tensor", step))
          << ("weight \"" + findHeldVariable(column->first).getName() +
              "\" stays whole: " + Twine(parts) + " ranks do not divide its columns")
                 .str();
      return;
    }
    Columns &columns = all[op->getOperand(0)];
    columns.weights[column->first.getArgNumber()] = column->second;
    if (!columns.product)
      columns.product = op;
  });
  return all;
}

namespace {
/// A copy of the step, in which cuts are tried; it stands in the module meanwhile. What a trial
/// writes in another form stays so: it means the same.
class Trials {
public:
  Trials(Program program, int64_t parts)
      : copy(program.step.clone()), parts(parts), places(program.step) {
    OpBuilder builder(program.step);
    copy.setName((program.step.getName() + "_tried").str());
    copy.setPrivate();
    builder.insert(copy);
  }
  ~Trials() { copy.erase(); }

  /// Why `cut`, alone, is no pair of products; variables that are used in parts join it. A weight
  /// whose columns are of several things, such as query, key and value, is cut in each of them.
  FailureOr<Refusal> whyNot(CutArguments &cut) {
    CutArguments tried = cut;
    Refusal first;
    while (true) {
      FailureOr<Refusal> refusal = whyNotAlone(tried);
      if (succeeded(refusal) && !*refusal)
        cut = tried;
      if (failed(refusal) || !*refusal)
        return refusal;
      if (!first)
        first = *refusal;
      if (!hasRanges)
        return first;
    }
  }

private:
  FailureOr<Refusal> whyNotAlone(CutArguments &cut) {
    hasRanges = false;
    TensorPlacement placement = TensorPlacement::ofTrial(copy, parts, cut);
    if (failed(placement.place()))
      return failure();
    if (placement.whyStopped()) {
      hasRanges = findRanges(placement, cut);
      return placement.whyStopped();
    }
    if (placement.cutsClasses() && !llvm::all_of(cut, [&](auto &one) {
          return isWide(copy.getArgument(one.first), one.second);
        }))
      return Refusal("it has fewer classes than features, too few to be worth the messages of a "
                     "loss in parts");
    cut = placement.getCut();
    SmallVector<TensorPlacement::Gather> gathers = placement.findGathers(places);
    if (!gathers.empty())
      return Refusal("'" + gathers.front().user->getName().getStringRef() +
                     "' would need what is computed with it whole");
    if (placement.countSums() > 2)
      return Refusal("more than two sums over neighbours would be added");
    return Refusal();
  }

  /// Cuts a weight of `cut` in the ranges that the operation which stopped the trial divides a
  /// dimension into; false if there are none, or it is cut so.
  bool findRanges(const TensorPlacement &placement, CutArguments &cut) {
    OpOperand *stopped = placement.whereStopped();
    BlockArgument source = stopped ? placement.findSource(stopped->get()) : BlockArgument();
    auto weight = source ? cut.find(source.getArgNumber()) : cut.end();
    FailureOr<ShardingRule> rule = failure();
    if (weight != cut.end() && weight->second.outer == 1)
      rule = findShardingRule(stopped->getOwner());
    if (failed(rule))
      return false;
    int64_t dimension = placement.getLayout(stopped->get()).dimension, outer = 1;
    for (unsigned index : rule->operands[stopped->getOperandNumber()][dimension]) {
      const Factor &factor = rule->factors[index];
      if (ShapedType::isDynamic(factor.size))
        return false;
      bool isCut = outer > 1 && factor.kind == FactorKind::Pass && factor.size % parts == 0;
      TensorCut along{weight->second.dimension, outer};
      if (isCut && along.fits(cast<RankedTensorType>(source.getType()), parts)) {
        weight->second = along;
        return true;
      }
      outer *= factor.size;
    }
    return false;
  }

  bool hasRanges = false; ///< the trial is worth another one
  func::FuncOp copy;
  int64_t parts;
  VariablePlaces places;
};
} // namespace

/// Why variables of `wanted` do not join `cut`.
static Refusal whyNotJoined(const CutArguments &wanted, const CutArguments &cut) {
  for (auto [argument, along] : wanted)
    if (auto known = cut.find(argument); known != cut.end() && known->second != along)
      return "what is computed with it takes a variable that is cut along another dimension";
  return {};
}

/// Why the rules do not let `cut` be.
static Refusal whyNotNamed(Program program, const CutArguments &cut, const NamedArguments &named) {
  for (auto [argument, along] : cut)
    if (named.whole.contains(argument))
      return Refusal("the rules keep \"" +
                     findHeldVariable(program.step.getArgument(argument)).getName().str() +
                     "\" whole, which is used in parts with it");
  return {};
}

/// Weights of products that are cut along their columns, so that what follows is computed in parts
/// until another product sums over them. Tried in the order of the program, all that take the same
/// value together; kept where nothing must be gathered, and where at most one sum is added forward
/// and one backward. Says why others stay whole. Those that are named are cut as they are named.
static FailureOr<CutArguments> findTensorPairs(Program program, int64_t parts,
                                               const NamedArguments &named) {
  CutArguments cut = named.cut;
  Trials trials(program, parts);
  for (auto &[value, columns] : findColumns(program.step, parts)) {
    CutArguments wanted = columns.weights;
    if (llvm::any_of(wanted, [&](auto &one) { return cut.count(one.first) > 0; }))
      continue; // the second of a pair, or named
    FailureOr<Refusal> refusal = trials.whyNot(wanted);
    if (failed(refusal))
      return failure();
    if (!*refusal)
      *refusal = whyNotNamed(program, wanted, named);
    if (!*refusal)
      *refusal = whyNotJoined(wanted, cut);
    if (!*refusal) {
      cut.insert(wanted.begin(), wanted.end());
      continue;
    }
    for (auto [argument, along] : columns.weights)
      remark::missed(columns.product->getLoc(), remarkBy("distribute-tensor", program.step))
          << ("weight \"" + findHeldVariable(program.step.getArgument(argument)).getName() +
              "\" stays whole: " + refusal->reason())
                 .str();
  }
  return cut;
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

FailureOr<TensorPlacement> tutti::distribution::placeByRules(Program program, StringRef rules,
                                                             int64_t parts) {
  NamedArguments named;
  SmallVector<StringRef> all;
  rules.split(all, ';', -1, /*KeepEmpty=*/false);
  bool isAuto = !all.empty() && all.front() == "auto";
  for (StringRef rule : ArrayRef(all).drop_front(isAuto))
    if (failed(readRule(program, rule, parts, named)))
      return failure();
  FailureOr<CutArguments> wanted = named.cut;
  if (isAuto)
    wanted = findTensorPairs(program, parts, named);
  if (failed(wanted))
    return failure();
  TensorPlacement placement(program.step, parts, *wanted);
  if (failed(placement.place()))
    return failure();
  if (Refusal refusal = whyNotNamed(program, placement.getCut(), named))
    return mlir::emitError(program.step.getLoc())
           << "tensor=" << rules << " cannot be had: " << refusal.reason()
           << "; leave one of the two rules away";
  return placement;
}
