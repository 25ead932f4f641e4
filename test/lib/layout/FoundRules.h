// The rule of sharding of an operation that is written as text, for tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_LIB_LAYOUT_FOUNDRULES_H
#define TUTTI_TEST_LIB_LAYOUT_FOUNDRULES_H

#include "lib/layout/Layout.h"
#include "test/lib/execution/TextProgram.h"

#include "gtest/gtest.h"

#include <string>

namespace tutti::test {

class FoundRules : public testing::Test {
protected:
  /// The last operation of a function with these arguments; null, and a failure, if it cannot be
  /// read.
  mlir::Operation *parse(const std::string &arguments, const std::string &body);
  /// Its rule, and what it is linear in.
  std::string find(const std::string &arguments, const std::string &body);
  /// What it makes of operands that lie on so many ranks: "Shard(0), Replicate -> Partial(sum)".
  std::string transfer(const std::string &arguments, const std::string &body,
                       llvm::ArrayRef<Layout> operands, int64_t ranks);

  Compiler compiler;

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tutti::test

#endif // TUTTI_TEST_LIB_LAYOUT_FOUNDRULES_H
