// What each stage needs in a context: one function a stage, each in the library of its stage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_REGISTRATION_REGISTER_H
#define TUTTI_PASSES_REGISTRATION_REGISTER_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tutti {

// Each adds the dialects that programs of the stage are written in, models of interfaces for the
// operations of others, and the passes of the stage that a program may name (`train.at_launch`).
// Order does not matter, nor does repetition. Nothing is registered in the process.

/// Programs that communicate.
void registerCommunication(mlir::DialectRegistry &registry);

/// Predicts and chooses. The cost model looks at lowered programs, so registerCompile is part of
/// it.
void registerPlanning(mlir::DialectRegistry &registry);

/// From one device to many.
void registerDistribution(mlir::DialectRegistry &registry);

/// From a model to a training step.
void registerGradient(mlir::DialectRegistry &registry);

/// The number of ranks becomes a constant, and what waited for it runs.
void registerSpecialization(mlir::DialectRegistry &registry);

/// From a training program to LLVM, with what says how tensors become buffers.
void registerCompile(mlir::DialectRegistry &registry);

/// All of these: what `addTrainPipeline` and `addDistributePipeline` need. Of Tutti::pipelines.
void registerAllStages(mlir::DialectRegistry &registry);

/// For tools whose users name passes on a command line: registers, in the process, the passes and
/// pipelines of all stages before registerCompile. Of Tutti::pipelines.
void registerPassesOfAllStages();

} // namespace tutti

#endif // TUTTI_PASSES_REGISTRATION_REGISTER_H
