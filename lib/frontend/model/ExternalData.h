// Tensor contents that lie in files beside the model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_EXTERNALDATA_H
#define TUTTI_LIB_FRONTEND_MODEL_EXTERNALDATA_H

#include "lib/frontend/model/ModelFile.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace tutti::frontend {

/// Maps each external file of one model once. Files must lie in the model's folder: absolute
/// locations, `..`, and links that lead out of the folder are refused, by the kernel as it opens
/// the file (openat2), so that nobody can change the path in between.
class ExternalData {
public:
  /// A file that is not there is an error, or, if `mayBeMissing`, a result without bytes.
  explicit ExternalData(std::string folder, bool mayBeMissing = false)
      : folder(std::move(folder)), mayBeMissing(mayBeMissing) {}

  /// The `size` bytes of `tensor`, whose data_location is EXTERNAL; failure after a diagnostic.
  mlir::FailureOr<MappedBytes> find(const proto::TensorProto &tensor, uint64_t size,
                                    mlir::Location location);

private:
  /// Null for a file that may be missing, and is.
  mlir::FailureOr<std::shared_ptr<llvm::MemoryBuffer>>
  map(llvm::StringRef name, const proto::TensorProto &tensor, mlir::Location location);
  /// A descriptor of file `name`, which the caller closes, or the reason why it is refused.
  llvm::Expected<int> open(llvm::StringRef name) const;

  std::string folder;
  bool mayBeMissing;
  llvm::StringMap<std::shared_ptr<llvm::MemoryBuffer>> files;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_EXTERNALDATA_H
