// Weights that a model holds in Constant nodes, where nobody trains them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_GRAPH_CONSTANTWEIGHTS_H
#define TUTTI_LIB_FRONTEND_GRAPH_CONSTANTWEIGHTS_H

#include "lib/frontend/graph/NodeOrder.h"

namespace tutti::frontend {

/// A Constant node, and the node that takes it where a layer has its weight.
struct ConstantWeight {
  const proto::NodeProto *constant, *layer;
};

/// Constant nodes of more than one float value that are the factor of a product, the filter of a
/// convolution, or their bias, also transposed, reshaped or converted in between.
std::vector<ConstantWeight> findConstantWeights(const NodeList &nodes);

/// Warns of them, if there are any.
void warnOfConstantWeights(const NodeList &nodes, const ModelFile &file);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_GRAPH_CONSTANTWEIGHTS_H
