// Tests what a rule of sharding says: an operation is run on parts of its operands, and what they
// give is put together as the rule has it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_LIB_LAYOUT_OPERATORPROBE_H
#define TUTTI_TEST_LIB_LAYOUT_OPERATORPROBE_H

#include "test/lib/execution/TextProgram.h"
#include "test/lib/layout/TensorParts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>
#include <vector>

namespace tutti::test {

/// One operation on operands of static shapes.
class OperatorProbe {
public:
  /// `example` is a function whose last operation before the return is the one that is probed; its
  /// operands are arguments. Numbers of an argument are between its attributes `test.low` and
  /// `test.high` (not included), if it has them.
  OperatorProbe(Compiler &compiler, mlir::func::FuncOp example);
  ~OperatorProbe();

  mlir::Operation *operation() const { return op; }
  const ShardingRule &rule() const { return known; }
  /// Tests another rule than the operation's own.
  void assume(const ShardingRule &rule) { known = rule; }
  /// What the rule says that is not so, one line each; empty if all is right.
  std::vector<std::string> findFaults();
  /// What could be split and is said to be Whole or Near, one line each.
  std::vector<std::string> findMissedFactors();

private:
  struct Variant; ///< the operation, or one of parts, and what goes in and comes out
  struct Program; ///< some of them
  struct Split;   ///< a factor in some parts, and how results are put together

  Variant wholeVariant();
  /// None if the operation does not take such parts.
  std::optional<Variant> makeVariant(const Split &split);
  void addLinearRuns(Program &program);
  std::string textOf(const Program &program);
  bool execute(Program &program);
  bool executeRun(std::vector<Variant> &variants, test::LoadedProgram &loaded, size_t run);
  std::string compareSplit(const Program &program, const Split &split, const Variant &variant);
  void compareLinear(const Program &program, std::vector<std::string> &faults);
  bool holds(unsigned factor, FactorKind kind);

  std::vector<Split> splits(std::vector<std::string> &faults) const;
  bool divides(const Split &split) const;
  std::string describe(const Split &split) const;
  double tolerance() const;
  bool isInResults(unsigned factor) const;
  bool readsZeros(const Split &split) const;
  bool countsOnce(unsigned operand, const Split &split) const;
  Numbers partOf(unsigned operand, const Split &split, int64_t part) const;
  FactorPlace placeOf(unsigned operand, unsigned factor) const;
  FactorPlace placeOfResult(unsigned result, unsigned factor) const;

  Compiler &compiler;
  mlir::Operation *op;
  ShardingRule known;
  std::vector<Numbers> values; ///< of operands
  std::vector<std::pair<double, double>> ranges;
};

} // namespace tutti::test

#endif // TUTTI_TEST_LIB_LAYOUT_OPERATORPROBE_H
