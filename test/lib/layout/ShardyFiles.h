// What the tests of Shardy say of operations of StableHLO.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_LIB_LAYOUT_SHARDYFILES_H
#define TUTTI_TEST_LIB_LAYOUT_SHARDYFILES_H

#include "test/lib/execution/TextProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "gtest/gtest.h"

namespace tutti::test {

/// The files of Inputs/shardy, of which each function is one test.
class ShardyFiles : public testing::Test {
protected:
  ShardyFiles() { compiler.context().allowUnregisteredDialects(); }

  /// Calls `check` of all functions of the files in `folder`, in the order of their names.
  void forEachTest(llvm::StringRef folder, llvm::function_ref<void(mlir::func::FuncOp)> check);

  /// The text of an attribute; empty without it.
  static std::string getText(mlir::Operation *op, llvm::StringRef name);

private:
  Compiler compiler;
};

} // namespace tutti::test

#endif // TUTTI_TEST_LIB_LAYOUT_SHARDYFILES_H
