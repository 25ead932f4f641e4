// The contents of tensors as they are stored, for those who only look at them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_STOREDBYTES_H
#define TUTTI_LIB_FRONTEND_MODEL_STOREDBYTES_H

#include "lib/frontend/model/ExternalData.h"
#include "lib/frontend/model/ModelFile.h"

#include <optional>
#include <vector>

namespace tutti::frontend {

/// Finds the bytes of tensors of one model, wherever they are, and copies nothing. What is wrong
/// with a tensor it leaves to TensorReader to say.
class StoredBytes {
public:
  explicit StoredBytes(const ModelFile &file)
      : file(file), external(file.folder(), /*mayBeMissing=*/true) {}

  /// The elements of `tensor` in row-major order, valid as long as this and the file; none if they
  /// are not at hand, are fewer or more than its type needs, or are in lists of another type.
  std::optional<llvm::StringRef> find(const proto::TensorProto &tensor);

private:
  std::optional<llvm::StringRef> findAny(const proto::TensorProto &tensor, uint64_t size);

  const ModelFile &file;
  ExternalData external;
  std::vector<MappedBytes> mapped;
};

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_STOREDBYTES_H
