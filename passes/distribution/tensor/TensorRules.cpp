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

static LogicalResult readRule(Program program, StringRef rule, int64_t parts, CutArguments &cut) {
  auto refuse = [&]() -> InFlightDiagnostic {
    return mlir::emitError(program.step.getLoc()) << "tensor: \"" << rule << "\" ";
  };
  auto [pattern, number] = rule.rsplit('=');
  int64_t dimension = -1;
  if (pattern.empty() || number.getAsInteger(10, dimension) || dimension < 0)
    return refuse() << "is no rule: write PATTERN=DIMENSION, such as fc1.weight=0";
  llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern);
  if (!glob) {
    llvm::consumeError(glob.takeError());
    return refuse() << "has no pattern of names: * stands for any text, ? for one character";
  }
  bool isUsed = false;
  for (BlockArgument argument : program.step.getArguments()) {
    if (!isTrainable(argument) || !glob->match(findHeldVariable(argument).getName()))
      continue;
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
    cut[argument.getArgNumber()] = dimension;
    isUsed = true;
  }
  if (isUsed)
    return success();
  return refuse() << "names no trainable variable of the program";
}

FailureOr<CutArguments> tutti::distribution::readTensorRules(Program program, StringRef rules,
                                                             int64_t parts) {
  CutArguments cut;
  SmallVector<StringRef> all;
  rules.split(all, ';', -1, /*KeepEmpty=*/false);
  for (StringRef rule : all)
    if (failed(readRule(program, rule, parts, cut)))
      return failure();
  return cut;
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
static std::optional<std::pair<BlockArgument, int64_t>> findColumn(Operation *op) {
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
    auto found = findCutArgument(op->getOperand(1), dimension);
    if (found && isTrainable(found->first))
      return found;
  }
  return std::nullopt;
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
    if (type.isDynamicDim(column->second) || type.getDimSize(column->second) % parts != 0) {
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

  /// Why `cut`, alone, is no pair of products; variables that are used in parts join it.
  FailureOr<Refusal> whyNot(CutArguments &cut) {
    TensorPlacement placement = TensorPlacement::ofTrial(copy, parts, cut);
    if (failed(placement.place()))
      return failure();
    if (placement.whyStopped())
      return placement.whyStopped();
    cut = placement.getCut();
    SmallVector<TensorPlacement::Gather> gathers = placement.findGathers(places);
    if (!gathers.empty())
      return Refusal("'" + gathers.front().user->getName().getStringRef() +
                     "' would need what is computed with it whole");
    if (placement.countSums() > 2)
      return Refusal("more than two sums over neighbours would be added");
    return Refusal();
  }

private:
  func::FuncOp copy;
  int64_t parts;
  VariablePlaces places;
};
} // namespace

/// Why variables of `wanted` do not join `cut`.
static Refusal whyNotJoined(const CutArguments &wanted, const CutArguments &cut) {
  for (auto [argument, dimension] : wanted)
    if (auto known = cut.find(argument); known != cut.end() && known->second != dimension)
      return "what is computed with it takes a variable that is cut along another dimension";
  return {};
}

FailureOr<CutArguments> tutti::distribution::findTensorPairs(Program program, int64_t parts) {
  CutArguments cut;
  Trials trials(program, parts);
  for (auto &[value, columns] : findColumns(program.step, parts)) {
    CutArguments wanted = columns.weights;
    if (llvm::any_of(wanted, [&](auto &one) { return cut.count(one.first) > 0; }))
      continue; // the second of a pair
    FailureOr<Refusal> refusal = trials.whyNot(wanted);
    if (failed(refusal))
      return failure();
    if (!*refusal)
      *refusal = whyNotJoined(wanted, cut);
    if (!*refusal) {
      cut.insert(wanted.begin(), wanted.end());
      continue;
    }
    for (auto [argument, dimension] : columns.weights)
      remark::missed(columns.product->getLoc(), remarkBy("distribute-tensor", program.step))
          << ("weight \"" + findHeldVariable(program.step.getArgument(argument)).getName() +
              "\" stays whole: " + refusal->reason())
                 .str();
  }
  return cut;
}
