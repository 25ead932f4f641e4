// Writing safetensors: 8 bytes of header length, the header padded to 8 bytes with spaces, the
// data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checkpoint/Safetensors.h"
#include "runtime/checkpoint/TypeNames.h"
#include "runtime/data/Array.h"
#include "runtime/output/OutputFile.h"

#include <nlohmann/json.hpp>

namespace tutti::runtime::checkpoint {
namespace {

using Json = nlohmann::ordered_json;

Result<std::string> make_header(const std::vector<Variable> &variables,
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
  return text;
}

} // namespace

/// Writes header and data; what cannot be written the file itself keeps.
static Error write(const std::string &header, const std::vector<Variable> &variables,
                   const Source &source, output::OutputFile &file) {
  uint64_t length = header.size();
  file.write(&length, sizeof length);
  file.write(header);
  for (size_t i = 0; i < variables.size(); ++i) {
    Result<const void *> data = source ? source(i) : Result<const void *>(variables[i].data);
    if (!data)
      return data.error();
    file.write(*data, *data::array_bytes(variables[i].type, variables[i].shape));
  }
  return file.commit();
}

Error save(const std::string &path, const std::vector<Variable> &variables,
           const std::vector<std::pair<std::string, std::string>> &metadata, const Source &source) {
  try {
    Result<std::string> header = make_header(variables, metadata);
    if (!header)
      return Error::make(header.error().status, "cannot save '", path,
                         "': ", header.error().message);
    Result<output::OutputFile> file = output::OutputFile::open(path);
    return file ? write(*header, variables, source, *file) : file.error();
  } catch (const std::exception &error) { // names that are not UTF-8
    return Error::make(TUTTI_INVALID_ARGUMENT, "cannot save '", path, "': ", error.what());
  }
}

} // namespace tutti::runtime::checkpoint
