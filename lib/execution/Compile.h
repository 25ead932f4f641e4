// From a training program specialised for its ranks to a shared object that the runtime loads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_COMPILE_H
#define TUTTI_LIB_EXECUTION_COMPILE_H

#include "lib/execution/ProgramValues.h"
#include "lib/execution/files/MemoryFile.h"
#include "lib/program/plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <optional>
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tutti::execution {

/// The two halves of the pipeline `compile`; passes/compile/Pipelines.h has them. Given from
/// outside because this library stands below the passes.
struct LoweringPipelines {
  std::function<void(mlir::OpPassManager &)> specialize; ///< makes shapes static
  std::function<void(mlir::OpPassManager &)> lower;      ///< from static shapes to the LLVM dialect
};

/// The level of $TUTTI_OPTIMIZE, 0 to 3 as in -O; 2 if it is not set or empty.
llvm::Expected<unsigned> optimizationAsked();

struct CompileRequest {
  /// The program after specialize-world. It is not changed.
  mlir::ModuleOp module;
  /// Goes into the manifest.
  std::string name = "program";
  /// "ceil" or "floor": which of the two local batches of policy `weighted`. Must be what
  /// `pipelines.specialize` uses.
  std::string rankClass = "ceil";
  LoweringPipelines pipelines;
  /// Fills in the predicted times of the manifest's plan; may be empty.
  std::function<void(mlir::ModuleOp, std::vector<program::PlanEntry> &)> predict;
  /// What `predict` goes by beside the program: part of what tells one compiled program from
  /// another.
  std::string predictionKey;
  /// The settings of `pipelines.lower`. They are in the key of the compiled program.
  std::string loweringKey;
  /// 0 to 3 as in -O; none: as optimizationAsked says.
  std::optional<unsigned> optimization;
  /// As Instructions::find takes it.
  std::string instructions = "native";
  /// Where compiled programs are kept; empty: see defaultCacheDirectory.
  std::string cacheDirectory;
};

struct CompiledProgram {
  std::shared_ptr<const MemoryFile> file; ///< the shared object
  std::string manifest;                   ///< its manifest, JSON
  ProgramValues values;                   ///< what is not in it
  bool wasCached = false;
  std::vector<std::string> remarks; ///< what kept the cache from its work, see Cache::remarks

  /// Where it can be loaded from, as long as `file` lives.
  std::string path() const { return file->path(); }
};

/// A hash of the program as bytecode: equal programs have equal ones. Weights are read where they
/// lie.
llvm::Expected<std::string> fingerprintOf(mlir::ModuleOp module);

/// Compiles for this machine, or finds what an equal request left in the cache. Several
/// processes may compile the same program at once: each finds or makes a whole one. A cache that
/// cannot be used is no error. An error of a pass is reported through the context's diagnostics as
/// well; the returned error then says which part failed.
llvm::Expected<CompiledProgram> compileProgram(const CompileRequest &request);

/// The manifest in the content of a shared object, read without loading it.
llvm::Expected<std::string> readManifest(llvm::StringRef content);

} // namespace tutti::execution

#endif // TUTTI_LIB_EXECUTION_COMPILE_H
