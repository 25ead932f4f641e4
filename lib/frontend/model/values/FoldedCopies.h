// Transposed copies of weights, which an exporter has calculated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_VALUES_FOLDEDCOPIES_H
#define TUTTI_LIB_FRONTEND_MODEL_VALUES_FOLDEDCOPIES_H

#include "lib/frontend/model/values/SharedInitializers.h"

#include "llvm/ADT/StringSet.h"

namespace tutti::frontend {

/// Whether PyTorch's exporter has made up the name: `onnx::MatMul_7`.
bool isFolded(llvm::StringRef name);

/// Whether the newer exporter of PyTorch has made up the name: `val_7`. A single number of such a
/// name is a constant; a matrix may be the transposed copy of a weight.
bool isOfExporter(llvm::StringRef name);

/// What an element of TensorProto.DataType `type` takes; 0 if it is no float.
unsigned bytesOfFloat(int32_t type);

/// Whether `tensor` is of one of the types that gradients have.
bool holdsFloats(const ::onnx::TensorProto &tensor);

/// Whether `tensor` has one or two distinct values, or cannot be read. Two such tensors may be
/// equal by chance.
bool isPlain(const ::onnx::TensorProto &tensor, ReadStoredBytes read);

/// Puts the nodes of `graph` that were added last before all others, where readers want them.
void moveToFront(::onnx::GraphProto &graph, size_t added);

/// Takes the entries of these names out of a list of tensors or of values.
template <typename List> void removeNamed(List &list, const llvm::StringSet<> &names) {
  auto isGone = [&](const auto &entry) { return names.contains(entry.name()); };
  list.erase(std::remove_if(list.begin(), list.end(), isGone), list.end());
}

/// Replaces each folded copy that is an initializer of `graph` transposed by a Transpose of that.
/// Of weights that begin in one or two values nobody can say whether they are one.
void joinFoldedCopies(::onnx::GraphProto &graph, ReadStoredBytes read);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_VALUES_FOLDEDCOPIES_H
