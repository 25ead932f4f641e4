// Loading what serves, and what servers tell in the end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/Servers.h"

#include "runtime/host/serving/Serving.h"
#include "runtime/support/system/LoadLibrary.h"

#include <algorithm>
#include <string_view>

namespace tutti::runtime::worker {

static Result<const Serving *> load() {
  Result<LoadedLibrary> library = load_library(serving_file, library_folders());
  if (!library)
    return Error::make(TUTTI_UNSUPPORTED, "tables on servers need ", serving_file,
                       ", a part of Tutti: ", library.error().message);
  auto entry = reinterpret_cast<ServingEntry>(library->find(serving_entry));
  if (!entry)
    return Error::make(TUTTI_UNSUPPORTED, library->path, " has no function ", serving_entry);
  const Serving *serving = entry();
  if (std::string_view(serving->version) != TUTTI_VERSION)
    return Error::make(TUTTI_UNSUPPORTED, library->path, " is of Tutti ", serving->version,
                       ", this program of ", TUTTI_VERSION);
  return serving;
}

Result<const Serving *> load_serving() {
  static const Result<const Serving *> loaded = load();
  return loaded;
}

static void add(ServerSummary &sum, const servers::TableStatistics &table) {
  sum.rows_used += table.rows_used;
  sum.rows_admitted += table.rows_admitted;
  sum.rows_evicted += table.rows_evicted;
  sum.resident_bytes += table.resident_bytes;
  sum.stored_bytes += table.stored_bytes;
  sum.cache_hits += table.cache_hits;
  sum.cache_misses += table.cache_misses;
  sum.pulled_rows += table.pulled_rows;
  sum.pulled_bytes += table.pulled_bytes;
  sum.pushed_rows += table.pushed_rows;
  sum.pushed_bytes += table.pushed_bytes;
  sum.updates += table.updates;
  sum.stale_pushes += table.staleness.pushes;
  sum.staleness_sum += table.staleness.sum;
  sum.staleness_max = std::max(sum.staleness_max, table.staleness.max);
  sum.ahead_max = std::max(sum.ahead_max, table.staleness.ahead_max);
}

static std::vector<std::pair<std::string, double>>
means_of(const servers::StalenessStatistics &all) {
  return {{"staleness_mean", double(all.sum) / double(std::max<int64_t>(all.pushes, 1))},
          {"ahead_mean", double(all.ahead_sum) / double(std::max<int64_t>(all.pulled_steps, 1))}};
}

Error record_servers(const WorkerConfig &config, const Manifest &manifest, RankSummary &summary,
                     RunLog &log) {
  if (config.rank != 0 || manifest.tables.empty())
    return Error::success();
  std::vector<ServerRecord> records;
  Result<const Serving *> serving = load_serving();
  if (!serving)
    return serving.error();
  auto told = (*serving)->ask_servers(config, manifest, summary.steps);
  if (!told)
    return told.error();
  summary.servers = int64_t(told->size());
  for (size_t server = 0; server < told->size(); ++server)
    for (size_t table = 0; table < (*told)[server].size() && table < manifest.tables.size();
         ++table) {
      const servers::TableStatistics &all = (*told)[server][table];
      add(summary.all_servers, all);
      if (server < size_t(most_told_servers))
        add(summary.of_servers[server], all);
      ServerRecord &record =
          records.emplace_back(ServerRecord{int64_t(server), manifest.tables[table].name, {}});
      auto take = [&](const char *name, int64_t number) {
        record.numbers.emplace_back(name, number);
      };
      servers::for_each_number(all, take);
      if (!manifest.tables[table].is_asynchronous)
        continue;
      servers::for_each_staleness(all.staleness, take);
      record.means = means_of(all.staleness);
    }
  log.record_servers(summary.steps, records);
  return Error::success();
}

} // namespace tutti::runtime::worker
