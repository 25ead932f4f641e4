// Contexts for readers of programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_FUZZ_FORMATS_CONTEXTS_H
#define TUTTI_TEST_FUZZ_FORMATS_CONTEXTS_H

#include "test/fuzz/formats/Input.h"

#include "mlir/IR/MLIRContext.h"

namespace tutti::fuzz {

/// A context with the dialects of programs, whose diagnostics go nowhere. A new one now and then:
/// what it makes unique is never given back.
mlir::MLIRContext *nextContext();

} // namespace tutti::fuzz

#endif // TUTTI_TEST_FUZZ_FORMATS_CONTEXTS_H
