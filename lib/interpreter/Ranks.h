// Ranks that run in lock-step in one process, and what they exchange.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_INTERPRETER_RANKS_H
#define TUTTI_LIB_INTERPRETER_RANKS_H

#include "lib/interpreter/Tensor.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace tutti::interpreter {

/// One of the ranks runs at any time, until it waits for others or ends: what they do is in the
/// same order always.
class Ranks {
public:
  explicit Ranks(int64_t count) : count(count) {}

  /// Calls `program` for each rank, each on a thread of its own, until all have returned. False
  /// where one has returned false, or where those that are left wait for ever.
  bool run(llvm::function_ref<bool(int64_t rank)> program);

  /// What the members of `set` give at the same place of the order in which they communicate, in
  /// the order of the set. Nothing if a member never comes there, or does something else there than
  /// `what`; `problem` says so then. Called by members, while they run.
  std::optional<std::vector<std::vector<TensorRef>>> exchange(int64_t rank,
                                                              const std::vector<int64_t> &set,
                                                              const std::string &what,
                                                              std::vector<TensorRef> given);

  void send(int64_t from, int64_t to, int64_t tag, std::vector<TensorRef> values);
  /// Waits for it; nothing if it never comes.
  std::optional<std::vector<TensorRef>> receive(int64_t from, int64_t to, int64_t tag);

  const std::string &getProblem() const { return problem; }

  const int64_t count;

private:
  struct Meeting {
    std::string what;
    std::map<int64_t, std::vector<TensorRef>> given;
    int64_t left = 0; ///< members that have not taken what they came for
  };
  enum class State { Ready, Waiting, Ended };

  /// Lets others run until `isTrue`; false if that can never be.
  bool waitUntil(int64_t rank, llvm::function_ref<bool()> isTrue);
  /// Gives the turn to the next rank that may go on.
  void passOn(int64_t rank);

  std::mutex mutex;
  std::condition_variable changed;
  int64_t turn = 0;
  std::vector<State> states;
  bool isStuck = false;
  std::string problem;
  std::map<std::pair<std::vector<int64_t>, int64_t>, Meeting> meetings;
  std::map<std::pair<int64_t, std::vector<int64_t>>, int64_t> places; ///< by rank and set
  std::map<std::tuple<int64_t, int64_t, int64_t>, std::deque<std::vector<TensorRef>>> mail;
};

} // namespace tutti::interpreter

#endif // TUTTI_LIB_INTERPRETER_RANKS_H
