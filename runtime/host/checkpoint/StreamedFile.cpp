// Writing safetensors: 8 bytes of header length, the header padded to 8 bytes with spaces, the
// data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/checkpoint/StreamedFile.h"

#include "runtime/host/checkpoint/TypeNames.h"
#include "runtime/host/data/Array.h"

#include <nlohmann/json.hpp>

namespace tutti::runtime::checkpoint {
namespace {

using Json = nlohmann::ordered_json;

struct Header {
  std::string text;
  int64_t data_bytes = 0; ///< after it
};

Result<Header> make_header(const std::vector<Variable> &variables,
                           const std::vector<std::pair<std::string, std::string>> &metadata) {
  Json header = Json::object();
  for (const auto &[key, value] : metadata)
    header["__metadata__"][key] = value;
  int64_t offset = 0;
  for (const Variable &variable : variables) {
    Result<int64_t> bytes = data::array_bytes(variable.type, variable.shape);
    if (!bytes)
      return bytes.error();
    if (header.contains(variable.name))
      return Error::make(TUTTI_INVALID_ARGUMENT, "there are two variables '", variable.name, "'");
    header[variable.name] = {{"dtype", saved_type_name(variable.type)},
                             {"shape", variable.shape},
                             {"data_offsets", {offset, offset + *bytes}}};
    offset += *bytes;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return Header{std::move(text), offset};
}

} // namespace

Result<StreamedFile>
StreamedFile::open(const std::string &path, const std::vector<Variable> &variables,
                   const std::vector<std::pair<std::string, std::string>> &metadata) {
  try {
    Result<Header> header = make_header(variables, metadata);
    if (!header)
      return Error::make(header.error().status, "cannot save '", path,
                         "': ", header.error().message);
    Result<output::OutputFile> file = output::OutputFile::open(path);
    if (!file)
      return file.error();
    uint64_t length = header->text.size();
    file->write(&length, sizeof length);
    file->write(header->text);
    return StreamedFile(std::move(*file), header->data_bytes);
  } catch (const std::exception &error) { // names that are not UTF-8
    return Error::make(TUTTI_INVALID_ARGUMENT, "cannot save '", path, "': ", error.what());
  }
}

void StreamedFile::write(const void *data, size_t bytes) {
  left -= int64_t(bytes);
  file.write(data, bytes);
}

Error StreamedFile::commit() {
  if (left != 0)
    return Error::make(TUTTI_INVALID_ARGUMENT, "the data of a checkpoint are ",
                       left < 0 ? -left : left, " bytes too ", left < 0 ? "long" : "short");
  return file.commit();
}

} // namespace tutti::runtime::checkpoint
