// What the tests of Shardy say of operations of StableHLO.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/layout/ShardyFiles.h"

#include "llvm/Support/MemoryBuffer.h"

#include <filesystem>
#include <set>

using namespace tutti::test;

void ShardyFiles::forEachTest(llvm::StringRef folder,
                              llvm::function_ref<void(mlir::func::FuncOp)> check) {
  std::set<std::string> paths;
  for (const auto &entry : std::filesystem::directory_iterator(TUTTI_SHARDY "/" + folder.str()))
    paths.insert(entry.path().string());
  EXPECT_FALSE(paths.empty());
  for (const std::string &path : paths) {
    auto file = llvm::MemoryBuffer::getFile(path);
    ASSERT_TRUE(file) << path;
    auto module = compiler.parse((*file)->getBuffer());
    ASSERT_TRUE(module) << path << ": " << compiler.diagnostics();
    for (auto test : module->getOps<mlir::func::FuncOp>())
      check(test);
  }
}

std::string ShardyFiles::getText(mlir::Operation *op, llvm::StringRef name) {
  auto text = op->getDiscardableAttr(name);
  auto string = mlir::dyn_cast_or_null<mlir::StringAttr>(text);
  return string ? string.str() : "";
}
