// Whose values have come together after reductions over several groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_ANALYSIS_GROUPCOVERAGE_H
#define TUTTI_LIB_ANALYSIS_GROUPCOVERAGE_H

#include "dialects/collective/Collective.h"

namespace tutti {

enum class Coverage {
  Part,    ///< some ranks have not been reached
  Whole,   ///< each rank's value is in it, all equally often
  Twice,   ///< some ranks' values are in it more often than others, or all several times
  Unknown, ///< depends on what is known when the program starts
};

/// What reducing over `groups`, one after the other, brings together on every rank.
Coverage getCoverage(llvm::ArrayRef<collective::GroupOp> groups);

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_GROUPCOVERAGE_H
