// Connecting to all servers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RemoteRows.h"

#include "runtime/servers/RowClient.h"
#include "runtime/servers/rpc/RpcChannel.h"
#include "runtime/servers/rpc/ServerWaits.h"
#include "runtime/servers/shm/RowQueueChannel.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>

namespace tutti::runtime::servers {
namespace {

class Rows final : public RemoteRows {
public:
  Rows(const RunOfServers &run, const std::vector<std::string> &addresses,
       std::vector<worker::ServedTable> tables, std::vector<std::unique_ptr<RowChannel>> channels,
       std::vector<std::shared_ptr<RpcChannel>> rpc_channels)
      : client(std::move(tables), std::move(channels)), rpc_channels(std::move(rpc_channels)),
        run(run), addresses(addresses), functions(*client.service()) {
    functions.teller = this;
    functions.tell_waits = [](void *self, char *text, int64_t text_bytes) {
      const auto &rows = *static_cast<const Rows *>(self);
      std::snprintf(text, size_t(text_bytes), "%s", ask_waits(rows.run, rows.addresses).c_str());
    };
  }

  const tutti_row_service *service() const override { return &functions; }

  Error read(int64_t table, int64_t step, int64_t first, int64_t count, char *out) override {
    std::vector<int64_t> rows(count);
    std::iota(rows.begin(), rows.end(), first);
    tutti_row_list list = {table, step, count, rows.data()};
    void *rows_out = out;
    return client.pull(&list, 1, &rows_out, /*states=*/true);
  }

  Result<int64_t> position() override {
    int64_t fewest = std::numeric_limits<int64_t>::max();
    for (const std::shared_ptr<RpcChannel> &channel : rpc_channels) {
      Result<int64_t> steps = channel->position();
      if (!steps)
        return steps.error();
      fewest = std::min(fewest, *steps);
    }
    return fewest;
  }

  Error finish() override { return client.finish(); }

  void leave(const Error &failure) override {
    for (const std::shared_ptr<RpcChannel> &channel : rpc_channels)
      channel->leave(failure);
  }

private:
  RowClient client;
  std::vector<std::shared_ptr<RpcChannel>> rpc_channels;
  RunOfServers run;
  std::vector<std::string> addresses;
  tutti_row_service functions; ///< the client's, and who waits
};

/// Rows go the way that handshakes went.
class RpcRowChannel final : public RowChannel {
public:
  explicit RpcRowChannel(std::shared_ptr<RpcChannel> channel) : channel(std::move(channel)) {}

  Error start_pull(const RowRequest &pull) override { return channel->start_pull(pull); }
  Result<std::vector<char *>> finish_pull() override { return channel->finish_pull(); }
  Error prefetch(const RowRequest &rows) override { return channel->prefetch(rows); }
  Error add_push(int64_t step, const RowPart &part, const RowGradients &gradients) override {
    return channel->add_push(step, part, gradients);
  }
  Error post_pushes() override { return channel->post_pushes(); }
  Error finish_pushes() override { return channel->finish_pushes(); }

private:
  std::shared_ptr<RpcChannel> channel;
};

/// All servers at once: each may take its time to start.
Error shake_hands(const std::vector<std::shared_ptr<RpcChannel>> &channels) {
  for (const std::shared_ptr<RpcChannel> &channel : channels)
    channel->start_handshake();
  Error first;
  for (const std::shared_ptr<RpcChannel> &channel : channels)
    if (Error error = channel->finish_handshake(); error && !first)
      first = error;
  for (const std::shared_ptr<RpcChannel> &channel : channels)
    if (!first)
      first = channel->attend();
  return first;
}

Result<std::vector<std::unique_ptr<RowChannel>>> open_queues(const std::vector<int> &files,
                                                             int64_t worker, double seconds) {
  std::vector<std::unique_ptr<RowChannel>> channels;
  for (int file : files) {
    Result<RowQueue> queue = RowQueue::map(file, worker);
    if (!queue)
      return queue.error();
    auto channel = RowQueueChannel::open(std::move(*queue), int64_t(channels.size()), seconds);
    if (!channel)
      return channel.error();
    channels.push_back(std::move(*channel));
  }
  return channels;
}

} // namespace

Result<std::unique_ptr<RemoteRows>> RemoteRows::connect(const RunOfServers &run, int64_t worker,
                                                        std::vector<worker::ServedTable> tables,
                                                        const std::vector<std::string> &addresses,
                                                        const std::vector<int> &queues) {
  if (int64_t(addresses.size()) != run.servers || run.servers < 1)
    return Error::make(TUTTI_INVALID_ARGUMENT, addresses.size(), " addresses of ", run.servers,
                       " servers");
  if (!queues.empty() && queues.size() != addresses.size())
    return Error::make(TUTTI_INVALID_ARGUMENT, queues.size(), " row queues of ", run.servers,
                       " servers");
  std::vector<std::shared_ptr<RpcChannel>> rpc_channels;
  rpc_channels.reserve(addresses.size());
  for (const std::string &address : addresses)
    rpc_channels.push_back(RpcChannel::make(run, worker, int64_t(rpc_channels.size()), address));
  if (Error error = shake_hands(rpc_channels))
    return error;
  Result<std::vector<std::unique_ptr<RowChannel>>> channels =
      open_queues(queues, worker, run.seconds);
  if (!channels)
    return channels.error();
  if (channels->empty())
    for (const std::shared_ptr<RpcChannel> &channel : rpc_channels)
      channels->push_back(std::make_unique<RpcRowChannel>(channel));
  return std::unique_ptr<RemoteRows>(std::make_unique<Rows>(
      run, addresses, std::move(tables), std::move(*channels), std::move(rpc_channels)));
}

} // namespace tutti::runtime::servers
