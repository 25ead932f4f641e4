// Reading NumPy's .npy: a magic, a version, a Python dictionary in text, then the elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Readers.h"

#include "runtime/support/Names.h"

#include <cctype>
#include <cstring>
#include <new>
#include <optional>

namespace tutti::runtime::data {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// Reads the subset of Python literals that such headers use.
class Literal {
public:
  explicit Literal(std::string_view text) : rest(text) {}

  bool accept(char wanted) {
    skip_space();
    if (rest.empty() || rest[0] != wanted)
      return false;
    rest.remove_prefix(1);
    return true;
  }

  std::optional<std::string_view> string() {
    skip_space();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return std::nullopt;
    size_t end = rest.find(rest[0], 1);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string_view value = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return value;
  }

  std::optional<bool> boolean() {
    skip_space();
    for (auto [word, value] : {std::pair{"True", true}, std::pair{"False", false}})
      if (rest.substr(0, std::strlen(word)) == word) {
        rest.remove_prefix(std::strlen(word));
        return value;
      }
    return std::nullopt;
  }

  std::optional<int64_t> integer() {
    skip_space();
    bool is_negative = accept('-');
    int64_t value = 0;
    size_t digits = 0;
    for (; digits < rest.size() && std::isdigit(static_cast<unsigned char>(rest[digits])); ++digits)
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, rest[digits] - '0', &value))
        return std::nullopt;
    if (digits == 0)
      return std::nullopt;
    rest.remove_prefix(digits);
    return is_negative ? -value : value;
  }

  std::optional<std::vector<int64_t>> tuple() {
    std::vector<int64_t> values;
    if (!accept('('))
      return std::nullopt;
    while (!accept(')')) {
      std::optional<int64_t> value = integer();
      if (!value || values.size() == 64)
        return std::nullopt;
      values.push_back(*value);
      if (!accept(','))
        return accept(')') ? std::optional(values) : std::nullopt;
    }
    return values;
  }

private:
  void skip_space() {
    while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest[0])))
      rest.remove_prefix(1);
  }
  std::string_view rest;
};

struct Header {
  std::string descr;
  bool is_fortran = false;
  std::vector<int64_t> shape;
  size_t data_offset = 0;
  int32_t type = 0;
};

Result<int32_t> type_of(std::string_view descr) {
  struct Known {
    std::string_view descr;
    int32_t type;
  };
  constexpr Known known[] = {{"f2", TUTTI_F16}, {"f4", TUTTI_F32}, {"f8", TUTTI_F64},
                             {"i1", TUTTI_I8},  {"u1", TUTTI_U8},  {"i2", TUTTI_I16},
                             {"i4", TUTTI_I32}, {"i8", TUTTI_I64}, {"b1", TUTTI_BOOL}};
  if (!descr.empty() && descr[0] == '>')
    return Error::bad_data(text("its elements are big-endian ('", descr,
                                "'); save it with array.astype(array.dtype.newbyteorder('<'))"));
  for (const Known &candidate : known)
    if (descr.size() == 3 && (descr[0] == '<' || descr[0] == '|') &&
        descr.substr(1) == candidate.descr)
      return candidate.type;
  return Error::bad_data(
      text("its element type '", descr,
           "' is not supported; convert it to one of f16, f32, f64, i8, u8, i16, i32, i64, "
           "bool"));
}

bool parse_dictionary(Literal literal, Header &header) {
  bool has_descr = false, has_order = false, has_shape = false;
  if (!literal.accept('{'))
    return false;
  while (!literal.accept('}')) {
    std::optional<std::string_view> key = literal.string();
    if (!key || !literal.accept(':'))
      return false;
    if (*key == "descr") {
      std::optional<std::string_view> value = literal.string();
      has_descr = value.has_value();
      header.descr = std::string(value.value_or(""));
    } else if (*key == "fortran_order") {
      std::optional<bool> value = literal.boolean();
      has_order = value.has_value();
      header.is_fortran = value.value_or(false);
    } else if (*key == "shape") {
      std::optional<std::vector<int64_t>> value = literal.tuple();
      has_shape = value.has_value();
      header.shape = value.value_or(std::vector<int64_t>());
    } else {
      return false;
    }
    literal.accept(',');
  }
  return has_descr && has_order && has_shape;
}

/// Where the dictionary lies: {offset, bytes}.
Result<std::pair<size_t, size_t>> find_dictionary(std::string_view bytes) {
  if (bytes.size() < 10 || bytes.substr(0, magic.size()) != magic)
    return Error::bad_data("it is not a .npy file");
  int version = bytes[6];
  if (version < 1 || version > 3)
    return Error::bad_data(text("its .npy version ", version, " is unknown"));
  size_t length_bytes = version == 1 ? 2 : 4;
  size_t offset = 8 + length_bytes, length = 0;
  if (bytes.size() < offset)
    return Error::bad_data("it ends inside its header");
  for (size_t i = 0; i < length_bytes; ++i)
    length |= size_t(static_cast<unsigned char>(bytes[8 + i])) << (8 * i);
  if (length > bytes.size() - offset)
    return Error::bad_data(text("it ends inside its header, which claims ", length, " bytes"));
  return std::pair(offset, length);
}

Result<Header> parse_header(std::string_view bytes) {
  Result<std::pair<size_t, size_t>> place = find_dictionary(bytes);
  if (!place)
    return place.error();
  auto [offset, length] = *place;
  Header header;
  header.data_offset = offset + length;
  if (!parse_dictionary(Literal(bytes.substr(offset, length)), header))
    return Error::bad_data(
        "its header is not {'descr': ..., 'fortran_order': ..., 'shape': ...}; structured "
        "arrays are not supported");
  Result<int32_t> type = type_of(header.descr);
  if (!type)
    return type.error();
  header.type = *type;
  return header;
}

/// A row-major copy of an array that lies with its first dimension fastest.
Result<Array> in_row_order(const Array &array) {
  int64_t bytes = *array_bytes(array.type, array.shape), size = type_bytes(array.type);
  std::shared_ptr<char[]> memory(new (std::nothrow) char[size_t(bytes)]);
  if (!memory)
    return Error::make(TUTTI_OUT_OF_MEMORY, "no memory for ", bytes, " bytes to put it in C order");
  std::vector<int64_t> index(array.shape.size()), strides(array.shape.size(), size);
  for (size_t d = 1; d < strides.size(); ++d)
    strides[d] = strides[d - 1] * array.shape[d - 1];
  const char *from = array.data;
  for (char *to = memory.get(); to < memory.get() + bytes; to += size) {
    std::memcpy(to, from, size);
    for (size_t d = index.size(); d-- > 0;) { // to the next element of the copy
      from += strides[d];
      if (++index[d] < array.shape[d])
        break;
      from -= strides[d] * array.shape[d];
      index[d] = 0;
    }
  }
  return Array{array.name, array.type, array.shape, memory.get(), memory};
}

} // namespace

Result<int64_t> npy_file_bytes(std::string_view beginning) {
  Result<Header> header = parse_header(beginning);
  if (!header)
    return header.error();
  Result<int64_t> bytes = array_bytes(header->type, header->shape);
  if (!bytes)
    return bytes.error();
  int64_t total;
  if (__builtin_add_overflow(*bytes, int64_t(header->data_offset), &total))
    return Error::bad_data("its shape is too large");
  return total;
}

Result<Array> read_npy(std::string name, std::string_view bytes,
                       std::shared_ptr<const void> owner) {
  Result<Header> header = parse_header(bytes);
  if (!header)
    return header.error();
  Result<int64_t> needed = array_bytes(header->type, header->shape);
  if (!needed)
    return needed.error();
  int64_t present = int64_t(bytes.size() - header->data_offset);
  if (present < *needed)
    return Error::bad_data(text("it is truncated: ", describe(header->type, header->shape),
                                " needs ", *needed, " bytes, ", present, " are there"));
  Array array{std::move(name), header->type, header->shape, bytes.data() + header->data_offset,
              std::move(owner)};
  bool has_order = header->is_fortran && header->shape.size() > 1 && *needed > 0;
  return has_order ? in_row_order(array) : array;
}

} // namespace tutti::runtime::data
