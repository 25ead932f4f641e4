// Whether data fit a program, before that is compiled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_DATASETCHECK_H
#define TUTTI_TOOLS_DISTRUN_DATASETCHECK_H

#include "runtime/host/data/InflatedArrays.h"
#include "tools/dist-run/options/Options.h"

#include "mlir/IR/BuiltinOps.h"

namespace tutti {

/// Fails, with an error at the program, where --dataset or --evaluate lack an array for an input of
/// `module`, or have one of another type or shape, or too few samples. What only a compiled program
/// knows, such as how many classes a label has, is looked at later.
mlir::LogicalResult checkDatasets(mlir::ModuleOp module, const RunOptions &options,
                                  runtime::data::InflatedArrays &inflated);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_DATASETCHECK_H
