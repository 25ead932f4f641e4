// Which tensors of a mesh neighbours divide, and the second best form of each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_SEARCH_TENSORS_H
#define TUTTI_PASSES_SEARCH_TENSORS_H

#include "passes/search/Trial.h"

#include <map>

namespace tutti::search {

/// Variables of one name but for numbers in it, and of one type: they are divided alike.
struct TensorFamily {
  std::string pattern; ///< that names these and no others
  int64_t count = 0;
  mlir::RankedTensorType type;
  std::string first; ///< name
};

/// Tries rules for the variables of the best candidate, if that divides the model by rules that it
/// finds itself.
class TensorSearch {
public:
  TensorSearch(mlir::ModuleOp program, Trials &trials, Answer &answer);

  /// The best candidate with one more matrix whole instead of in parts, or in parts instead of
  /// whole, if that is faster by the factor `alike`: the fastest of them. Once the answer has it,
  /// another may be better still.
  std::optional<Candidate> findBetter(double alike);
  /// The answer does not take what `findBetter` found.
  void drop() { rules.erase(latest); }

  /// `others` with the rules of the best candidate; "" if it has none.
  std::string keysWith(const std::string &others) const;
  /// The best candidate has these keys now, and its rules.
  void takeKeys(std::string others) { keys = std::move(others); }

  /// Tries the other forms of every trainable variable: whole, and in parts along each dimension.
  /// Fills in `answer.tensors`.
  void explain();

private:
  /// A family in one form: its rule, and what that makes.
  struct Form {
    std::string pattern; ///< of the family
    std::string name;    ///< "whole", "along 1"
    std::string rule;    ///< "PATTERN=1"
    Candidate candidate;
  };

  void addParts(const TensorFamily &family, std::deque<Form> &forms) const;
  std::deque<Form> attemptMatrices();
  std::string spellRules(llvm::StringRef butOf) const;
  Form formOf(const TensorFamily &family, std::string name, const std::string &value) const;
  void attempt(std::vector<Candidate *> candidates);
  void keepToMemory(std::vector<Form *> forms);
  const Form *findFastest(std::vector<const Form *> forms);

  Trials &trials;
  Answer &answer;
  std::string keys; ///< of the best candidate, without rules
  std::vector<TensorFamily> families;
  std::map<std::string, std::string> rules; ///< of the best candidate, by pattern
  std::string latest;                       ///< pattern of the rule that was found last
};

} // namespace tutti::search

#endif // TUTTI_PASSES_SEARCH_TENSORS_H
