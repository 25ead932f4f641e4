// One function of tensors whose gradients are checked, and the training program that computes them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_EQUIVALENCE_GRADIENTS_GRADIENTCASE_H
#define TUTTI_TEST_EQUIVALENCE_GRADIENTS_GRADIENTCASE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace tutti::test {

/// The samples of a batch: what a `?` in dimension 0 becomes.
constexpr int64_t kBatch = 4;

/// A tensor of the program and the numbers that go into it.
struct Tensor {
  mlir::RankedTensorType type; ///< with `?` for the batch
  std::vector<double> values;  ///< of a float tensor: f32 or f64
  std::vector<int64_t> labels; ///< of an integer tensor
  bool isDifferentiated = false;

  size_t size() const { return values.empty() ? labels.size() : values.size(); }
  bool isInput() const { return !type.hasStaticShape(); }
  /// As they lie in memory.
  std::vector<char> bytes() const;
};

/// A case is a function of a file in cases/. Its float arguments are differentiated unless they are
/// `test.constant`. An argument `?x...` is an input with a batch, any other one a variable.
/// `test.values` says which numbers an argument gets:
/// - nothing: from [-1, 1]
/// - "positive": from [0.5, 2]
/// - "spread": all at least 0.1 apart and 0.05 away from zero, for functions with kinks
/// An integer argument gets labels below `test.classes`.
/// The value that is differentiated is the sum of the results' elements, each times a weight of its
/// own, so that no error hides behind symmetry.
struct GradientCase {
  explicit GradientCase(mlir::func::FuncOp function);

  /// A program whose @step gives the results of the function, then the gradients of the arguments
  /// that are differentiated, as outputs. Its variables are `variables()`, its inputs `inputs()`.
  mlir::OwningOpRef<mlir::ModuleOp> buildProgram() const;

  std::vector<Tensor *> variables();
  std::vector<Tensor *> inputs();

  mlir::func::FuncOp function;
  std::vector<Tensor> arguments;
  std::vector<Tensor> weights; ///< one per result
};

} // namespace tutti::test

#endif // TUTTI_TEST_EQUIVALENCE_GRADIENTS_GRADIENTCASE_H
