// What all remarks have in common.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/analysis/Remarks.h"

using namespace mlir;

remark::RemarkOpts tutti::remarkBy(StringRef pass, func::FuncOp function) {
  auto opts = remark::RemarkOpts::name(pass).category(pass);
  return function ? opts.function(function.getName()) : opts;
}

remark::RemarkOpts tutti::remarkBy(StringRef pass, Operation *op) {
  if (auto function = dyn_cast<func::FuncOp>(op))
    return remarkBy(pass, function);
  return remarkBy(pass, op->getParentOfType<func::FuncOp>());
}

std::string tutti::counted(size_t number, StringRef noun) {
  return (Twine(number) + " " + noun + (number == 1 ? "" : "s")).str();
}
