// The typed element lists of TensorProto (float_data, int32_data, ...) as packed bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_TYPEDFIELDS_H
#define TUTTI_LIB_FRONTEND_MODEL_TYPEDFIELDS_H

#include "lib/frontend/model/ModelFile.h"

#include <vector>

namespace tutti::frontend {

/// The elements of `tensor` from the list that its data type prescribes, packed in native byte
/// order; bool takes a byte. Failure, without a diagnostic, when the list has not exactly `count`
/// elements or an element does not fit its type.
mlir::FailureOr<std::vector<char>> packTypedFields(const proto::TensorProto &tensor, int64_t count);

/// For messages after such a failure: what the list holds.
std::string describeTypedFields(const proto::TensorProto &tensor);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_TYPEDFIELDS_H
