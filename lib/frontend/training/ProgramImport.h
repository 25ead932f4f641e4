// The two kinds of model, each imported as a training program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_TRAINING_PROGRAMIMPORT_H
#define TUTTI_LIB_FRONTEND_TRAINING_PROGRAMIMPORT_H

#include "lib/frontend/graph/FunctionBuilder.h"
#include "lib/frontend/graph/GraphImporter.h"
#include "lib/frontend/graph/GraphNames.h"
#include "lib/frontend/training/ProgramRoles.h"

namespace tutti::frontend {

/// What every part of an import shares.
struct ProgramImport {
  const ModelFile &file;
  TensorReader &tensors;
  mlir::ModuleOp module;
  mlir::OpBuilder &builder;
  const ProgramRoles &roles;

  /// Adds an argument for each of `inputs` and defines it in `scope`; fails after a diagnostic. The
  /// samples of an argument come first: an input that has them elsewhere is made of it.
  mlir::LogicalResult addInputs(FunctionBuilder &function, TensorScope &scope,
                                llvm::ArrayRef<const proto::ValueInfoProto *> inputs);
  /// Returns the tensors `outputs` of `scope`, with their samples first, but those that a survey
  /// could not import; fails after a diagnostic.
  mlir::LogicalResult returnOutputs(FunctionBuilder &function, TensorScope &scope,
                                    llvm::ArrayRef<llvm::StringRef> outputs);
};

/// Whether the node is YieldOp of ORTModule, between the forward and the backward part of a graph.
bool isYield(const proto::NodeProto &node);

/// An inference model: @initialize returns its parameters, @forward computes its outputs.
mlir::LogicalResult importForwardProgram(ProgramImport &import);

/// A model with training_info: @initialize returns its state, @step is one iteration of training.
mlir::LogicalResult importTrainingProgram(ProgramImport &import);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_TRAINING_PROGRAMIMPORT_H
