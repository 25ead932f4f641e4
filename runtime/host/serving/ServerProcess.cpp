// Loading tables, and serving them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/serving/ServerProcess.h"

#include "runtime/host/run/StopSignals.h"
#include "runtime/host/serving/RankServers.h"
#include "runtime/host/serving/ServerParts.h"
#include "runtime/output/StandardStreams.h"
#include "runtime/servers/shm/RowQueueServer.h"
#include "runtime/support/Stopwatch.h"
#include "runtime/support/system/MappedFile.h"
#include "runtime/support/system/ScratchFolder.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace tutti::runtime::worker {

namespace {

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

} // namespace tutti::runtime::worker
