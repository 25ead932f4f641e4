// Reading a serialised ONNX TensorProto. The message is small and flat, so its wire format is
// walked here: raw data can then be used where it lies in the mapped file, which a parsed message
// would have copied.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Readers.h"

#include "runtime/support/Names.h"

#include <cstring>

namespace tutti::runtime::data {
namespace {

enum WireType { varint_type = 0, fixed64_type = 1, bytes_type = 2, fixed32_type = 5 };

/// Field numbers of TensorProto (onnx.proto).
enum Field {
  dims_field = 1,
  type_field = 2,
  segment_field = 3,
  float_field = 4,
  int32_field = 5,
  string_field = 6,
  int64_field = 7,
  name_field = 8,
  raw_field = 9,
  double_field = 10,
  uint64_field = 11,
  external_field = 13,
  location_field = 14,
};

/// Walks protobuf's wire format; ok() turns false at the first thing that is not it.
class Wire {
public:
  explicit Wire(std::string_view bytes) : rest(bytes) {}

  bool ok() const { return is_ok; }
  bool done() const { return rest.empty() || !is_ok; }

  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest.empty())
        return fail();
      unsigned char byte = rest[0];
      rest.remove_prefix(1);
      value |= uint64_t(byte & 0x7f) << shift;
      if (byte < 0x80)
        return value;
    }
    return fail();
  }

  std::string_view take(uint64_t count) {
    if (count > rest.size()) {
      fail();
      return {};
    }
    std::string_view taken = rest.substr(0, count);
    rest.remove_prefix(count);
    return taken;
  }

  /// The content of a field: that of a packed or bytes field, or the bytes of one value.
  std::string_view content(int wire_type) {
    switch (wire_type) {
    case varint_type: {
      std::string_view before = rest;
      varint();
      return before.substr(0, before.size() - rest.size());
    }
    case fixed64_type:
      return take(8);
    case bytes_type:
      return take(varint());
    case fixed32_type:
      return take(4);
    }
    fail();
    return {};
  }

private:
  uint64_t fail() {
    is_ok = false;
    rest = {};
    return 0;
  }
  std::string_view rest;
  bool is_ok = true;
};

int32_t type_of(uint64_t onnx_type) {
  switch (onnx_type) {
  case 1:
    return TUTTI_F32;
  case 2:
    return TUTTI_U8;
  case 3:
    return TUTTI_I8;
  case 5:
    return TUTTI_I16;
  case 6:
    return TUTTI_I32;
  case 7:
    return TUTTI_I64;
  case 9:
    return TUTTI_BOOL;
  case 10:
    return TUTTI_F16;
  case 11:
    return TUTTI_F64;
  case 16:
    return TUTTI_BF16;
  }
  return 0;
}

/// Collects the fields of one message, then makes the array of them.
class Message {
public:
  explicit Message(std::string name) : name(std::move(name)) {}

  Error parse(std::string_view bytes) {
    Wire wire(bytes);
    while (!wire.done()) {
      uint64_t tag = wire.varint();
      std::string_view content = wire.content(tag & 7);
      if (wire.ok())
        take(tag >> 3, content);
    }
    if (!wire.ok() || !is_ok)
      return Error::bad_data("it is not a serialised TensorProto, or is truncated");
    if (onnx_type == 0)
      return Error::bad_data("it is not a TensorProto: it has no element type");
    return Error::success();
  }

  Result<Array> array(std::shared_ptr<const void> owner) {
    int32_t type = type_of(onnx_type);
    if (type == 0)
      return Error::bad_data(text("its ONNX element type ", onnx_type, " is not supported"));
    if (is_external)
      return Error::bad_data("its data is in another file, which is not supported for datasets");
    Result<int64_t> bytes = array_bytes(type, dims);
    if (!bytes)
      return bytes.error();
    if (!has_raw)
      narrow(type);
    std::string_view data = has_raw ? raw : std::string_view(*typed);
    if (int64_t(data.size()) != *bytes)
      return Error::bad_data(
          text(describe(type, dims), " needs ", *bytes, " bytes, ", data.size(), " are there"));
    if (!has_raw)
      owner = typed;
    return Array{name, type, dims, data.data(), std::move(owner)};
  }

private:
  void take(uint64_t field, std::string_view content) {
    switch (field) {
    case dims_field:
      return each_varint(content, [&](uint64_t dim) { dims.push_back(int64_t(dim)); });
    case type_field:
      return each_varint(content, [&](uint64_t value) { onnx_type = value; });
    case location_field:
      return each_varint(content, [&](uint64_t value) { is_external |= value != 0; });
    case external_field:
      is_external = true;
      return;
    case name_field:
      if (!content.empty())
        name = std::string(content);
      return;
    case raw_field:
      raw = content;
      has_raw = true;
      return;
    case float_field:
    case double_field:
      typed->append(content);
      return;
    case int32_field:
    case int64_field:
      return each_varint(content, [&](uint64_t value) {
        typed->append(reinterpret_cast<const char *>(&value), sizeof value);
        are_varints = true;
      });
    }
  }

  template <typename Use> void each_varint(std::string_view content, Use use) {
    Wire wire(content);
    while (!wire.done()) {
      uint64_t value = wire.varint();
      if (wire.ok())
        use(value);
    }
    is_ok &= wire.ok();
  }

  /// Varints were collected as 64 bits each; keeps the low bytes that the type has.
  void narrow(int32_t type) {
    size_t width = type_bytes(type);
    if (!are_varints || width == sizeof(uint64_t))
      return;
    size_t count = typed->size() / sizeof(uint64_t);
    for (size_t i = 0; i < count; ++i)
      std::memmove(typed->data() + i * width, typed->data() + i * sizeof(uint64_t), width);
    typed->resize(count * width);
  }

  std::string name;
  std::vector<int64_t> dims;
  uint64_t onnx_type = 0;
  std::string_view raw;
  bool has_raw = false, is_external = false, are_varints = false, is_ok = true;
  std::shared_ptr<std::string> typed = std::make_shared<std::string>();
};

} // namespace

Result<Array> read_tensor_proto(std::string name, std::string_view bytes,
                                std::shared_ptr<const void> owner) {
  Message message(std::move(name));
  if (Error error = message.parse(bytes))
    return error;
  return message.array(std::move(owner));
}

} // namespace tutti::runtime::data
