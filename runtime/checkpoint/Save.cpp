// Writing safetensors: 8 bytes of header length, the header padded to 8 bytes with spaces, the
// data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checkpoint/Safetensors.h"
#include "runtime/checkpoint/TypeNames.h"
#include "runtime/data/Array.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace tutti::runtime::checkpoint {
namespace {

using Json = nlohmann::ordered_json;

/// A file that is there whole or not at all: unless commit() is reached the temporary one is
/// removed.
class AtomicFile {
public:
  explicit AtomicFile(const std::string &path)
      : path(path), temporary(text(path, ".", getpid(), ".tmp")),
        file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (file < 0)
      fail("create");
  }

  ~AtomicFile() {
    if (file >= 0)
      close(file);
    if (!is_committed)
      unlink(temporary.c_str());
  }

  void write(const void *data, size_t bytes) {
    const char *at = static_cast<const char *>(data);
    while (!error && bytes > 0) {
      ssize_t written = ::write(file, at, bytes);
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return fail("write");
      at += written;
      bytes -= written;
    }
  }

  Error commit() {
    if (!error && fsync(file) != 0)
      fail("synchronise");
    if (!error && rename(temporary.c_str(), path.c_str()) != 0)
      fail("rename");
    is_committed = !error;
    if (is_committed)
      synchronise_folder();
    return error;
  }

private:
  void fail(const char *what) {
    error = Error::make(TUTTI_SYSTEM_ERROR, "cannot save '", path, "': ", what, " '", temporary,
                        "': ", system_message(errno));
  }

  /// So that the new name survives a power cut; not every file system lets folders be synchronised.
  void synchronise_folder() {
    std::string folder = std::filesystem::path(path).parent_path().string();
    int handle = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0)
      return;
    fsync(handle);
    close(handle);
  }

  std::string path, temporary;
  int file;
  bool is_committed = false;
  Error error;
};

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

Error save(const std::string &path, const std::vector<Variable> &variables,
           const std::vector<std::pair<std::string, std::string>> &metadata, const Source &source) {
  try {
    Result<std::string> header = make_header(variables, metadata);
    if (!header)
      return Error::make(header.error().status, "cannot save '", path,
                         "': ", header.error().message);
    AtomicFile file(path);
    uint64_t length = header->size();
    file.write(&length, sizeof length);
    file.write(header->data(), header->size());
    for (size_t i = 0; i < variables.size(); ++i) {
      Result<const void *> data = source ? source(i) : Result<const void *>(variables[i].data);
      if (!data)
        return data.error();
      file.write(*data, *data::array_bytes(variables[i].type, variables[i].shape));
    }
    return file.commit();
  } catch (const std::exception &error) { // names that are not UTF-8
    return Error::make(TUTTI_INVALID_ARGUMENT, "cannot save '", path, "': ", error.what());
  }
}

} // namespace tutti::runtime::checkpoint
