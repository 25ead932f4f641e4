// Packs the element lists of TensorProto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/TypedFields.h"

#include <cstring>
#include <limits>

using namespace mlir;
using namespace tutti::frontend;
using proto::TensorProto;

/// The list as it is: its elements have the type's width.
template <typename List> static std::vector<char> copyList(const List &list) {
  std::vector<char> bytes(list.size() * sizeof(*list.data()));
  if (!bytes.empty())
    std::memcpy(bytes.data(), list.data(), bytes.size());
  return bytes;
}

/// Each element as a narrower integer; fails when one does not fit.
template <typename Narrow, typename List>
static FailureOr<std::vector<char>> narrowList(const List &list) {
  std::vector<char> bytes(list.size() * sizeof(Narrow));
  size_t offset = 0;
  for (auto wide : list) {
    auto narrow = static_cast<Narrow>(wide);
    if (static_cast<decltype(wide)>(narrow) != wide)
      return failure();
    std::memcpy(bytes.data() + offset, &narrow, sizeof(Narrow));
    offset += sizeof(Narrow);
  }
  return bytes;
}

namespace {
/// Which list a data type uses, and how many of its entries make one element.
struct FieldList {
  const char *name;
  int64_t size;
  int64_t entriesPerElement = 1;
};
} // namespace

static FieldList listOf(const TensorProto &tensor) {
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
    return {"float_data", tensor.float_data_size()};
  case TensorProto::COMPLEX64:
    return {"float_data", tensor.float_data_size(), 2};
  case TensorProto::DOUBLE:
    return {"double_data", tensor.double_data_size()};
  case TensorProto::COMPLEX128:
    return {"double_data", tensor.double_data_size(), 2};
  case TensorProto::INT64:
    return {"int64_data", tensor.int64_data_size()};
  case TensorProto::UINT32:
  case TensorProto::UINT64:
    return {"uint64_data", tensor.uint64_data_size()};
  default: // the narrow integers, bool, and the bits of half floats
    return {"int32_data", tensor.int32_data_size()};
  }
}

static FailureOr<std::vector<char>> packList(const TensorProto &tensor) {
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
  case TensorProto::COMPLEX64:
    return copyList(tensor.float_data());
  case TensorProto::DOUBLE:
  case TensorProto::COMPLEX128:
    return copyList(tensor.double_data());
  case TensorProto::INT64:
    return copyList(tensor.int64_data());
  case TensorProto::UINT64:
    return copyList(tensor.uint64_data());
  case TensorProto::UINT32:
    return narrowList<uint32_t>(tensor.uint64_data());
  case TensorProto::INT32:
    return copyList(tensor.int32_data());
  case TensorProto::INT16:
    return narrowList<int16_t>(tensor.int32_data());
  case TensorProto::INT8:
    return narrowList<int8_t>(tensor.int32_data());
  case TensorProto::BOOL:
  case TensorProto::UINT8:
    return narrowList<uint8_t>(tensor.int32_data());
  case TensorProto::UINT16:
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
    return narrowList<uint16_t>(tensor.int32_data());
  default:
    return failure();
  }
}

FailureOr<std::vector<char>> tutti::frontend::packTypedFields(const TensorProto &tensor,
                                                              int64_t count) {
  FieldList list = listOf(tensor);
  if (list.size % list.entriesPerElement != 0 || list.size / list.entriesPerElement != count)
    return failure();
  return packList(tensor);
}

std::string tutti::frontend::describeTypedFields(const TensorProto &tensor) {
  FieldList list = listOf(tensor);
  return std::string(list.name) + " has " + std::to_string(list.size) +
         " entries, or entries that do not fit the type, and there is no raw_data";
}
