// What MLIR's inliner asks of a dialect whose operations may stand in any function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_DIALECTS_INTERFACES_INLINING_H
#define TUTTI_DIALECTS_INTERFACES_INLINING_H

#include "mlir/Transforms/InliningUtils.h"

namespace tutti {

/// Lets operations, and regions of them, move from a function to where it is called: what they mean
/// does not depend on the function around them.
struct InlinesAnywhere : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(mlir::Operation *, mlir::Region *, bool, mlir::IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(mlir::Region *, mlir::Region *, bool, mlir::IRMapping &) const final {
    return true;
  }
};

} // namespace tutti

#endif // TUTTI_DIALECTS_INTERFACES_INLINING_H
