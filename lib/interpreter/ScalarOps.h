// The table of scalar operations, and bodies of loops made of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_INTERPRETER_SCALAROPS_H
#define TUTTI_LIB_INTERPRETER_SCALAROPS_H

#include "lib/interpreter/Tensor.h"

#include "mlir/IR/Operation.h"

#include <memory>
#include <vector>

namespace tutti::interpreter {

/// An operation on scalars: what `compute` gives for operands and what the operation itself says.
struct ScalarOp {
  using Compute = uint64_t (*)(const uint64_t *operands, const ScalarOp &op);

  Compute compute = nullptr;
  int64_t detail = 0; ///< a predicate, or the bits of the result
  bool isFloat = false;

  /// Of an operation of arith or math; nothing if the table does not have it.
  static std::optional<ScalarOp> find(mlir::Operation *op);
};

/// The number or integer of a constant of one element.
uint64_t elementOf(mlir::Attribute value);

/// The tensor of a constant.
TensorRef tensorOf(mlir::ElementsAttr value);

/// The body of a loop as steps on registers: first the arguments, then what else is there.
class ScalarBody {
public:
  /// A value from outside, or the loop's index in a dimension.
  struct Capture {
    unsigned reg;
    mlir::Value value; ///< null for an index
    int64_t dimension = 0;
  };

  /// Fails, with an error at the operation, where the table lacks one.
  static mlir::FailureOr<ScalarBody> compile(mlir::Block &block);

  /// Registers as they are before the first point; captures are up to the caller.
  std::vector<uint64_t> registers() const { return initial; }
  void run(std::vector<uint64_t> &registers) const;

  std::vector<Capture> captures, indices;
  std::vector<unsigned> yields;

private:
  struct Loop;
  struct Step {
    ScalarOp op;
    unsigned result = 0;
    unsigned operands[3] = {};
    unsigned count = 0;
    std::shared_ptr<const Loop> loop; ///< if there is one, it is repeated in place of `op`
  };
  class Compiler;

  static void run(const std::vector<Step> &steps, std::vector<uint64_t> &registers);
  static void run(const Loop &loop, std::vector<uint64_t> &registers);

  std::vector<uint64_t> initial;
  std::vector<Step> steps;
};

} // namespace tutti::interpreter

#endif // TUTTI_LIB_INTERPRETER_SCALAROPS_H
