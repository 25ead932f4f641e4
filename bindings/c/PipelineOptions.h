// The options of a pipeline of which the C API only knows the number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_BINDINGS_C_PIPELINEOPTIONS_H
#define TUTTI_BINDINGS_C_PIPELINEOPTIONS_H

#include "passes/Pipelines.h"
#include "passes/compile/Pipelines.h"
#include "passes/gradient/Pipelines.h"

#include "tutti-c/Tutti.h"

namespace tutti::bindings {

/// What one TuttiOptions holds.
class PipelineOptions {
public:
  explicit PipelineOptions(TuttiPipeline pipeline) : pipeline(pipeline) {}

  /// Nothing changes where `key` or `value` is wrong.
  llvm::LogicalResult set(llvm::StringRef key, llvm::StringRef value, options::Complain complain);

  /// Adds the pipeline; nothing where options contradict each other.
  llvm::Error addTo(mlir::OpPassManager &passes) const;

private:
  llvm::LogicalResult setOfRecipe(llvm::StringRef key, llvm::StringRef value,
                                  options::Complain complain);
  llvm::Error addTrain(mlir::OpPassManager &passes) const;
  llvm::Error addCompile(mlir::OpPassManager &passes) const;

  TuttiPipeline pipeline;
  llvm::SmallVector<options::GivenKey> ofRecipe; ///< its defaults depend on one another
  DistributeOptions distribute;
  compile::CompileOptions compile;
};

} // namespace tutti::bindings

#endif // TUTTI_BINDINGS_C_PIPELINEOPTIONS_H
