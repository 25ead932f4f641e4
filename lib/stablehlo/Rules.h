// What each operation of StableHLO does to values that lie on several ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_STABLEHLO_RULES_H
#define TUTTI_LIB_STABLEHLO_RULES_H

#include "lib/stablehlo/Form.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

#include <optional>
#include <string>

namespace tutti::stablehlo {

/// The forms that an operation wants of its operands, and what its results are then.
struct Rule {
  llvm::SmallVector<Form> operands;
  llvm::SmallVector<Form> results;
};

/// An operation, how its operands lie on `ranks` ranks, and, if there is no rule for that, why.
struct Question {
  mlir::Operation *op;
  llvm::SmallVector<Form> forms;
  int64_t ranks;
  std::string reason = {};

  mlir::RankedTensorType getType(unsigned operand) const;
  mlir::RankedTensorType getResultType(unsigned result = 0) const;
  /// How many operands are of a kind.
  unsigned count(Form::Kind kind) const;
  /// The first operand that is a part; there is one.
  unsigned findPart() const;

  /// The rule in which operands are as they are, and every result is `result`.
  Rule give(Form result) const;
  /// No rule, because of `text`: what the operation does.
  std::nullopt_t refuse(const llvm::Twine &text);
};

/// Whether operations of this kind compute their results from their operands alone, the same on
/// every rank.
bool isPure(llvm::StringRef kind);

/// Whether results have the shape of their operands, element by element.
bool isElementwise(llvm::StringRef kind);

/// The rule for an operation without control flow. Nothing, and a reason in `question`, where the
/// operation combines samples in a way that is not known, or is not known itself.
std::optional<Rule> findRule(Question &question);

/// Rules for operations of which at least one operand is a part and none is partial; one function
/// for each kind of operation, in the file of its family.
std::optional<Rule> findElementwiseRule(Question &question);
std::optional<Rule> findBarrierRule(Question &question);
std::optional<Rule> findReshapeRule(Question &question);
std::optional<Rule> findBroadcastRule(Question &question);
std::optional<Rule> findTransposeRule(Question &question);
std::optional<Rule> findSliceRule(Question &question);
std::optional<Rule> findPadRule(Question &question);
std::optional<Rule> findConcatenateRule(Question &question);
std::optional<Rule> findReverseRule(Question &question);
std::optional<Rule> findBatchedRule(Question &question);
std::optional<Rule> findDotRule(Question &question);
std::optional<Rule> findConvolutionRule(Question &question);
std::optional<Rule> findReduceRule(Question &question);
std::optional<Rule> findWindowRule(Question &question);
std::optional<Rule> findSelectAndScatterRule(Question &question);
std::optional<Rule> findSortRule(Question &question);
std::optional<Rule> findGatherRule(Question &question);
std::optional<Rule> findScatterRule(Question &question);
std::optional<Rule> findDynamicSliceRule(Question &question);
std::optional<Rule> findDynamicUpdateSliceRule(Question &question);

/// The rule by which an operation passes on sums that are still to be taken: its operands are sums
/// or whole, and its result is a sum. Nothing if it is not linear in them.
std::optional<Rule> findLinearRule(const Question &question);

/// Gives results that are parts their local types, and `op` the attributes that go with them.
void makeLocal(mlir::Operation *op, const Rule &rule, int64_t ranks);

/// `type` with dimension `axis` divided by `ranks`.
mlir::RankedTensorType getLocalType(mlir::RankedTensorType type, int64_t axis, int64_t ranks);

} // namespace tutti::stablehlo

#endif // TUTTI_LIB_STABLEHLO_RULES_H
