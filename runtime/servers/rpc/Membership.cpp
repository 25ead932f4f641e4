// Workers that come and go.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/rpc/Membership.h"

#include "runtime/output/StandardStreams.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace tutti::runtime::servers {

std::string WorkerNames::name(int64_t worker) const {
  return worker >= 0 && size_t(worker) < names.size() ? names[size_t(worker)]
                                                      : text("worker ", worker);
}

std::string WorkerNames::place(int64_t worker) const {
  bool has_address = worker >= 0 && size_t(worker) < addresses.size();
  return name(worker) + (has_address ? " (" + addresses[size_t(worker)] + ")" : "");
}

bool Membership::has_any(State state) const {
  return std::find(states.begin(), states.end(), state) != states.end();
}

/// Who died in step has ended the run. Who was done and died before it ended has nothing to do.
bool Membership::may_come(State state) const {
  return state == State::absent || (state != State::here && is_asynchronous());
}

Error Membership::join(int64_t worker) {
  std::unique_lock<std::mutex> lock(mutex);
  if (worker < 0 || worker >= int64_t(states.size()))
    return Error::make(TUTTI_INVALID_ARGUMENT, "there is no worker ", worker, " of ",
                       states.size());
  if (failure && !is_supervised && !is_asynchronous() && states[worker] == State::absent) {
    states[worker] = State::gone; // it has heard why
    changed.notify_all();
    return failure;
  }
  constexpr std::chrono::seconds to_notice(5); // that the one before this has died
  if (is_asynchronous())
    changed.wait_for(lock, to_notice, [&] { return states[worker] != State::here; });
  if (!may_come(states[worker]))
    return Error::make(TUTTI_INVALID_ARGUMENT, names.name(worker),
                       states[worker] == State::here ? " is here already"
                                                     : " was here before; start all roles again, "
                                                       "they go on from the newest checkpoint");
  if (states[worker] != State::absent)
    for (Table *table : tables)
      table->come_back(worker);
  states[worker] = State::here;
  changed.notify_all();
  return Error::success();
}

void Membership::refuse(int64_t worker, const Error &why) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!has_any(State::absent))
    return;
  bool is_known = worker >= 0 && worker < int64_t(states.size());
  if (is_known && !is_supervised && states[worker] == State::absent)
    states[worker] = State::gone;
  changed.notify_all();
  if (failure)
    return;
  failure = why;
  for (Table *table : tables)
    if (!is_supervised)
      table->abandon(why);
  changed.notify_all();
}

void Membership::leave(int64_t worker, bool is_done, const std::string &why) {
  std::lock_guard<std::mutex> lock(mutex);
  lose(worker, is_done, why.empty() ? std::string(" has died") : " failed: " + why);
}

void Membership::lose(int64_t worker, bool is_done, const std::string &how) {
  states[worker] = State::gone;
  Error loss = Error::make(TUTTI_RANK_DIED, names.name(worker), how);
  for (Table *table : tables)
    if (is_done || is_asynchronous())
      table->leave(worker,
                   is_supervised && !is_done ? Table::Presence::away : Table::Presence::gone);
    else if (!is_supervised)
      table->abandon(loss);
  if (!is_done && !is_supervised && is_asynchronous())
    std::fprintf(stderr, "dist-run: warning: %s; the other workers go on\n", loss.message.c_str());
  else if (!is_done && !failure)
    failure = loss;
  changed.notify_all();
}

void Membership::do_without_absent(const std::string &why) {
  for (size_t worker = 0; worker < states.size(); ++worker)
    if (states[worker] == State::absent)
      lose(int64_t(worker), /*is_done=*/false, " did not come " + why);
}

/// Asynchronous workers do not wait for one that does not come either.
Error Membership::give_up_absent(double seconds) {
  bool has_others = has_any(State::here) || has_any(State::gone);
  if (is_asynchronous() && has_others) {
    do_without_absent(text("for ", seconds, " seconds"));
    return Error::success();
  }
  return Error::make(TUTTI_STALLED, "these workers did not come for ", seconds,
                     " seconds: ", absent_places(),
                     "; see whether each was started, what it says, and whether it reaches this "
                     "server's address (--stall-limit is how long they are waited for)");
}

std::string Membership::absent_places() const {
  std::string missing;
  for (size_t worker = 0; worker < states.size(); ++worker)
    if (states[worker] == State::absent)
      missing += (missing.empty() ? "" : ", ") + names.place(int64_t(worker));
  return missing;
}

void Membership::warn_of_absent(double waited, double seconds) const {
  std::fprintf(stderr,
               "dist-run: warning: %s: waited %g s for %s to join; see whether each was started, "
               "what it says, and whether it reaches this server's address. The wait ends after "
               "%g s (--stall-limit)\n",
               own.c_str(), waited, absent_places().c_str(), seconds);
}

/// Whether it came to that within `seconds`.
template <typename Condition>
Result<bool> Membership::wait_until(std::unique_lock<std::mutex> &lock, double seconds,
                                    const Check &check, Condition condition) {
  constexpr std::chrono::milliseconds between_checks(100);
  auto begin = std::chrono::steady_clock::now();
  while (!changed.wait_for(lock, between_checks, condition)) {
    Result<bool> is_closed = check ? check(has_any(State::here)) : Result<bool>(false);
    if (!is_closed)
      return is_closed.error();
    if (*is_closed && is_asynchronous())
      do_without_absent("before all were asked to stop");
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > seconds)
      return false;
  }
  return true;
}

Error Membership::wait_until_all_came(std::unique_lock<std::mutex> &lock, double seconds,
                                      const Check &check, double warn_after) {
  auto have_come = [&] { return failure || !has_any(State::absent); };
  double first = own.empty() ? seconds : std::min(seconds, warn_after);
  Result<bool> all = wait_until(lock, first, check, have_come);
  if (all && !*all && first < seconds) {
    warn_of_absent(first, seconds);
    all = wait_until(lock, seconds - first, check, have_come);
  }
  if (!all)
    return all.error();
  if (!*all)
    return give_up_absent(seconds);
  if (!own.empty() && !failure)
    output::print(text(own, ": all workers have joined\n"));
  return Error::success();
}

Error Membership::wait_for_all(double seconds, const Check &check, double warn_after) {
  std::unique_lock<std::mutex> lock(mutex);
  if (Error error = wait_until_all_came(lock, seconds, check, warn_after))
    return error;
  auto are_gone = [&] { return !has_any(State::here); };
  Result<bool> gone = wait_until(lock, std::numeric_limits<double>::infinity(), check,
                                 [&] { return failure || are_gone(); });
  if (!gone)
    return gone.error();
  constexpr std::chrono::seconds grace(5); // so that the others hear why
  if (failure)                             // in step, those who come now hear it too
    changed.wait_for(lock, grace,
                     [&] { return are_gone() && (is_asynchronous() || !has_any(State::absent)); });
  return failure;
}

} // namespace tutti::runtime::servers
