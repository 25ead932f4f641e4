// The dialects that the compiler tools parse.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/registration/RegisterAll.h"

#include "lib/mpi/MpiModels.h"
#include "passes/registration/Register.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/IR/DialectRegistry.h"

void tutti::registerAllTuttiDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::DLTIDialect, mlir::mpi::MPIDialect, mlir::shard::ShardDialect>();
  registerAllStages(registry);
  registerMpiModels(registry);
  mlir::func::registerInlinerExtension(registry);
}
