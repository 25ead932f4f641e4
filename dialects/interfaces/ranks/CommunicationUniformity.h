// What follows from forms of communication for the uniformity of results: answers for
// UniformityOpInterface.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_DIALECTS_INTERFACES_RANKS_COMMUNICATIONUNIFORMITY_H
#define TUTTI_DIALECTS_INTERFACES_RANKS_COMMUNICATIONUNIFORMITY_H

#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/interfaces/ranks/Uniformity.h"

namespace tutti {

/// Of result `result` of an operation with one result for each value of its payload. `given` is
/// that value; if it is null the operation is asked for its payload, which takes time for all of
/// it.
Uniformity getUniformityOfResult(CommunicationOpInterface op, unsigned result,
                                 mlir::Value given = {});

/// Of the answer to a question.
Uniformity getUniformityOfAnswer(RankQueryOpInterface op);

} // namespace tutti

#endif
