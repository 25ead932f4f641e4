// How a rank finds rank 0: at a port, in the store of the launcher, or by a file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/meeting/LauncherStore.h"
#include "runtime/engine/backends/gloo/meeting/Rendezvous.h"
#include "runtime/engine/backends/gloo/meeting/Waiting.h"

#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::runtime::gloo_backend {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds between_looks(20);
constexpr milliseconds to_connect(5000);

std::string content_of(const std::string &path) {
  std::string ignored;
  return read_invitation(path, ignored);
}

timespec time_of(const std::string &path) {
  struct stat status = {};
  stat(path.c_str(), &status);
  return status.st_mtim;
}

bool is_after(timespec a, timespec b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

/// The time of the file system that `path` is on, which may be another machine's.
timespec time_beside(const std::string &path) {
  std::string probe = path + ".XXXXXX";
  int descriptor = mkstemp(probe.data());
  struct stat status = {};
  if (descriptor < 0 || fstat(descriptor, &status) != 0)
    clock_gettime(CLOCK_REALTIME, &status.st_mtim);
  if (descriptor >= 0) {
    close(descriptor);
    unlink(probe.c_str());
  }
  return status.st_mtim;
}

} // namespace

/// Connects with whoever invites. An error if that is not rank 0, or not any more: nobody is there,
/// or somebody else, who does not know the secret. Another file in the same place ends the wait.
Error Rendezvous::accept_invitation(const Invitation &invitation) {
  Result<Socket> made = Socket::connect(invitation.address, to_connect);
  if (!made)
    return made.error();
  Hello hello;
  hello.secret = invitation.secret;
  hello.rank = rank;
  if (Error error = made->send(&hello, sizeof hello, to_connect))
    return error;
  Clock::time_point end = Clock::now() + to_connect;
  std::string before = content_of(place.file);
  while (!made->is_readable() && Clock::now() < end && content_of(place.file) == before)
    usleep(useconds_t(std::chrono::microseconds(between_looks).count()));
  Welcome welcome, expected = Welcome::of(invitation.secret);
  if (Error error = made->receive(&welcome, sizeof welcome, milliseconds(0)))
    return error;
  if (std::memcmp(&welcome, &expected, sizeof welcome) != 0)
    return Error::make(TUTTI_RANK_DIED, "somebody else answers at ", invitation.address.text());
  with_host = std::move(*made);
  return Error::success();
}

/// Rank 0 may come later than this rank.
Error Rendezvous::find_host_at_port(Socket &listening) {
  Waiting waiting(limits);
  for (;;) {
    Result<std::optional<Invitation>> invitation = ask_for_invitation(*place.point);
    if (!invitation)
      return invitation.error();
    if (*invitation) {
      if (Error error = accept_invitation(**invitation))
        return Error::make(TUTTI_RANK_DIED, "rank 0 died while the ranks met: ", error.message);
      acceptor = std::make_unique<Acceptor>(std::move(listening), (*invitation)->secret);
      return Error::success();
    }
    auto what = [&] {
      return std::pair(text("rank ", rank), text("rank 0 to come to '", place.text(), "'"));
    };
    if (Error error = waiting.check(what))
      return error;
    usleep(useconds_t(std::chrono::microseconds(between_looks).count()));
  }
}

/// Rank 0 passes its word to all; returns it on each.
Result<std::string> Rendezvous::pass_through_store(const std::string &word) {
  auto opened = LauncherStore::open(place.store, rank, size);
  if (!opened)
    return opened.error();
  LauncherStore &store = **opened;
  Error error = rank == 0 ? store.put(word) : Error::success();
  if (!error)
    error = store.enter();
  Waiting waiting(limits);
  for (bool have_all = false; !error && !have_all;) {
    Result<bool> entered = store.have_all_entered(between_looks);
    have_all = entered && *entered;
    error = entered.error();
    if (!error && !have_all)
      error = waiting.check([&] {
        return std::pair(text("rank ", rank), text("all ranks to come to '", place.text(), "'"));
      });
  }
  if (error)
    return error;
  Result<std::string> passed = store.get();
  if (passed)
    if (Error left = store.leave())
      return left;
  return passed;
}

Error Rendezvous::find_host_in_store(Socket &listening) {
  Result<std::string> word = pass_through_store("");
  if (!word)
    return word.error();
  Result<Invitation> invitation = Invitation::parse_word(*word);
  if (!invitation)
    return Error::make(TUTTI_BAD_DATA, "what rank 0 has left in '", place.text(), "' ",
                       invitation.error().message);
  if (Error error = accept_invitation(*invitation))
    return Error::make(TUTTI_RANK_DIED, "rank 0 died while the ranks met: ", error.message);
  acceptor = std::make_unique<Acceptor>(std::move(listening), invitation->secret);
  return Error::success();
}

/// A file that is older than this rank may be of an earlier run that was killed: then rank 0 will
/// write another one. By then its port may be somebody else's.
Error Rendezvous::find_host(Socket &listening) {
  Waiting waiting(limits);
  timespec begin = time_beside(place.file);
  std::string refused; // the content of the file behind which there is nobody
  std::string problem; // of the file as it is now
  auto what = [&] {
    if (problem.empty() && !refused.empty())
      problem = "is of a run that has ended: nobody answers as its rank 0";
    return std::pair(text("rank ", rank),
                     text("rank 0 to come to '", place.file, "'",
                          problem.empty() ? "" : "; the file there ", problem));
  };
  for (;;) {
    std::string content = read_invitation(place.file, problem);
    Result<Invitation> invitation = Invitation::parse(content);
    if (invitation && content != refused) {
      Error error = accept_invitation(*invitation);
      if (!error) {
        acceptor = std::make_unique<Acceptor>(std::move(listening), invitation->secret);
        return Error::success();
      }
      bool is_still_there = content_of(place.file) == content;
      if (is_still_there && is_after(time_of(place.file), begin))
        return Error::make(TUTTI_RANK_DIED, "rank 0 died while the ranks met: ", error.message);
      refused = content;
    }
    if (Error error = waiting.check(what))
      return error;
    usleep(useconds_t(std::chrono::microseconds(between_looks).count()));
  }
}

} // namespace tutti::runtime::gloo_backend
