// Floats that look like buffers of a framework: tensors that it registers and does not train.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_TRAINING_LIKELYBUFFERS_H
#define TUTTI_LIB_FRONTEND_TRAINING_LIKELYBUFFERS_H

#include "lib/frontend/graph/NodeOrder.h"
#include "lib/frontend/graph/VariableClasses.h"
#include "lib/frontend/model/StoredBytes.h"

namespace tutti::frontend {

struct LikelyBuffer {
  llvm::StringRef name;
  std::string why;
  bool isStriking; ///< hardly any parameter begins with such values, or is used in such a way
};

/// Those of the trainable `variables` that nothing but a lack of knowledge makes parameters. A name
/// such as `fc.weight` or `norm.bias` is that of a parameter. Of the others those are listed that
/// have values as one calculates them (sines, sequences, masks, filters, whole numbers, one value
/// above 1), which is striking, and those that `nodes` only take element by element.
std::vector<LikelyBuffer> findLikelyBuffers(llvm::ArrayRef<Variable> variables,
                                            const NodeList &nodes, const ModelFile &file);

/// Whether `name` is that of a folded tensor which is used element by element: it was a part of a
/// parameter or of a buffer.
bool isFoldedPart(llvm::StringRef name);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_TRAINING_LIKELYBUFFERS_H
