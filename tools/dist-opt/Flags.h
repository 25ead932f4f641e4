// The flags of dist-opt that MlirOptMain does not have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTOPT_FLAGS_H
#define TUTTI_TOOLS_DISTOPT_FLAGS_H

#include "lib/diagnostics/RemarkPrinter.h"
#include "lib/frontend/GivenFiles.h"

#include "llvm/Support/CommandLine.h"

namespace tutti {

/// How --check answers.
enum class CheckStyle { None, Text, Json };

extern llvm::cl::OptionCategory inputCategory, planCategory;

extern llvm::cl::opt<bool> importOnly, shardingRules, operatorTable;
extern llvm::cl::opt<std::string> optimizerModel, checkpointFile, variablesFile;
extern llvm::cl::opt<std::string> exportFile;
extern llvm::cl::opt<CheckStyle> checkStyle;
extern llvm::cl::opt<std::string> verifyKeys;
extern llvm::cl::opt<diagnostics::RemarkStyle> remarkStyle;
extern llvm::cl::opt<std::string> remarkFile;

extern llvm::cl::opt<std::string> planFile, clusterFile;
extern llvm::cl::opt<bool> planTable;
extern llvm::cl::opt<int64_t> planRanks;

/// What the flags give beside an ONNX model.
frontend::GivenFiles givenFiles();
/// What is wrong with the values of --size, or empty.
std::string whyBadSizes();

/// MLIR's --mlir-print-op-on-diagnostic, off unless asked for.
llvm::cl::opt<bool> &printOpOnDiagnostic();

/// MLIR's --verify-each, off unless asked for: the verifier looks at the whole program, which takes
/// as long as all passes together. Call it once MLIR's options are registered.
void verifyOnce();

/// LLVM's own options would bury ours in lists; they still work.
void hideOptionsOfLibraries();

} // namespace tutti

#endif // TUTTI_TOOLS_DISTOPT_FLAGS_H
