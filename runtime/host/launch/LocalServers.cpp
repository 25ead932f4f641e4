// Placing, starting and watching servers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/LocalServers.h"

#include "runtime/servers/storage/StorageChoice.h"

#include <algorithm>
#include <cstdio>

namespace tutti::runtime::worker {

/// Servers are reached at sockets in a folder of their own. Rows go through row queues.
Error LocalServers::place(RunConfig &config, const std::vector<ServedTable> &tables) {
  Result<ScratchFolder> made =
      ScratchFolder::make_for_sockets(text("server-", config.servers.size()).size());
  if (!made)
    return made.error();
  sockets = std::move(*made);
  for (size_t number = 0; number < config.servers.size(); ++number) {
    config.servers[number] = text("unix:", sockets.path(), "/server-", number);
    Result<servers::RowQueueFile> file = servers::RowQueueFile::create(tables, config.ranks);
    if (!file)
      return file.error();
    queues.push_back(std::move(*file));
  }
  return place_rows(config);
}

/// Rows on disk are in a folder of this run, which goes with it, however servers end.
Error LocalServers::place_rows(RunConfig &config) {
  Result<servers::StorageChoice> choice = servers::StorageChoice::parse(config.server_storage);
  if (!choice)
    return choice.error();
  if (choice->folder.empty())
    return Error::success();
  Result<ScratchFolder> made = ScratchFolder::make_in(choice->folder);
  if (!made)
    return Error::make(made.error().status, "rows of servers: ", made.error().message);
  rows = std::move(*made);
  choice->folder = rows.path();
  config.server_storage = choice->text();
  return Error::success();
}

Error LocalServers::start(const RunConfig &config, const std::vector<std::string> &environment) {
  for (size_t number = 0; number < queues.size(); ++number) {
    WorkerConfig own = {config};
    own.server = int64_t(number);
    own.row_queues = {queues[number].descriptor()};
    Result<RankProcess> process =
        RankProcess::start(config.worker, to_json(own), own.row_queues, environment);
    if (!process)
      return process.error();
    processes.push_back(std::move(*process));
  }
  return Error::success();
}

std::vector<int> LocalServers::queue_descriptors() const {
  std::vector<int> all;
  for (const servers::RowQueueFile &file : queues)
    all.push_back(file.descriptor());
  return all;
}

std::vector<int> LocalServers::watch_descriptors() {
  std::vector<int> all;
  for (RankProcess &process : processes)
    if (!process.has_ended())
      all.push_back(process.watch_descriptor());
  return all;
}

std::optional<shm::Abort> LocalServers::find_ended() {
  for (size_t number = 0; number < processes.size(); ++number) {
    RankProcess &process = processes[number];
    if (process.has_ended())
      return process.signal() != 0
                 ? shm::Abort{shm::AbortKind::server_killed, int32_t(number), process.signal()}
                 : shm::Abort{shm::AbortKind::server_exited, int32_t(number),
                              process.exit_status()};
  }
  return std::nullopt;
}

void LocalServers::give_up(size_t rank) {
  for (size_t server = 0; server < queues.size(); ++server)
    to_tell.push_back({server, rank});
}

void LocalServers::tell_losses() {
  auto is_told = [&](const Loss &loss) {
    Result<bool> is_posted = queues[loss.server].leave(int64_t(loss.rank));
    if (!is_posted)
      std::fprintf(stderr, "dist-run: warning: server %zu still waits for rank %zu: %s\n",
                   loss.server, loss.rank, is_posted.error().message.c_str());
    return !is_posted || *is_posted;
  };
  to_tell.erase(std::remove_if(to_tell.begin(), to_tell.end(), is_told), to_tell.end());
}

} // namespace tutti::runtime::worker
