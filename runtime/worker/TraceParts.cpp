// From a part of every rank to one trace.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/worker/RunTrace.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

namespace tutti::runtime::worker {

std::string about_trace(const std::string &program, int64_t ranks,
                        const std::vector<int64_t> &missing) {
  nlohmann::ordered_json about = {{"program", program}, {"ranks", ranks}};
  if (!missing.empty())
    about["missing_ranks"] = missing;
  return about.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

static void remove_part(const std::string &path) {
  unlink(path.c_str());
  unlink((path + ".tmp").c_str());
}

Result<TraceParts> TraceParts::create(const RunConfig &config) {
  Result<trace::TraceFile> file = trace::TraceFile::create(config.trace);
  if (!file)
    return file.error();
  TraceParts parts(std::move(*file));
  for (int64_t rank = 0; rank < config.ranks; ++rank)
    parts.paths.push_back(trace::part_path(config.trace, rank));
  for (const std::string &path : parts.paths)
    remove_part(path);
  return Result<TraceParts>(std::move(parts));
}

TraceParts::~TraceParts() {
  for (const std::string &path : paths)
    remove_part(path);
}

Error TraceParts::merge(const std::string &program) {
  std::vector<int64_t> missing;
  for (size_t rank = 0; rank < paths.size(); ++rank)
    if (!file.add_part(paths[rank]))
      missing.push_back(int64_t(rank));
  if (missing.size() == paths.size())
    return Error::success();
  return file.commit(about_trace(program, int64_t(paths.size()), missing));
}

} // namespace tutti::runtime::worker
