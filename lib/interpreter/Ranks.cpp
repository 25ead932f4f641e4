// Turns, meetings and mail of ranks in one process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/interpreter/Ranks.h"

#include "llvm/ADT/STLExtras.h"

#include <thread>

using namespace tutti::interpreter;

bool Ranks::run(llvm::function_ref<bool(int64_t rank)> program) {
  states.assign(count, State::Ready);
  turn = 0;
  std::vector<char> results(count, false);
  std::vector<std::thread> threads;
  for (int64_t rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return turn == rank; });
      }
      results[rank] = program(rank);
      std::unique_lock<std::mutex> lock(mutex);
      states[rank] = State::Ended;
      passOn(rank);
    });
  for (std::thread &thread : threads)
    thread.join();
  return !isStuck && llvm::all_of(results, [](char result) { return result; });
}

void Ranks::passOn(int64_t rank) {
  for (int64_t step = 1; step <= count; ++step) {
    int64_t next = (rank + step) % count;
    if (states[next] == State::Ended)
      continue;
    if (states[next] == State::Waiting && !isStuck)
      continue;
    turn = next;
    changed.notify_all();
    return;
  }
  // Nobody may go on: those that wait learn that they do for ever.
  auto waiting = llvm::find(states, State::Waiting);
  if (waiting == states.end())
    return;
  isStuck = true;
  turn = waiting - states.begin();
  changed.notify_all();
}

bool Ranks::waitUntil(int64_t rank, llvm::function_ref<bool()> isTrue) {
  std::unique_lock<std::mutex> lock(mutex);
  while (!isTrue()) {
    if (isStuck)
      return false;
    states[rank] = State::Waiting;
    passOn(rank);
    changed.wait(lock, [&] { return turn == rank; });
    states[rank] = State::Ready;
  }
  return true;
}

std::optional<std::vector<std::vector<TensorRef>>> Ranks::exchange(int64_t rank,
                                                                   const std::vector<int64_t> &set,
                                                                   const std::string &what,
                                                                   std::vector<TensorRef> given) {
  std::pair<std::vector<int64_t>, int64_t> key(set, places[{rank, set}]++);
  Meeting &meeting = meetings[key];
  if (meeting.given.empty())
    meeting.what = what, meeting.left = set.size();
  if (meeting.what != what) {
    if (problem.empty())
      problem = "rank " + std::to_string(rank) + " comes to " + what + " where rank " +
                std::to_string(meeting.given.begin()->first) + " is at " + meeting.what;
    isStuck = true;
    return std::nullopt;
  }
  meeting.given[rank] = std::move(given);
  // Whoever came before may go on now, in turn.
  bool isComplete = meeting.given.size() == set.size();
  if (isComplete)
    for (int64_t member : set)
      if (states[member] == State::Waiting)
        states[member] = State::Ready;
  if (!waitUntil(rank, [&] { return meeting.given.size() == set.size(); })) {
    if (problem.empty())
      problem = "rank " + std::to_string(rank) + " waits for ever at " + what;
    return std::nullopt;
  }
  std::vector<std::vector<TensorRef>> all;
  for (int64_t member : set)
    all.push_back(meeting.given.at(member));
  if (--meeting.left == 0)
    meetings.erase(key);
  return all;
}

void Ranks::send(int64_t from, int64_t to, int64_t tag, std::vector<TensorRef> values) {
  mail[{from, to, tag}].push_back(std::move(values));
  if (states[to] == State::Waiting)
    states[to] = State::Ready;
}

std::optional<std::vector<TensorRef>> Ranks::receive(int64_t from, int64_t to, int64_t tag) {
  auto &box = mail[{from, to, tag}];
  if (!waitUntil(to, [&] { return !box.empty(); })) {
    if (problem.empty())
      problem = "rank " + std::to_string(to) + " waits for ever for a message of rank " +
                std::to_string(from);
    return std::nullopt;
  }
  std::vector<TensorRef> values = std::move(box.front());
  box.pop_front();
  return values;
}
