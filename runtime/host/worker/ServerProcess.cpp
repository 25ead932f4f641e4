// Loading tables, and serving them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/ServerProcess.h"

#include "runtime/host/run/StopSignals.h"
#include "runtime/host/worker/ServerParts.h"
#include "runtime/output/StandardStreams.h"
#include "runtime/servers/rpc/ServerReports.h"
#include "runtime/servers/shm/RowQueueServer.h"
#include "runtime/support/Stopwatch.h"
#include "runtime/support/system/MappedFile.h"
#include "runtime/support/system/ScratchFolder.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace tutti::runtime::worker {

Result<servers::Security> security_of(const RunConfig &run) {
  return servers::Security::read(
      {run.server_token, run.server_certificate, run.server_key, run.server_authority});
}

namespace {

Result<servers::RunOfServers> run_of(const WorkerConfig &config, const Manifest &manifest) {
  const RunConfig &run = config.run;
  Result<servers::Security> security = security_of(run);
  if (!security)
    return security.error();
  bool is_supervised = config.server >= 0 && !config.ends_with_workers;
  servers::RunOfServers made = {
      manifest.fingerprint, run.ranks,     int64_t(run.servers.size()), run.stall_error,
      std::move(*security), is_supervised, manifest.exchange_text()};
  made.names = {config.rank_names, config.rank_addresses};
  made.own_name = config.role;
  made.warn_after = run.stall_warning;
  return made;
}

/// Before workers are waited for.
void say_that_it_listens(const WorkerConfig &config, const Manifest &manifest,
                         const std::string &address) {
  if (config.role.empty())
    return;
  std::string tables;
  for (const ServedTable &table : manifest.tables)
    tables += (tables.empty() ? "" : ", ") + table.name;
  output::print(text(config.role, ": listens at ", address, ", holds ", tables, "; waits for ",
                     config.run.ranks, config.run.ranks == 1 ? " worker" : " workers", "\n"));
}

void say_that_it_ends(const WorkerConfig &config, int signal) {
  if (!config.role.empty())
    output::print(text(config.role, ": ends, ",
                       signal ? text("as ", spell_signal(signal), " asked")
                              : std::string("all workers have ended"),
                       "\n"));
}

/// Rows on disk are in a folder of this server, which goes with it. Our launcher makes one for all.
Result<ScratchFolder> place_rows(RunConfig &run) {
  Result<servers::StorageChoice> choice = servers::StorageChoice::parse(run.server_storage);
  if (!choice)
    return choice.error();
  if (choice->folder.empty())
    return ScratchFolder();
  Result<ScratchFolder> made = ScratchFolder::make_in(choice->folder);
  if (!made)
    return Error::make(made.error().status, "rows of servers: ", made.error().message);
  choice->folder = made->path();
  run.server_storage = choice->text();
  return made;
}

/// The rows that the model gives, mapped: they are read when they are first used.
Result<std::string_view> given_rows(const ServedTable &table, const ValuePlace &place,
                                    std::shared_ptr<const MappedFile> &file) {
  if (table.initial.distribution != ServedTable::Distribution::given)
    return std::string_view();
  Result<std::shared_ptr<const MappedFile>> opened = MappedFile::open(place.path);
  if (!opened)
    return opened.error();
  file = *opened;
  int64_t bytes = table.rows() * table.row_bytes();
  std::string_view all = file->bytes();
  if (place.offset < 0 || place.offset > int64_t(all.size()) ||
      bytes > int64_t(all.size()) - place.offset)
    return Error::make(TUTTI_BAD_DATA, "'", place.path, "' has ", all.size(), " bytes, but table '",
                       table.name, "' takes ", bytes, " from ", place.offset);
  return all.substr(place.offset, bytes);
}

/// A table, and what it reads from.
struct OpenTable {
  std::shared_ptr<const MappedFile> file;
  std::unique_ptr<servers::Table> table;
};

int64_t whole_bytes(const ServedTable &table) { return table.rows() * table.held_bytes(); }

/// How the rows of `table` are kept: it has its share of the memory.
Result<servers::StoreOptions> store_options(const RunConfig &run, const Manifest &manifest,
                                            const ServedTable &table) {
  Result<servers::StorageChoice> choice = servers::StorageChoice::parse(run.server_storage);
  if (!choice)
    return choice.error();
  using Kind = servers::StorageChoice::Kind;
  double bytes = double(run.server_cache_bytes), all = 0;
  if (choice->kind == Kind::rocksdb && bytes == 0)
    bytes = double(servers::StorageChoice::usual_cache_bytes);
  for (const ServedTable &each : manifest.tables)
    all += double(whole_bytes(each));
  choice->cache_bytes = int64_t(bytes * (double(whole_bytes(table)) / all));
  choice->open_files = servers::StorageChoice::share_of_open_files(manifest.tables.size());
  // A checkpoint may have others, which then hold.
  servers::RowRules rules = {std::max<int64_t>(run.server_admit_after, 1),
                             std::max<int64_t>(run.server_evict_after, 0)};
  return servers::StoreOptions{*choice, rules};
}

Result<OpenTable> open_table(const ServedTable &described, const TableFiles &files,
                             const RunConfig &run, const Manifest &manifest) {
  OpenTable open;
  Result<std::string_view> given = given_rows(described, files.first, open.file);
  if (!given)
    return given.error();
  Result<servers::FirstRows> first = servers::FirstRows::make(described, run.seed, *given,
                                                              /*is_mapped=*/true);
  if (!first)
    return first.error();
  Result<servers::StoreOptions> options = store_options(run, manifest, described);
  if (!options)
    return options.error();
  Result<servers::RowStore> store = servers::RowStore::make(described, std::move(*first), *options);
  if (!store)
    return store.error();
  Result<servers::RowUpdate> update = servers::RowUpdate::load(files.update, described);
  if (!update)
    return update.error();
  open.table =
      std::make_unique<servers::Table>(described, run.ranks, std::move(*store), std::move(*update));
  return open;
}

/// A server that was asked to stop answers until its workers have ended: they were asked, too.
class ServerStop {
public:
  ServerStop(int64_t server, double seconds)
      : server(server), seconds(seconds), request(/*has_launcher=*/false) {}

  int signal() const { return request.signal(); }

  /// Whether nobody else will come.
  Result<bool> check(bool has_workers) {
    if (signal() == 0)
      return false;
    if (!has_workers)
      return Error::make(TUTTI_INTERRUPTED, spell_signal(signal()));
    if (!since) {
      since.emplace();
      std::fprintf(stderr,
                   "dist-run: server %lld: %s: it answers until its workers have ended; once more "
                   "ends it at once\n",
                   static_cast<long long>(server), spell_signal(signal()));
    }
    constexpr double longer = 2; // workers say for themselves what they left
    if (since->seconds() < seconds + longer)
      return true;
    return Error::make(TUTTI_STALLED, spell_signal(signal()), ": its workers have not ended for ",
                       seconds, " s (--grace-period)");
  }

private:
  int64_t server;
  double seconds;
  StopRequest request;
  std::optional<Stopwatch> since;
};

} // namespace

Result<int> run_server(WorkerConfig config) {
  std::optional<ServerStop> stop;
  if (config.ends_with_workers)
    stop.emplace(config.server, config.run.grace_period);
  else
    leave_stopping_to_launcher();
  Result<ScratchFolder> folder =
      config.ends_with_workers ? place_rows(config.run) : Result<ScratchFolder>(ScratchFolder());
  if (!folder)
    return folder.error();
  const RunConfig &run = config.run;
  Result<Manifest> manifest = Manifest::read(run.programs.at(0));
  if (!manifest)
    return manifest.error();
  if (manifest->tables.size() != run.tables.size())
    return Error::make(TUTTI_BAD_PROGRAM, "the program has ", manifest->tables.size(),
                       " tables, the run names files for ", run.tables.size());
  Result<servers::RunOfServers> shared = run_of(config, *manifest);
  if (!shared)
    return shared.error();
  std::vector<OpenTable> open;
  std::vector<servers::Table *> tables;
  for (size_t i = 0; i < run.tables.size(); ++i) {
    Result<OpenTable> table = open_table(manifest->tables[i], run.tables[i], run, *manifest);
    if (!table)
      return table.error();
    open.push_back(std::move(*table));
    tables.push_back(open.back().table.get());
  }
  ServerParts parts(config, *manifest, tables);
  std::unique_ptr<servers::RowQueueServer> queues; // there before workers shake hands
  if (!config.row_queues.empty()) {
    auto started = servers::RowQueueServer::start(config.row_queues[0], tables, shared->seconds);
    if (!started)
      return started.error();
    queues = std::move(*started);
  }
  auto server = servers::RowServer::start(*shared, config.server, tables,
                                          run.servers.at(config.server), &parts);
  if (!server)
    return server.error();
  say_that_it_listens(config, *manifest, (*server)->address());
  while (!stop)
    pause();
  Error error = (*server)->wait_for_workers([&](bool is_used) { return stop->check(is_used); });
  bool was_idle = error.status == TUTTI_INTERRUPTED;
  if (error && !was_idle)
    return error;
  say_that_it_ends(config, stop->signal());
  return stop->signal();
}

Result<std::unique_ptr<servers::PartKeeper>> connect_to_parts(const WorkerConfig &config) {
  Result<servers::Security> security = security_of(config.run);
  if (!security)
    return security.error();
  return servers::RemoteParts::connect(config.run.servers, config.run.stall_error, *security);
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
  Result<servers::RunOfServers> shared = run_of(config, manifest);
  if (!shared)
    return shared.error();
  auto told = servers::ask_statistics(*shared, summary.steps, config.run.servers);
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

Result<std::unique_ptr<servers::RemoteRows>> connect_to_servers(const WorkerConfig &config,
                                                                const Manifest &manifest,
                                                                const std::string &described) {
  if (config.run.servers.empty())
    return Error::make(TUTTI_BAD_PROGRAM, "the program has ", manifest.tables.size(),
                       " tables that servers hold, but the run has no servers");
  Result<servers::RunOfServers> shared = run_of(config, manifest);
  if (!shared)
    return shared.error();
  shared->described = described;
  return servers::RemoteRows::connect(*shared, config.rank, manifest.tables, config.run.servers,
                                      config.row_queues);
}

} // namespace tutti::runtime::worker
