// Where the contents of tensors stand in the bytes of a serialized model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_EXPORT_WIREFIELDS_H
#define TUTTI_LIB_FRONTEND_EXPORT_WIREFIELDS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace tutti::frontend {

/// The raw_data of the initializers of the graph and of the algorithms of training_info, by name,
/// in `model`, a serialized ModelProto. Failure if it is none.
mlir::FailureOr<llvm::StringMap<llvm::StringRef>> findRawData(llvm::StringRef model);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_EXPORT_WIREFIELDS_H
