// The pipeline `compile`: from a program specialised for a number of ranks to LLVM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_COMPILE_PIPELINES_H
#define TUTTI_PASSES_COMPILE_PIPELINES_H

#include "lib/options/KeyTable.h"

#include "mlir/Pass/PassManager.h"

#include <string>

namespace tutti::compile {

struct CompileOptions {
  /// "ceil" or "floor": which of the two local batches of policy `weighted`.
  std::string rankClass = "ceil";
  /// A local batch to take instead of the derived one; 0 derives it.
  int64_t localBatch = 0;
  /// Whether loop nests that are alike are one function. The numbers are the same either way;
  /// without it a large model takes much longer to compile.
  bool outlineLoops = true;
  /// Whether large constants stay out of the code; who runs the program then gives it them, see
  /// include/tutti/program.h.
  bool valuesOutside = false;

  /// Bytes for the temporary buffers of a function, which computes values again to keep to them; 0:
  /// as many as it needs.
  int64_t arenaBytes = 0;

  /// Whether optimizer states may lie in a file: the program says when their uses are over.
  bool offloadsStates = false;
  /// Bytes of states that stay in memory all the same.
  int64_t keptStates = 0;

  /// Whether the manifest tells which buffers share the arena, and when.
  bool recordsLayout = false;

  /// The keys of --compile="KEY=VALUE ...", bound to the fields of this object.
  options::KeyTable keys();
};

/// Makes shapes static; what is left is still a training program on tensors, from which the
/// manifest is taken.
void addSpecializePipeline(mlir::OpPassManager &passes, const CompileOptions &options);

/// The first half of lowering a program of static shapes: what is computed is loops and kernel
/// calls, and everything is still a tensor. What a step costs can be seen here.
void addTensorLoweringPipeline(mlir::OpPassManager &passes);

/// The first part of addLoweringPipeline, up to buffers whose places in the arena are known.
void addMemoryPlanPipeline(mlir::OpPassManager &passes, const CompileOptions &options);

/// Turns a program of static shapes into the LLVM dialect.
void addLoweringPipeline(mlir::OpPassManager &passes, const CompileOptions &options);

/// Both.
void addCompilePipeline(mlir::OpPassManager &passes, const CompileOptions &options);

/// Offers `compile` to command lines.
void registerCompilePipeline();

} // namespace tutti::compile

#endif // TUTTI_PASSES_COMPILE_PIPELINES_H
