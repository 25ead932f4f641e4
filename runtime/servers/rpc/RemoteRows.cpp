// Connecting to all servers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RemoteRows.h"

#include "runtime/servers/RowClient.h"
#include "runtime/servers/rpc/RpcChannel.h"

#include <numeric>

namespace tutti::runtime::servers {
namespace {

class Rows final : public RemoteRows {
public:
  Rows(std::vector<worker::ServedTable> tables, std::vector<std::unique_ptr<RowChannel>> channels)
      : client(std::move(tables), std::move(channels)) {}

  const tutti_row_service *service() const override { return client.service(); }

  Error read(int64_t table, int64_t step, int64_t first, int64_t count, char *out) override {
    std::vector<int64_t> rows(count);
    std::iota(rows.begin(), rows.end(), first);
    return client.pull({table, step, count, rows.data()}, out, /*states=*/true);
  }

  Error finish() override { return client.finish(); }

private:
  RowClient client;
};

/// All servers at once: each may take its time to start.
Error greet(const std::vector<std::unique_ptr<RpcChannel>> &channels) {
  for (const std::unique_ptr<RpcChannel> &channel : channels)
    channel->start_greeting();
  Error first;
  for (const std::unique_ptr<RpcChannel> &channel : channels)
    if (Error error = channel->finish_greeting(); error && !first)
      first = error;
  return first;
}

} // namespace

Result<std::unique_ptr<RemoteRows>> RemoteRows::connect(const RunOfServers &run, int64_t worker,
                                                        std::vector<worker::ServedTable> tables,
                                                        const std::vector<std::string> &addresses) {
  if (int64_t(addresses.size()) != run.servers || run.servers < 1)
    return Error::make(TUTTI_INVALID_ARGUMENT, addresses.size(), " addresses of ", run.servers,
                       " servers");
  std::vector<std::unique_ptr<RpcChannel>> greeted;
  for (const std::string &address : addresses)
    greeted.push_back(RpcChannel::make(run, worker, int64_t(greeted.size()), address));
  if (Error error = greet(greeted))
    return error;
  std::vector<std::unique_ptr<RowChannel>> channels;
  for (std::unique_ptr<RpcChannel> &channel : greeted)
    channels.push_back(std::move(channel));
  return std::unique_ptr<RemoteRows>(
      std::make_unique<Rows>(std::move(tables), std::move(channels)));
}

} // namespace tutti::runtime::servers
