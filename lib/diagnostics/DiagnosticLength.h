// Keeps the bodies of operations out of diagnostics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_DIAGNOSTICS_DIAGNOSTICLENGTH_H
#define TUTTI_LIB_DIAGNOSTICS_DIAGNOSTICLENGTH_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tutti::diagnostics {

/// MLIR's tools append "see current operation" to errors, with the whole body of a function. In
/// contexts made of `registry` that load a dialect of their own, this cuts each note to its first
/// line, before any handler prints it. For tools that are not ours, such as a stock mlir-opt.
void shortenNotes(mlir::DialectRegistry &registry);

} // namespace tutti::diagnostics

#endif // TUTTI_LIB_DIAGNOSTICS_DIAGNOSTICLENGTH_H
