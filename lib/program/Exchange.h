// Collectives that passes add to a program, in the dialect that declares its group of all ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_EXCHANGE_H
#define TUTTI_LIB_PROGRAM_EXCHANGE_H

#include "dialects/interfaces/ranks/Communication.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace tutti::program {

/// What is asked of the dialect that declares the group of all ranks.
struct ExchangeNeeds {
  llvm::SmallVector<CommunicationKind> kinds = {CommunicationKind::AllReduce,
                                                CommunicationKind::Broadcast};
  llvm::SmallVector<RankQuestion::Kind> questions = {};
  bool rows = false;
};

/// Whether `module` can be distributed: its group of all ranks, if it declares one, is of a dialect
/// that makes what is needed, of operations that passes see. Emits an error else, which says which
/// interface is missing where. `Program::find` asks for the default; who needs more asks for that.
mlir::LogicalResult verifyFactory(mlir::ModuleOp module, const ExchangeNeeds &needs = {});

/// The factory of the dialect that declares `group` for `user`. The program was found
/// (Program::find), so that there is one.
const CommunicationDialectInterface &getFactoryOf(mlir::Operation *user,
                                                  mlir::FlatSymbolRefAttr group);

/// An all_gather or reduce_scatter of `form`, made at the builder's point in the dialect of its
/// group, of one input; `user` stands where that is visible. The kind was asked for
/// (verifyFactory).
mlir::Operation *createExchange(mlir::OpBuilder &builder, mlir::Location loc, mlir::Operation *user,
                                const CommunicationForm &form, mlir::Value input,
                                mlir::Type result);

/// What ranks make of each of `values` by `form`, an all_reduce or a broadcast: one bucket, or one
/// operation for each value where the dialect has no buckets. A value of which the dialect makes
/// none is an error, and left as it is: the proof of replication refuses the program.
llvm::SmallVector<mlir::Value> createBucket(mlir::OpBuilder &builder, mlir::Location loc,
                                            mlir::Operation *user, const CommunicationForm &form,
                                            mlir::ValueRange values);

/// The results of an all_reduce of `values`.
llvm::SmallVector<mlir::Value> createAllReduce(mlir::OpBuilder &builder, mlir::Location loc,
                                               mlir::Operation *user, Reduction reduction,
                                               mlir::ValueRange values,
                                               mlir::FlatSymbolRefAttr group);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_EXCHANGE_H
