// Rows with servers of this project: processes of dist-worker, as dist-run starts them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/RankProcess.h"
#include "runtime/host/program/Manifest.h"
#include "runtime/host/run/RunConfig.h"
#include "runtime/servers/rpc/RemoteRows.h"
#include "runtime/servers/shm/RowQueue.h"
#include "runtime/support/system/ScratchFolder.h"
#include "test/benchmarks/servers/Measure.h"

#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>

using namespace tutti::benchmarks;
using namespace tutti::runtime;

namespace {

[[noreturn]] void give_up(const std::string &why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

template <typename T> T need(Result<T> result) {
  if (!result)
    give_up(result.error().message);
  return std::move(*result);
}

/// A port of the loopback device that was free just now.
int free_port() {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  auto *any = reinterpret_cast<sockaddr *>(&address);
  if (bind(listener, any, bytes) != 0 || getsockname(listener, any, &bytes) != 0)
    give_up("no free port");
  close(listener);
  return ntohs(address.sin_port);
}

/// Servers of the table of a program, and this process as their worker. Files: dist-worker, the
/// program of workers, the update of rows, and what the rows begin as.
class TuttiRows final : public Contestant {
public:
  explicit TuttiRows(const Settings &settings) {
    if (settings.files.size() != 4)
      give_up("needs WORKER PROGRAM UPDATE VALUES");
    const std::vector<std::string> &files = settings.files;
    worker::Manifest manifest = need(worker::Manifest::read(files[1]));
    folder = need(ScratchFolder::make());
    worker::WorkerConfig config = {};
    config.run.worker = files[0];
    config.run.steps = 1; // not of servers, but of a run
    config.run.stall_error = 20;
    config.run.programs = {files[1]};
    config.run.tables = {{files[2], {files[3], 0}}};
    for (int64_t number = 0; number < settings.servers; ++number)
      config.run.servers.push_back(settings.way == "tcp"
                                       ? text("127.0.0.1:", free_port())
                                       : text("unix:", folder.path(), "/", number));
    if (settings.way == "memory")
      for (int64_t number = 0; number < settings.servers; ++number)
        queues.push_back(need(servers::RowQueueFile::create(manifest.tables, /*workers=*/1)));
    start(config);
    connect(config, manifest);
  }

  void pull(int64_t step, const std::vector<int64_t> &rows, float *values) override {
    tutti_row_list list = {0, step, int64_t(rows.size()), rows.data()};
    const tutti_row_service &service = *remote->service();
    void *out = values;
    check(service.pull(service.self, &list, 1, &out, message, sizeof message));
  }

  void push(int64_t step, const std::vector<int64_t> &rows, float *,
            const float *gradients) override {
    tutti_row_list list = {0, step, int64_t(rows.size()), rows.data()};
    const tutti_row_service &service = *remote->service();
    double scalars[2] = {}; // the rate, and what scales the gradient
    float half = 0.5f, one = 1;
    std::memcpy(&scalars[0], &half, sizeof half);
    std::memcpy(&scalars[1], &one, sizeof one);
    check(service.push(service.self, &list, gradients, scalars, sizeof(double), message,
                       sizeof message));
    if (Error error = remote->finish())
      give_up(error.message);
  }

private:
  void start(worker::WorkerConfig config) {
    for (size_t number = 0; number < config.run.servers.size(); ++number) {
      config.server = int64_t(number);
      config.row_queues.clear();
      if (!queues.empty())
        config.row_queues = {queues[number].descriptor()};
      processes.push_back(need(worker::RankProcess::start(
          config.run.worker, to_json(config), config.row_queues, {"OMP_NUM_THREADS=1"})));
    }
  }

  void connect(const worker::WorkerConfig &config, const worker::Manifest &manifest) {
    std::vector<int> descriptors;
    for (const servers::RowQueueFile &file : queues)
      descriptors.push_back(file.descriptor());
    servers::RunOfServers run = {manifest.fingerprint, /*workers=*/1,
                                 int64_t(config.run.servers.size()), config.run.stall_error};
    run.exchanged = manifest.exchange_text();
    remote = need(servers::RemoteRows::connect(run, /*worker=*/0, manifest.tables,
                                               config.run.servers, descriptors));
  }

  void check(int32_t status) const {
    if (status != 0)
      give_up(message);
  }

  ScratchFolder folder;
  std::vector<servers::RowQueueFile> queues;
  std::vector<worker::RankProcess> processes;
  std::unique_ptr<servers::RemoteRows> remote; ///< ends before the servers do
  char message[512] = "";
};

} // namespace

int main(int count, char **arguments) {
  Settings settings;
  if (!settings.parse(count, arguments))
    return 2;
  TuttiRows contestant(settings);
  return measure(contestant, settings);
}
