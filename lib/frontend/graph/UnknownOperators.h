// What to do about operators that nobody here knows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_UNKNOWNOPERATORS_H
#define TUTTI_LIB_FRONTEND_GRAPH_UNKNOWNOPERATORS_H

#include "lib/frontend/model/ModelFile.h"

namespace tutti::frontend {

/// The operator of `node`, that it is not supported, and what whoever exported the model can do.
/// `why` is empty or begins with a colon.
std::string describeUnknown(const proto::NodeProto &node, llvm::StringRef why);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_UNKNOWNOPERATORS_H
