// Rows in Redis: pipelines of MGET and MSET over one connection a server. A server knows no
// optimizers, so that the worker writes whole rows, which it computes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/benchmarks/servers/Measure.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <hiredis/hiredis.h>

using namespace tutti::benchmarks;

namespace {

[[noreturn]] void give_up(const char *why) {
  std::fprintf(stderr, "redis: %s\n", why);
  std::exit(1);
}

constexpr size_t row_bytes = Settings::width * sizeof(float);
constexpr size_t keys_at_once = 512; ///< of one command; more or fewer are not faster

/// Files: where each server listens, a path or HOST:PORT.
class RedisRows final : public Contestant {
public:
  explicit RedisRows(const Settings &settings) : wanted(settings.files.size()) {
    for (const std::string &address : settings.files)
      connect(address);
    // Rows that nobody has written yet are no rows of Redis.
    std::vector<int64_t> some;
    std::vector<float> zeros(size_t(settings.batch * Settings::width));
    for (int64_t row = 0; row < settings.rows; ++row) {
      some.push_back(row);
      if (int64_t(some.size()) == settings.batch || row + 1 == settings.rows) {
        push(0, some, zeros.data(), zeros.data());
        some.clear();
      }
    }
  }

  ~RedisRows() override {
    for (redisContext *server : servers)
      redisFree(server);
  }

  void pull(int64_t, const std::vector<int64_t> &rows, float *values) override {
    divide(rows);
    for (size_t server = 0; server < servers.size(); ++server)
      for_each_command(server, [&](const size_t *places, size_t count) {
        begin("MGET");
        for (size_t i = 0; i < count; ++i)
          add(&rows[places[i]], sizeof(int64_t));
        send(server);
      });
    for (size_t server = 0; server < servers.size(); ++server)
      for_each_command(server, [&](const size_t *places, size_t count) {
        redisReply *reply = receive(server, REDIS_REPLY_ARRAY);
        for (size_t i = 0; i < count; ++i) {
          if (reply->element[i]->len != row_bytes)
            give_up("a row has another size");
          std::memcpy(values + places[i] * Settings::width, reply->element[i]->str, row_bytes);
        }
        freeReplyObject(reply);
      });
  }

  void push(int64_t, const std::vector<int64_t> &rows, float *values,
            const float *gradients) override {
    for (size_t i = 0; i < rows.size() * Settings::width; ++i)
      values[i] -= 0.5f * gradients[i];
    divide(rows);
    for (size_t server = 0; server < servers.size(); ++server)
      for_each_command(server, [&](const size_t *places, size_t count) {
        begin("MSET");
        for (size_t i = 0; i < count; ++i) {
          add(&rows[places[i]], sizeof(int64_t));
          add(values + places[i] * Settings::width, row_bytes);
        }
        send(server);
      });
    for (size_t server = 0; server < servers.size(); ++server)
      for_each_command(server, [&](const size_t *, size_t) {
        freeReplyObject(receive(server, REDIS_REPLY_STATUS));
      });
  }

private:
  void connect(const std::string &address) {
    size_t colon = address.rfind(':');
    redisContext *made = colon == std::string::npos ? redisConnectUnix(address.c_str())
                                                    : redisConnect(address.substr(0, colon).c_str(),
                                                                   std::atoi(&address[colon + 1]));
    if (!made || made->err)
      give_up(made ? made->errstr : "no memory");
    servers.push_back(made);
  }

  void divide(const std::vector<int64_t> &rows) {
    for (std::vector<size_t> &places : wanted)
      places.clear();
    for (size_t i = 0; i < rows.size(); ++i)
      wanted[size_t(rows[i]) % wanted.size()].push_back(i);
  }

  template <typename Use> void for_each_command(size_t server, Use use) {
    const std::vector<size_t> &places = wanted[server];
    for (size_t i = 0; i < places.size(); i += keys_at_once)
      use(places.data() + i, std::min(keys_at_once, places.size() - i));
  }

  void begin(const char *command) {
    parts.clear();
    sizes.clear();
    add(command, std::strlen(command));
  }
  void add(const void *part, size_t bytes) {
    parts.push_back(static_cast<const char *>(part));
    sizes.push_back(bytes);
  }
  void send(size_t server) {
    if (redisAppendCommandArgv(servers[server], int(parts.size()), parts.data(), sizes.data()) !=
        REDIS_OK)
      give_up(servers[server]->errstr);
    // All servers get their part before the answer of one is awaited.
    for (int is_done = 0; !is_done;)
      if (redisBufferWrite(servers[server], &is_done) != REDIS_OK)
        give_up(servers[server]->errstr);
  }
  redisReply *receive(size_t server, int type) {
    void *reply = nullptr;
    if (redisGetReply(servers[server], &reply) != REDIS_OK)
      give_up(servers[server]->errstr);
    auto *made = static_cast<redisReply *>(reply);
    if (made->type != type)
      give_up(made->type == REDIS_REPLY_ERROR ? made->str : "another kind of reply");
    return made;
  }

  std::vector<redisContext *> servers;
  std::vector<std::vector<size_t>> wanted; ///< places in the list, by server
  std::vector<const char *> parts;
  std::vector<size_t> sizes;
};

} // namespace

int main(int count, char **arguments) {
  Settings settings;
  if (!settings.parse(count, arguments))
    return 2;
  RedisRows contestant(settings);
  return measure(contestant, settings);
}
