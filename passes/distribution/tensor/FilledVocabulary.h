// Vocabularies that neighbours do not divide, filled up with tokens that no sample has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_DISTRIBUTION_TENSOR_FILLEDVOCABULARY_H
#define TUTTI_PASSES_DISTRIBUTION_TENSOR_FILLEDVOCABULARY_H

#include "lib/program/Program.h"

#include "mlir/IR/Builders.h"

#include <map>
#include <set>

namespace tutti::distribution {

/// A dimension of a variable that the step has longer than files have it.
struct FilledDimension {
  int64_t dimension, size; ///< `size` is that of the files

  /// `type` with this many entries along the dimension.
  mlir::RankedTensorType getType(mlir::Type type, int64_t entries) const {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    llvm::SmallVector<int64_t> shape(tensor.getShape());
    shape[dimension] = entries;
    return tensor.clone(shape);
  }
};

/// Arguments of a step by number.
using FilledArguments = std::map<unsigned, FilledDimension>;

/// A step of which a vocabulary is a multiple of the neighbours: where `parts` does not divide the
/// columns of a weight whose products are the scores of a cross entropy, weights, states and all
/// that is computed of them get more tokens, up to a multiple. The new ones have scores of minus
/// infinity, so that they have no share in the loss and gradients of zero; their entries in
/// variables are zeros before and after each step. No index and no label means one of them: the
/// step ends the run where one of the model without them would.
///
/// Until `keep`, the step is as it was once this is destroyed.
class FilledVocabulary {
public:
  /// Fills the vocabularies of `program` but those of the weights `without`, by argument. Says in a
  /// remark of each weight that could be filled what is in the way.
  FilledVocabulary(program::Program program, int64_t parts, const std::set<unsigned> &without);
  ~FilledVocabulary();
  FilledVocabulary(const FilledVocabulary &) = delete;
  FilledVocabulary &operator=(const FilledVocabulary &) = delete;

  const FilledArguments &getArguments() const { return arguments; }
  void keep();

private:
  mlir::func::FuncOp step, original; ///< `original` is a copy, where anything was filled
  FilledArguments arguments;
};

/// `value` with zeros at the end, so that dimension `filled` has `size` entries.
mlir::Value fillUp(mlir::OpBuilder &builder, mlir::Value value, const FilledDimension &filled,
                   int64_t size);

/// The inverse: the entries that files have.
mlir::Value leaveOut(mlir::OpBuilder &builder, mlir::Value value, const FilledDimension &filled);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_TENSOR_FILLEDVOCABULARY_H
