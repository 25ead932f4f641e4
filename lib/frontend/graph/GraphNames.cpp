// Initializers and inputs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/GraphNames.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti::frontend;

LogicalResult GraphNames::claim(StringRef name, StringRef what) {
  if (name.empty())
    return emitError(file.location()) << "an " << what << " of the graph has no name";
  if (!names.insert(name).second)
    return emitError(file.location(name))
           << "the name '" << name << "' is given to more than one input or "
           << "initializer";
  return success();
}

LogicalResult GraphNames::add(const proto::GraphProto &graph) {
  if (graph.sparse_initializer_size() > 0)
    return emitError(file.location())
           << "initializer '" << graph.sparse_initializer(0).values().name()
           << "' is sparse, which is not supported";
  for (const proto::TensorProto &tensor : graph.initializer()) {
    if (failed(claim(tensor.name(), "initializer")))
      return failure();
    tensors.push_back(&tensor);
    byName[tensor.name()] = &tensor;
  }
  for (const proto::ValueInfoProto &input : graph.input()) {
    if (byName.count(input.name()))
      continue;
    if (failed(claim(input.name(), "input")))
      return failure();
    values.push_back(&input);
  }
  return success();
}
