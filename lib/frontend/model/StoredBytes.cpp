// Looks for the bytes of a tensor where TensorReader would.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/StoredBytes.h"

#include "lib/frontend/model/TensorReader.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti::frontend;

std::optional<StringRef> StoredBytes::findAny(const proto::TensorProto &tensor, uint64_t size) {
  if (std::optional<MappedBytes> taken = file.rawData(tensor))
    return StringRef(taken->bytes.data(), taken->bytes.size());
  if (tensor.data_location() == proto::TensorProto::EXTERNAL) {
    FailureOr<MappedBytes> found = external.find(tensor, size, file.location());
    if (failed(found) || !found->missingFile.empty())
      return std::nullopt;
    mapped.push_back(*found);
    return StringRef(found->bytes.data(), found->bytes.size());
  }
  if (tensor.has_raw_data())
    return StringRef(tensor.raw_data());
  if (tensor.data_type() == proto::TensorProto::FLOAT && !tensor.float_data().empty())
    return StringRef(reinterpret_cast<const char *>(tensor.float_data().data()),
                     tensor.float_data().size() * sizeof(float));
  return std::nullopt;
}

std::optional<StringRef> StoredBytes::find(const proto::TensorProto &tensor) {
  ScopedDiagnosticHandler quiet(file.location().getContext(),
                                [](Diagnostic &) { return success(); });
  RankedTensorType type = TensorReader::readType(tensor, file.location());
  if (!type)
    return std::nullopt;
  uint64_t size = TensorReader::storedBytes(type);
  std::optional<StringRef> bytes = findAny(tensor, size);
  return bytes && bytes->size() == size ? bytes : std::nullopt;
}
