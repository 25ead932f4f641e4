// Taking, watching and renewing the record of a run directory's owner.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/folder/Lease.h"

#include "runtime/host/rundir/folder/OwnerRecord.h"
#include "runtime/output/Unfinished.h"
#include "runtime/support/Numbers.h"
#include "runtime/support/Stopwatch.h"
#include "runtime/support/system/HeldSignals.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <random>
#include <sys/file.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace tutti::runtime::rundir {
namespace {

constexpr std::chrono::milliseconds pause_between_looks(50);

Error about(const Folder &folder, const std::string &what) {
  return Error::make(TUTTI_SYSTEM_ERROR, "'", folder.path(), "': ", what);
}

int64_t random_number() {
  std::random_device device;
  return int64_t((uint64_t(device()) << 32 | device()) >> 1);
}

/// `record`: of the owner, if there is one.
Error refuse(const Folder &folder, const std::optional<std::string> &record) {
  std::string who = record ? OwnerRecord::describe(*record) : "a process that has locked it";
  return Error::make(TUTTI_SYSTEM_ERROR, "another run is using '", folder.path(), "': ", who,
                     "; wait for it, stop it, or name another folder");
}

/// Waits for a run that is just ending. No descriptor where the file system has no locks.
Result<output::Descriptor> lock(const Folder &folder, const LeaseTimes &times) {
  output::Descriptor opened(open(folder.checkpoints().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened)
    return about(folder, text("cannot open the folder: ", system_message(errno)));
  for (Stopwatch since; flock(opened.get(), LOCK_EX | LOCK_NB) != 0;) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      std::fprintf(stderr,
                   "note: the file system of '%s' has no locks (%s); '%s' alone keeps other runs "
                   "out\n",
                   folder.path().c_str(), system_message(errno).c_str(), folder.owner().c_str());
      return output::Descriptor();
    }
    if (since.seconds() > times.grace) {
      Result<std::optional<std::string>> record = OwnerRecord::read(folder.owner());
      return refuse(folder, record ? *record : std::nullopt);
    }
    std::this_thread::sleep_for(pause_between_looks);
  }
  return opened;
}

bool write_record(int file, const OwnerRecord &record) {
  std::string written = record.text();
  return pwrite(file, written.data(), written.size(), 0) == ssize_t(written.size()) &&
         (fdatasync(file) == 0 || errno == EINVAL || errno == ENOSYS); // it may have no such call
}

/// Whether `name` is now that of the unfinished file as well. Over a network the answer to a call
/// that came to pass may be lost, and that of its repetition be an error.
bool link_as(int folder, const std::string &unfinished, int file, const char *name) {
  if (linkat(folder, unfinished.c_str(), folder, name, 0) == 0)
    return true;
  int number = errno;
  struct stat status = {};
  bool is_linked = fstat(file, &status) == 0 && status.st_nlink == 2;
  errno = number;
  return is_linked;
}

/// The file of a new record that has the owner's name, whole from the beginning where links can be
/// made; no descriptor if there is one already.
Result<output::Descriptor> create(int folder, const std::string &path, const OwnerRecord &record) {
  std::string unfinished;
  output::Descriptor file = output::create_unfinished(folder, 0644, unfinished);
  if (!file)
    return output::cannot_write(path, errno);
  bool is_written = write_record(file.get(), record);
  bool is_there = is_written && link_as(folder, unfinished, file.get(), owner_name);
  int number = errno;
  unlinkat(folder, unfinished.c_str(), 0);
  if (is_there)
    return file;
  if (is_written && number != EEXIST) { // no links
    file = output::Descriptor(
        openat(folder, owner_name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (file && write_record(file.get(), record))
      return file;
    number = errno;
    if (file)
      unlinkat(folder, owner_name, 0);
  }
  return number == EEXIST ? Result<output::Descriptor>(output::Descriptor())
                          : output::cannot_write(path, number);
}

/// Removes the record if `is_it` of its text. Of several that do so at once none removes a newer
/// one: what was looked at is renamed, and looked at again.
template <typename Condition> void remove(const Folder &folder, int root, Condition is_it) {
  auto has_it = [&](const std::string &path) {
    Result<std::optional<std::string>> found = OwnerRecord::read(path);
    return found && *found && is_it(**found);
  };
  std::string grave;
  if (!has_it(folder.owner()) || !output::create_unfinished(root, 0644, grave))
    return;
  bool is_renamed = renameat(root, owner_name, root, grave.c_str()) == 0;
  if (is_renamed && !has_it(folder.path() + "/" + grave)) // of somebody who lives
    if (linkat(root, grave.c_str(), root, owner_name, 0) != 0 && errno != EEXIST)
      renameat(root, grave.c_str(), root, owner_name);
  unlinkat(root, grave.c_str(), 0);
}

/// What becomes of the record of somebody else.
class Watch {
public:
  Watch(const Folder &folder, const LeaseTimes &times) : folder(folder), times(times) {}

  /// Whether its owner has ended; or why this run cannot have the folder.
  Result<bool> look(const std::string &record) {
    if (record != last)
      see_new(record);
    std::optional<OwnerRecord> owner = OwnerRecord::parse(record);
    bool is_of_here = owner && owner->process.is_of_here();
    if (is_of_here && owner->has_ended())
      return true;
    if ((is_of_here || is_renewed) && whole.seconds() > times.grace)
      return refuse(folder, record);
    if (!is_of_here && still.seconds() > times.lease)
      return true;
    if (!is_of_here && !is_told && whole.seconds() > 1)
      tell(record);
    return false;
  }

private:
  void see_new(const std::string &record) {
    is_renewed = !last.empty() && OwnerRecord::are_of_one_lease(last, record);
    last = record;
    still = Stopwatch();
  }

  void tell(const std::string &record) {
    is_told = true;
    std::fprintf(stderr,
                 "note: '%s' is that of %s; it is watched for up to %g s whether that still runs\n",
                 folder.path().c_str(), OwnerRecord::describe(record).c_str(), times.lease);
  }

  const Folder &folder;
  LeaseTimes times;
  std::string last;
  Stopwatch whole, still; ///< since the begin; since `last` was there
  bool is_renewed = false, is_told = false;
};

class Holder final : public Lease {
public:
  Holder(const Folder &folder, output::Descriptor lock, output::Descriptor root)
      : folder(folder), locked(std::move(lock)), root(std::move(root)),
        record(OwnerRecord::own(random_number())) {}

  ~Holder() override {
    {
      std::lock_guard<std::mutex> held(mutex);
      is_ending = true;
    }
    ending.notify_all();
    if (thread.joinable())
      thread.join();
    auto is_own = [this](const std::string &found) {
      return OwnerRecord::are_of_one_lease(found, record.text());
    };
    if (file)
      remove(folder, root.get(), is_own);
  }

  /// Until there is no other record.
  Error wait(const LeaseTimes &times) {
    for (Watch watch(folder, times);;) {
      Result<output::Descriptor> made = create(root.get(), folder.owner(), record);
      if (!made)
        return made.error();
      if (*made)
        return file = std::move(*made),
               renew_every(std::min(times.lease, LeaseTimes().lease) / renewals_in_a_lease);
      Result<std::optional<std::string>> other = OwnerRecord::read(folder.owner());
      if (!other)
        return other.error();
      if (!*other)
        continue;
      Result<bool> has_ended = watch.look(**other);
      if (!has_ended)
        return has_ended.error();
      if (*has_ended)
        remove(folder, root.get(), [&](const std::string &found) { return found == **other; });
      else
        std::this_thread::sleep_for(pause_between_looks);
    }
  }

  int64_t number() const override { return record.lease; }

  Error check() const override {
    Result<std::optional<std::string>> found = OwnerRecord::read(folder.owner());
    if (found && !*found)
      return about(folder,
                   "the record of this run, 'owner.json', is gone: another run had the "
                   "folder since, or somebody has removed it. Nothing more is written there");
    return found ? Lease::check(folder, record.lease) : Error::success();
  }

private:
  static constexpr double renewals_in_a_lease = 6;

  Error renew_every(double seconds) {
    auto run = [this, pause = std::chrono::duration<double>(seconds)] {
      std::unique_lock<std::mutex> held(mutex);
      while (!ending.wait_for(held, pause, [&] { return is_ending; }))
        renew();
    };
    try {
      HeldSignals held; // the thread inherits it
      thread = std::thread(run);
    } catch (const std::system_error &error) {
      return about(folder,
                   text("there is no thread that renews '", folder.owner(), "': ", error.what()));
    }
    return Error::success();
  }

  void renew() {
    ++record.renewals;
    if (write_record(file.get(), record) || has_warned)
      return;
    has_warned = true;
    std::fprintf(stderr,
                 "warning: '%s' cannot be renewed: %s; another machine may take the folder\n",
                 folder.owner().c_str(), system_message(errno).c_str());
  }

  Folder folder;
  output::Descriptor locked, root, file;
  OwnerRecord record; ///< the thread's, while there is one
  bool has_warned = false;
  std::mutex mutex; ///< of what is below
  std::condition_variable ending;
  bool is_ending = false;
  std::thread thread;
};

} // namespace

Result<LeaseTimes> LeaseTimes::of_environment() {
  LeaseTimes times;
  const char *given = std::getenv("TUTTI_LEASE_SECONDS");
  if (!given)
    return times;
  constexpr int64_t day = 24 * 60 * 60;
  Result<int64_t> seconds = parse_integer<int64_t>(given, 1, day);
  if (!seconds)
    return Error::make(TUTTI_INVALID_ARGUMENT, "TUTTI_LEASE_SECONDS: ", seconds.error().message);
  times.lease = double(*seconds);
  return times;
}

Result<std::unique_ptr<Lease>> Lease::take(const Folder &folder, const LeaseTimes &times) {
  Result<output::Descriptor> locked = lock(folder, times);
  if (!locked)
    return locked.error();
  output::Descriptor root(open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root)
    return about(folder, text("cannot open the folder: ", system_message(errno)));
  auto holder = std::make_unique<Holder>(folder, std::move(*locked), std::move(root));
  if (Error error = holder->wait(times))
    return error;
  return std::unique_ptr<Lease>(std::move(holder));
}

Error Lease::check(const Folder &folder, int64_t number) {
  Result<std::optional<std::string>> found = OwnerRecord::read(folder.owner());
  if (!found || !*found) // of what cannot be read nobody else says anything
    return Error::success();
  std::optional<OwnerRecord> owner = OwnerRecord::parse(**found);
  if (!owner || owner->lease == number)
    return Error::success();
  return about(folder, text("another run has taken the folder, which this one had not renewed for "
                            "long: ",
                            OwnerRecord::describe(**found), ". Nothing more is written there"));
}

} // namespace tutti::runtime::rundir
