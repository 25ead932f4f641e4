// Noticing that a wait takes too long, and which rank holds it up. A rank that waits for long
// leaves a note for its peers; a rank that has left none, or one about another wait, is missing. A
// rank that fails leaves a note too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_PLUGIN_STALLWATCH_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_PLUGIN_STALLWATCH_H

#include "tutti/context.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace tutti::runtime::plugin {

/// What a rank tells its peers. Plain data: it travels as bytes.
struct Note {
  int64_t group = 0; ///< whose member waits, by identity(); 0: it waits no longer
  int64_t plan_entry = 0;
  int64_t step = 0;
  int32_t status = TUTTI_OK; ///< not OK: the rank failed
  int32_t unused = 0;
  char text[480] = {}; ///< where the rank waits, or why it failed

  void set_text(const std::string &what);
  bool is_failure() const { return status != TUTTI_OK; }
};

/// How notes reach the peers. Both functions may be called from several threads.
class NoteBoard {
public:
  virtual ~NoteBoard() = default;
  /// Shows `note` to all ranks of the world, in place of the last one.
  virtual void post(const Note &note) = 0;
  /// The last notes of all ranks of the world, by rank; those of ranks that posted none are empty.
  virtual std::vector<Note> notes() = 0;
};

/// A number that the members of a group, and only they, have in common; never 0.
int64_t identity(const tutti_group &group);

/// "0, 1, 5", for messages.
std::string listed(const std::vector<int32_t> &ranks);

/// Where a wait happens.
struct Place {
  std::function<std::string()> describe; ///< for messages; only called when there is one
  const std::vector<int32_t> *members;   ///< world ranks
  int64_t group;                         ///< identity()
  int64_t plan_entry, step;
  int32_t world_rank; ///< of this process
};

/// One wait.
class StallWatch {
public:
  StallWatch(Place place, const tutti_limits &limits, NoteBoard &board);
  /// Withdraws the note of this wait, if there is one.
  ~StallWatch();

  /// To be called now and then while waiting. `pending`: the world ranks that have not done their
  /// part, as far as it is known; empty: any of them. TUTTI_OK as long as there is reason to wait;
  /// otherwise message() says why not. Warns once, on standard error, from one rank of those that
  /// wait.
  int32_t check(const std::vector<int32_t> &pending);
  /// The same answer for a wait that ended by itself: a transport gave up.
  std::string waited_for(const std::vector<int32_t> &pending);
  const std::string &message() const { return reason; }
  double seconds() const;

private:
  struct Standing;
  int32_t fail(int32_t status, std::string text);
  void announce();
  bool is_here(const Note &note) const;
  std::vector<Standing> standings(const std::vector<int32_t> &pending);

  Place place;
  tutti_limits limits;
  NoteBoard &board;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  double announced_at = -1; ///< seconds after begin
  bool has_warned = false;
  std::string reason;
};

} // namespace tutti::runtime::plugin

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_PLUGIN_STALLWATCH_H
