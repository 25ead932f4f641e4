// Sizes that vary, scaled as floats: `x.size(1) // 2`, and `torch.arange(n, dtype=torch.float)`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_SIZES_FLOATSIZES_H
#define TUTTI_LIB_FRONTEND_GRAPH_SIZES_FLOATSIZES_H

#include "lib/frontend/model/TensorScope.h"

namespace tutti::frontend {

/// What the float result of `node` is of sizes, where it is a size, a multiple or a part of one,
/// a sum of such, or one of these rounded down or up; none of anything else. It is exact for
/// sizes below 2^24, which f32 holds.
std::optional<FloatSizes> evaluateFloatSizes(const proto::NodeProto &node, TensorScope &scope,
                                             TermOf termOf, mlir::Location location);

/// The same, rounded towards 0, as a Cast to integers has it; none where that is not known.
std::optional<Sizes> wholeSizes(const FloatSizes &sizes, TermOf termOf);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_SIZES_FLOATSIZES_H
