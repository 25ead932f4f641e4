// Initializers for which an exporter has written another one, because they begin alike.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_VALUES_SHAREDINITIALIZERS_H
#define TUTTI_LIB_FRONTEND_MODEL_VALUES_SHAREDINITIALIZERS_H

#include "mlir/Support/LLVM.h"
#include "onnx/onnx_pb.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>
#include <vector>

namespace tutti::frontend {

/// The bytes of an initializer as ONNX stores them; none if they are not at hand.
using ReadStoredBytes =
    llvm::function_ref<std::optional<llvm::StringRef>(const ::onnx::TensorProto &)>;

/// PyTorch's exporter makes a model small by passes that mean the same only as long as nothing is
/// trained. It merges initializers of equal values: the bias of a second layer becomes an Identity
/// of that of the first. And it folds what it can calculate: of the weight of a linear layer a
/// transposed copy `onnx::MatMul_7` is left. In the graph of `model`, whose file has `fileBytes`,
/// this takes both back:
/// - an Identity of a float initializer that others use, too, becomes an initializer with the name
///   of its output, which is added to `separated`;
/// - of folded copies the name does not say whose they are. Equal ones whose products get one bias,
///   or whose nodes are calls of one module, are or become Identities of one of them;
/// - a folded copy that holds what an initializer holds, transposed, becomes a Transpose of it.
/// A model that brings its own training, as training_info or as one of ONNX Runtime, stays as it
/// is. Empty if all went well, else what is wrong: nothing says whether two folded copies are one
/// weight, or the file claims more than it can be meant to hold.
std::string separateInitializers(::onnx::ModelProto &model, size_t fileBytes, ReadStoredBytes read,
                                 std::vector<std::string> &separated);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_VALUES_SHAREDINITIALIZERS_H
