// Reading safetensors that may be hostile: the header is checked as a whole, then each variable
// against it, then the data is copied.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/checkpoint/Safetensors.h"
#include "runtime/host/checkpoint/TypeNames.h"
#include "runtime/host/data/Array.h"
#include "runtime/support/Json.h"
#include "runtime/support/Names.h"
#include "runtime/support/system/MappedFile.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace tutti::runtime::checkpoint {
namespace {

using nlohmann::json;

/// The limit that the format itself states.
constexpr uint64_t most_header_bytes = 100'000'000;

/// What the header says.
struct Tensor {
  std::string type;
  std::vector<int64_t> shape;
  int64_t begin, end;
};

Error bad(const std::string &what) { return Error::make(TUTTI_BAD_DATA, what); }

/// The JSON of the header; a name that comes twice is an error.
Result<json> parse_json(std::string_view header) {
  std::set<std::string> names;
  std::string twice;
  auto watch = [&](int depth, json::parse_event_t event, const json &value) {
    if (event == json::parse_event_t::key && depth == 1 &&
        !names.insert(value.get<std::string>()).second)
      twice = value.get<std::string>();
  };
  Result<json> parsed = parse_json_object(header, TUTTI_BAD_DATA, watch);
  if (!parsed)
    return bad("in its header: " + parsed.error().message);
  if (!twice.empty())
    return bad("tensor '" + twice + "' is there twice");
  return parsed;
}

bool is_size(const json &value) {
  return value.is_number_unsigned() && value.get<uint64_t>() <= uint64_t(INT64_MAX);
}

bool is_list_of_sizes(const json &value) {
  return value.is_array() && std::all_of(value.begin(), value.end(), is_size);
}

Result<Tensor> parse_tensor(const std::string &name, const json &entry, int64_t data_bytes) {
  auto refuse = [&](const std::string &what) { return bad("tensor '" + name + "' " + what); };
  if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() ||
      !entry.contains("shape") || !is_list_of_sizes(entry["shape"]) ||
      !entry.contains("data_offsets") || !is_list_of_sizes(entry["data_offsets"]) ||
      entry["data_offsets"].size() != 2)
    return refuse("lacks a valid dtype, shape or data_offsets");
  Tensor tensor = {entry["dtype"], entry["shape"], entry["data_offsets"][0],
                   entry["data_offsets"][1]};
  if (tensor.begin > tensor.end || tensor.end > data_bytes)
    return refuse(text("claims bytes ", tensor.begin, " to ", tensor.end, " of ", data_bytes));
  return tensor;
}

using Tensors = std::map<std::string, Tensor>;

Error check_overlap(const Tensors &tensors) {
  std::vector<std::pair<const Tensor *, const std::string *>> order;
  for (const auto &[name, tensor] : tensors)
    order.push_back({&tensor, &name});
  std::sort(order.begin(), order.end(), [](const auto &a, const auto &b) {
    return std::pair(a.first->begin, a.first->end) < std::pair(b.first->begin, b.first->end);
  });
  for (size_t i = 1; i < order.size(); ++i)
    if (order[i].first->begin < order[i - 1].first->end)
      return bad("tensors '" + *order[i - 1].second + "' and '" + *order[i].second + "' overlap");
  return Error::success();
}

/// A checked file.
struct Contents {
  Tensors tensors;
  std::map<std::string, std::string> metadata;
  std::string_view data;

  std::string_view data_of(const Tensor &tensor) const {
    return data.substr(tensor.begin, tensor.end - tensor.begin);
  }
};

std::map<std::string, std::string> texts_of(const json &metadata) {
  std::map<std::string, std::string> texts;
  for (const auto &[key, value] : metadata.items())
    if (metadata.is_object() && value.is_string())
      texts[key] = value.get<std::string>();
  return texts;
}

Result<Contents> parse_file(std::string_view bytes) {
  uint64_t length = 0;
  if (bytes.size() < sizeof length)
    return bad("it is too short for a safetensors file");
  std::memcpy(&length, bytes.data(), sizeof length);
  bytes.remove_prefix(sizeof length);
  if (length > bytes.size() || length > most_header_bytes)
    return bad(text("its header claims ", length, " bytes, ", bytes.size(), " are there"));
  Result<json> header = parse_json(bytes.substr(0, length));
  if (!header)
    return header.error();
  Contents contents;
  contents.data = bytes.substr(length);
  for (const auto &[name, entry] : header->items()) {
    if (name == "__metadata__") {
      contents.metadata = texts_of(entry);
      continue;
    }
    Result<Tensor> tensor = parse_tensor(name, entry, contents.data.size());
    if (!tensor)
      return tensor.error();
    contents.tensors.emplace(name, *tensor);
  }
  if (Error error = check_overlap(contents.tensors))
    return error;
  return contents;
}

Error check(const Variable &variable, const Tensors &tensors) {
  auto refuse = [&](const std::string &what) {
    return bad("variable '" + variable.name + "' " + what);
  };
  auto found = tensors.find(variable.name);
  if (found == tensors.end())
    return refuse("is not in it");
  const Tensor &tensor = found->second;
  Result<int64_t> bytes = data::array_bytes(variable.type, variable.shape);
  if (!bytes)
    return bytes.error();
  if (tensor.type != saved_type_name(variable.type) || tensor.shape != variable.shape)
    return refuse(text("is ", data::describe(variable.type, variable.shape),
                       " in the program, in the file ", tensor.type, " ",
                       json(tensor.shape).dump()));
  if (tensor.end - tensor.begin != *bytes)
    return refuse(text("needs ", *bytes, " bytes, the file gives it ", tensor.end - tensor.begin));
  return Error::success();
}

/// Writes what `variable` holds of `whole`.
void copy(const Variable &variable, std::string_view whole) {
  if (variable.count < 0) {
    if (!whole.empty()) // then there may be no memory
      std::memcpy(variable.data, whole.data(), whole.size());
    return;
  }
  int64_t size = type_bytes(variable.type), all = int64_t(whole.size());
  int64_t begin = std::min(variable.first * size, all), wanted = variable.count * size;
  int64_t there = std::min(wanted, all - begin);
  std::memcpy(variable.data, whole.data() + begin, there);
  std::memset(static_cast<char *>(variable.data) + there, 0, wanted - there);
}

Error load_checked(std::string_view bytes, const std::vector<Variable> &variables,
                   std::vector<std::string> *out_unused) {
  Result<Contents> contents = parse_file(bytes);
  if (!contents)
    return contents.error();
  Tensors unused = contents->tensors;
  for (const Variable &variable : variables) {
    if (Error error = check(variable, contents->tensors))
      return error;
    unused.erase(variable.name);
  }
  for (const Variable &variable : variables) {
    const Tensor &tensor = contents->tensors.at(variable.name);
    copy(variable, contents->data_of(tensor));
  }
  if (out_unused) {
    out_unused->clear();
    for (const auto &[name, tensor] : unused)
      out_unused->push_back(name);
  }
  return Error::success();
}

/// Runs `use` on the bytes of the file; errors name it.
template <typename Use> Error with_file(const std::string &path, Use use) {
  Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file.error();
  try {
    if (Error error = use((*file)->bytes()))
      return Error::make(error.status, "checkpoint '", path, "': ", error.message);
    return Error::success();
  } catch (const std::exception &error) {
    return Error::make(TUTTI_BAD_DATA, "checkpoint '", path, "': ", error.what());
  }
}

} // namespace

Error load(const std::string &path, const std::vector<Variable> &variables,
           std::vector<std::string> *out_unused) {
  return with_file(
      path, [&](std::string_view bytes) { return load_checked(bytes, variables, out_unused); });
}

Result<StoredFile> parse_with_metadata(std::string_view bytes) {
  try {
    Result<Contents> contents = parse_file(bytes);
    if (!contents)
      return contents.error();
    StoredFile file;
    for (const auto &[name, tensor] : contents->tensors)
      file.tensors[name] = {tensor.type, tensor.shape, contents->data_of(tensor)};
    file.metadata = std::move(contents->metadata);
    return file;
  } catch (const std::exception &error) {
    return bad(error.what());
  }
}

Result<std::map<std::string, StoredTensor>> parse(std::string_view bytes) {
  Result<StoredFile> file = parse_with_metadata(bytes);
  if (!file)
    return file.error();
  return std::move(file->tensors);
}

Result<std::map<std::string, std::vector<int64_t>>> read_shapes(const std::string &path) {
  std::map<std::string, std::vector<int64_t>> shapes;
  Error error = with_file(path, [&](std::string_view bytes) {
    Result<Contents> contents = parse_file(bytes);
    if (!contents)
      return contents.error();
    for (const auto &[name, tensor] : contents->tensors)
      shapes[name] = tensor.shape;
    return Error::success();
  });
  if (error)
    return error;
  return shapes;
}

} // namespace tutti::runtime::checkpoint
