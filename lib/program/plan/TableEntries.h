// Pulls and pushes as entries of the communication plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_PLAN_TABLEENTRIES_H
#define TUTTI_LIB_PROGRAM_PLAN_TABLEENTRIES_H

#include "lib/program/plan/Plan.h"

namespace tutti::program {

/// What `op` asks of the servers: an entry a table, without function and times, and without an id
/// (-1) but where it is kept. Empty for what asks nothing of them. Sizes are those of all rows that
/// the op has; a row that is there several times travels once.
std::vector<PlanEntry> tableEntriesOf(mlir::Operation *op);

/// Leaves the entries of `op`, whose ids begin with `id`, with `lowered`, which does its work
/// without the names of tables: tableEntriesOf(lowered) gives them, after those that it kept
/// before.
void keepTableEntries(mlir::Operation *op, mlir::Operation *lowered, int64_t id);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_PLAN_TABLEENTRIES_H
