// PMI-1, and which protocol a launcher speaks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/meeting/LauncherStore.h"
#include "runtime/support/Numbers.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace tutti::runtime::gloo_backend {
namespace {

using std::chrono::milliseconds;
using Fields = std::map<std::string, std::string>;

constexpr milliseconds to_answer(30000); // a launcher may be far away, and busy with many ranks
constexpr size_t longest_line = 4096;

Error broken(const std::string &what) {
  return Error::make(TUTTI_SYSTEM_ERROR, "the launcher's PMI ", what,
                     "; give --rendezvous to meet without it");
}

/// "a=b c=d" by name.
Fields parse(const std::string &line) {
  Fields fields;
  for (size_t begin = 0; begin < line.size();) {
    size_t end = std::min(line.find(' ', begin), line.size());
    size_t equals = line.find('=', begin);
    if (equals < end)
      fields[line.substr(begin, equals - begin)] = line.substr(equals + 1, end - equals - 1);
    begin = end + 1;
  }
  return fields;
}

class Pmi : public LauncherStore {
public:
  explicit Pmi(int descriptor) : descriptor(descriptor) {}

  Error begin() {
    Result<Fields> version = ask("init pmi_version=1 pmi_subversion=1", "response_to_init");
    if (!version)
      return version.error();
    Result<Fields> name = ask("get_my_kvsname", "my_kvsname");
    if (!name)
      return name.error();
    space = (*name)["kvsname"];
    return space.empty() ? broken("has no key-value space for this process") : Error::success();
  }

  Error put(const std::string &text) override {
    return ask("put kvsname=" + space + " key=" + launcher_key + " value=" + text, "put_result")
        .error();
  }
  Error enter() override { return send("barrier_in"); }
  Result<bool> have_all_entered(milliseconds limit) override {
    Result<std::string> line = receive(limit);
    if (!line)
      return line.error();
    if (line->empty())
      return false;
    Result<Fields> answer = check(*line, "barrier_out");
    return answer ? Result<bool>(true) : answer.error();
  }
  Result<std::string> get() override {
    Result<Fields> answer = ask("get kvsname=" + space + " key=" + launcher_key, "get_result");
    return answer ? Result((*answer)["value"]) : answer.error();
  }
  Error leave() override { return ask("finalize", "finalize_ack").error(); }

private:
  Result<Fields> ask(const std::string &question, const char *expected) {
    if (Error error = send(question))
      return error;
    Result<std::string> line = receive(to_answer);
    if (!line)
      return line.error();
    if (line->empty())
      return broken(text("does not answer 'cmd=", question.substr(0, question.find(' ')), "'"));
    return check(*line, expected);
  }

  static Result<Fields> check(const std::string &line, const char *expected) {
    Fields answer = parse(line);
    if (answer["cmd"] != expected || (answer.count("rc") > 0 && answer["rc"] != "0"))
      return broken(text("says '", line, "', not 'cmd=", expected, " ...'"));
    return answer;
  }

  Error send(const std::string &command) const {
    std::string line = "cmd=" + command + "\n";
    ssize_t sent = ::send(descriptor, line.data(), line.size(), MSG_NOSIGNAL);
    if (sent != ssize_t(line.size()))
      return broken(text("takes nothing more: ", std::strerror(sent < 0 ? errno : EAGAIN)));
    return Error::success();
  }

  /// A line, or nothing within the limit.
  Result<std::string> receive(milliseconds limit) {
    auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
      if (size_t letters = read.find('\n'); letters != read.npos) {
        std::string line = read.substr(0, letters);
        read.erase(0, letters + 1);
        return line;
      }
      if (read.size() > longest_line)
        return broken("sends a line without an end");
      auto left = std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
      pollfd watched = {descriptor, POLLIN, 0};
      int found = poll(&watched, 1, int(std::max<int64_t>(0, left.count())));
      if (found == 0 || (found < 0 && errno != EINTR))
        return std::string();
      char some[1024];
      ssize_t bytes = recv(descriptor, some, sizeof some, MSG_DONTWAIT);
      if (bytes == 0)
        return broken("has closed its connection");
      if (bytes < 0 && errno != EAGAIN && errno != EINTR)
        return broken(text("cannot be read: ", std::strerror(errno)));
      read.append(some, size_t(std::max<ssize_t>(0, bytes)));
    }
  }

  int descriptor;
  std::string space; ///< the name of the run's key-value space
  std::string read;  ///< after the last line
};

/// What a launcher has set for its process; "" if it has not.
std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

Result<std::unique_ptr<LauncherStore>> open_pmi_of_environment(int32_t rank, int32_t size) {
  std::string own = variable("PMI_RANK"), all = variable("PMI_SIZE"), given = variable("PMI_FD");
  if (own != std::to_string(rank) || all != std::to_string(size))
    return Error::make(TUTTI_INVALID_ARGUMENT, "this is rank ", rank, " of ", size,
                       ", but the launcher's PMI has PMI_RANK=", own, " and PMI_SIZE=", all,
                       "; give --rendezvous to meet without it");
  Result<int64_t> descriptor = parse_integer<int64_t>(given, 0, INT32_MAX);
  struct stat status = {};
  if (!descriptor || fstat(int(*descriptor), &status) != 0 || !S_ISSOCK(status.st_mode))
    return Error::make(TUTTI_INVALID_ARGUMENT, "PMI_FD=", given,
                       " is no connection with the launcher: what stands between it and this "
                       "process has closed it; leave that away, or give --rendezvous");
  return open_pmi(int(*descriptor));
}

} // namespace

Result<std::unique_ptr<LauncherStore>> open_pmi(int descriptor) {
  auto pmi = std::make_unique<Pmi>(descriptor);
  if (Error error = pmi->begin())
    return error;
  return std::unique_ptr<LauncherStore>(std::move(pmi));
}

Result<std::unique_ptr<LauncherStore>> LauncherStore::open(const std::string &kind, int32_t rank,
                                                           int32_t size) {
  return kind == "pmi" ? open_pmi_of_environment(rank, size) : open_pmix(rank, size);
}

} // namespace tutti::runtime::gloo_backend
