// Arithmetic of which the machine does not define every result.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CODEGEN_GUARDARITHMETIC_H
#define TUTTI_PASSES_CODEGEN_GUARDARITHMETIC_H

#include "passes/codegen/RuntimeCalls.h"

namespace tutti::codegen {

/// Lets every integer operation of `module` have a result for all operands:
/// - a division or remainder by 0 asserts, so that the step fails with the node's name; the result
///   is that of a division by 1;
/// - the quotient of the least number and -1 wraps to the least number, and its remainder is 0;
/// - a shift by as many bits as the number has, or more, leaves no bit: 0, or the sign.
/// What is divided or shifted by a constant that is right stays as it is.
void guardArithmetic(mlir::ModuleOp module);

/// Whether `op` may report to the runtime: an assertion, or a division that becomes one.
bool canReport(mlir::Operation *op);

/// Conversions of floats to integers become ones that saturate: a number out of range gives the
/// nearest integer of the type, and what is no number gives 0. `cf.assert` becomes a report to the
/// runtime, after which the program goes on. `calls` must outlive the patterns.
void populateGuardPatterns(const mlir::LLVMTypeConverter &converter,
                           mlir::RewritePatternSet &patterns, RuntimeCalls &calls);

} // namespace tutti::codegen

#endif // TUTTI_PASSES_CODEGEN_GUARDARITHMETIC_H
