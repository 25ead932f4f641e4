// Upstream's mpi dialect in the eyes of our passes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_MPI_MPIMODELS_H
#define TUTTI_LIB_MPI_MPIMODELS_H

#include "mlir/IR/DialectRegistry.h"

namespace tutti {

/// Attaches to operations of upstream's `mpi`, when a context loads that dialect, what the analyses
/// ask: `comm_rank` and `comm_size` answer questions about ranks, `send` and `recv` are messages,
/// `allreduce` and `barrier` are what all ranks must come to.
///
/// Communicators have no symbols. The world's stands for the group of all ranks that the module
/// declares (a program says `collective.group @world {size = 4}`), or for the symbol
/// `@MPI_COMM_WORLD` where it declares none; any other one for `@MPI_COMM_SPLIT`, of which nobody
/// knows the ranks.
void registerMpiModels(mlir::DialectRegistry &registry);

} // namespace tutti

#endif // TUTTI_LIB_MPI_MPIMODELS_H
