// Connecting to all servers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/RemoteRows.h"

#include "runtime/servers/RowClient.h"
#include "runtime/servers/rpc/RpcChannel.h"
#include "runtime/servers/shm/MailboxChannel.h"

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

Result<std::vector<std::unique_ptr<RowChannel>>> open_mailboxes(const std::vector<int> &files,
                                                                int64_t worker, double seconds) {
  std::vector<std::unique_ptr<RowChannel>> channels;
  for (int file : files) {
    Result<Mailbox> mailbox = Mailbox::map(file, worker);
    if (!mailbox)
      return mailbox.error();
    auto channel = MailboxChannel::open(std::move(*mailbox), int64_t(channels.size()), seconds);
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
                                                        const std::vector<int> &mailboxes) {
  if (int64_t(addresses.size()) != run.servers || run.servers < 1)
    return Error::make(TUTTI_INVALID_ARGUMENT, addresses.size(), " addresses of ", run.servers,
                       " servers");
  if (!mailboxes.empty() && mailboxes.size() != addresses.size())
    return Error::make(TUTTI_INVALID_ARGUMENT, mailboxes.size(), " mailboxes of ", run.servers,
                       " servers");
  std::vector<std::unique_ptr<RpcChannel>> greeted;
  for (const std::string &address : addresses)
    greeted.push_back(RpcChannel::make(run, worker, int64_t(greeted.size()), address));
  if (Error error = greet(greeted))
    return error;
  Result<std::vector<std::unique_ptr<RowChannel>>> channels =
      open_mailboxes(mailboxes, worker, run.seconds);
  if (!channels)
    return channels.error();
  if (channels->empty())
    for (std::unique_ptr<RpcChannel> &channel : greeted)
      channels->push_back(std::move(channel));
  return std::unique_ptr<RemoteRows>(
      std::make_unique<Rows>(std::move(tables), std::move(*channels)));
}

} // namespace tutti::runtime::servers
