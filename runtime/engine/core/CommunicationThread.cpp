// The queue of started collectives and the thread that runs them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/CommunicationThread.h"

#include "runtime/engine/core/Context.h"

namespace tutti::runtime {

template <typename T> static void copy(const T *values, int64_t count, std::vector<T> &to) {
  to.assign(values, values + (values ? count : 0));
}

void StartedCall::keep(const tutti_call &given, int32_t group_size) {
  fields = given;
  copy(given.sources, given.count, sources);
  copy(given.destinations, given.count, destinations);
  copy(given.elements, given.count, elements);
  const int64_t *const layouts[] = {given.send_counts, given.send_displacements,
                                    given.receive_counts, given.receive_displacements};
  for (int i = 0; i < 4; ++i)
    copy(layouts[i], group_size, layout[i]);
}

/// Null for what the call lacks, although there is room from a call before.
template <typename T> static T *data_of(std::vector<T> &values) {
  return values.empty() ? nullptr : values.data();
}

tutti_call StartedCall::call() {
  tutti_call call = fields;
  call.sources = data_of(sources);
  call.destinations = data_of(destinations);
  call.elements = data_of(elements);
  call.send_counts = data_of(layout[0]);
  call.send_displacements = data_of(layout[1]);
  call.receive_counts = data_of(layout[2]);
  call.receive_displacements = data_of(layout[3]);
  return call;
}

CommunicationThread::CommunicationThread(tutti_context *context, Perform perform)
    : context(context), perform(perform), thread([this] { loop(); }) {}

CommunicationThread::~CommunicationThread() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    is_ending = true;
  }
  changed.notify_all();
  thread.join();
}

void CommunicationThread::start(int64_t future, const Group &group, const tutti_call &call,
                                int64_t bytes) {
  if (!is_pending(future))
    note(future);
  {
    std::lock_guard<std::mutex> lock(mutex);
    add_task(group, call, bytes);
  }
  started[find(future)].ticket = ++last_ticket;
  changed.notify_all();
}

/// In place of one that was done, if there is any: nothing is allocated then.
void CommunicationThread::add_task(const Group &group, const tutti_call &call, int64_t bytes) {
  if (spare.empty())
    spare.emplace_back();
  Task &task = spare.front();
  task.call.keep(call, group.twin.size);
  task.communicator = &group.twin;
  task.bytes = bytes;
  tasks.splice(tasks.end(), spare, spare.begin());
}

size_t CommunicationThread::find(int64_t future) const {
  size_t place = 0;
  while (place < started.size() && started[place].future != future)
    ++place;
  return place;
}

void CommunicationThread::await(int64_t future) {
  size_t found = find(future);
  if (found == started.size())
    return;
  wait_for(started[found].ticket);
  started[found] = started.back();
  started.pop_back();
}

void CommunicationThread::drain() { wait_for(last_ticket); }

void CommunicationThread::wait_for(uint64_t ticket) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return done >= ticket; });
}

void CommunicationThread::add_to(tutti_counters &total) const {
  std::lock_guard<std::mutex> lock(mutex);
  total.collectives += counters.collectives;
  total.bytes += counters.bytes;
  total.communication_seconds += counters.communication_seconds;
}

/// This thread has no caller that could be told of an exception.
void CommunicationThread::perform_guarded(Task &task, tutti_counters &made) {
  try {
    perform(context, *task.communicator, task.call.call(), task.bytes, made);
  } catch (const std::bad_alloc &) {
    context->fail(TUTTI_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &error) {
    context->fail(TUTTI_SYSTEM_ERROR, error.what());
  }
}

void CommunicationThread::loop() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return is_ending || !tasks.empty(); });
    if (tasks.empty())
      return;
    Task &task = tasks.front(); // stays where it is while others are added
    tutti_counters made = {};
    lock.unlock();
    if (context->ok())
      perform_guarded(task, made);
    lock.lock();
    spare.splice(spare.begin(), tasks, tasks.begin());
    ++done;
    counters.collectives += made.collectives;
    counters.bytes += made.bytes;
    counters.communication_seconds += made.communication_seconds;
    changed.notify_all();
  }
}

} // namespace tutti::runtime
