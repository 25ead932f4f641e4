// From the texts that a file of a checkpoint has beside its tensors to numbers and objects.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUNDIR_FOLDER_METADATAREADER_H
#define TUTTI_RUNTIME_HOST_RUNDIR_FOLDER_METADATAREADER_H

#include "runtime/host/rundir/folder/RunState.h"
#include "runtime/support/Json.h"
#include "runtime/support/Numbers.h"

namespace tutti::runtime::rundir {

/// Reads fields of metadata one by one; the first that is missing or wrong is the error.
class MetadataReader {
public:
  explicit MetadataReader(const Metadata &metadata) : metadata(metadata) {}

  void read(const char *key, std::string &out) { out = find(key); }
  void read(const char *key, int64_t &out, int64_t low = 0) {
    auto number = parse_integer<int64_t>(find(key), low);
    number ? void(out = *number) : fail(key, number.error().message);
  }
  void read(const char *key, uint64_t &out) {
    auto number = parse_integer<uint64_t>(find(key), 0);
    number ? void(out = *number) : fail(key, number.error().message);
  }
  void read(const char *key, bool &out) {
    std::string word = find(key);
    out = word == "true";
    if (!out && word != "false")
      fail(key, "'" + word + "' is neither true nor false");
  }
  nlohmann::json read_object(const char *key) {
    Result<nlohmann::json> parsed = parse_json_object(find(key), TUTTI_BAD_DATA);
    if (!parsed)
      return fail(key, parsed.error().message), nlohmann::json::object();
    return *parsed;
  }
  void fail(const std::string &key, const std::string &what) {
    if (!problem)
      problem = Error::make(TUTTI_BAD_DATA, "its field '", key, "': ", what);
  }
  const Error &error() const { return problem; }

private:
  std::string find(const char *key) {
    auto found = metadata.find(key);
    if (found == metadata.end())
      return fail(key, "it is missing"), "";
    return found->second;
  }

  const Metadata &metadata;
  Error problem;
};

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_HOST_RUNDIR_FOLDER_METADATAREADER_H
