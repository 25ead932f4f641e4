// From a part of every rank to one trace.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/reporting/RunTrace.h"

#include <nlohmann/json.hpp>

namespace tutti::runtime::worker {

std::string about_trace(const std::string &program, int64_t ranks,
                        const std::vector<int64_t> &missing) {
  nlohmann::ordered_json about = {{"program", program}, {"ranks", ranks}};
  if (!missing.empty())
    about["missing_ranks"] = missing;
  return about.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Result<TraceParts> TraceParts::create(const RunConfig &config) {
  Result<trace::TraceFile> file = trace::TraceFile::create(config.trace);
  if (!file)
    return file.error();
  TraceParts made(std::move(*file));
  for (int64_t rank = 0; rank < config.ranks; ++rank) {
    Result<output::Descriptor> part = output::open_nameless(config.trace);
    if (!part)
      return part.error();
    made.parts.push_back(std::move(*part));
  }
  return Result<TraceParts>(std::move(made));
}

Error TraceParts::merge(const std::string &program) {
  std::vector<int64_t> missing;
  for (size_t rank = 0; rank < parts.size(); ++rank)
    if (!file.add_part(parts[rank].get()))
      missing.push_back(int64_t(rank));
  if (missing.size() == parts.size())
    return Error::success();
  return file.commit(about_trace(program, int64_t(parts.size()), missing));
}

} // namespace tutti::runtime::worker
