// What a rank did and when, kept in memory until the run is over. Recording a span costs two
// readings of the clock and one store; no recorder costs one comparison.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_TRACE_RECORDER_H
#define TUTTI_RUNTIME_ENGINE_TRACE_RECORDER_H

#include "runtime/support/Stopwatch.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tutti::runtime::trace {

enum class Kind : int32_t {
  step,       ///< all that belongs to one training step
  phase,      ///< initialize, load data, evaluate, ...
  kernel,     ///< one call of a kernel
  collective, ///< one collective, waiting included
  start,      ///< handing a collective to the communication thread
  await       ///< waiting for a future
};

/// One thing that took time. Times are ticks of Stopwatch.
struct Span {
  uint64_t begin, end;
  Kind kind;
  const char *name;          ///< of a phase, a kernel, a kind of collective; static
  const int64_t *parameters; ///< of a kernel, and after them the name of its node, as of abi.def;
                             ///< valid until the trace is written
  int64_t parameter_count;
  int64_t plan_entry; ///< of a collective or a start
  int64_t future;     ///< of a start or an await
  uint64_t ordinal;   ///< of a start, and of the collective that it led to: equal numbers
  int64_t bytes;      ///< of a collective: its payload
  int64_t step;       ///< from 0; negative outside of steps
};

/// The spans of one thread, in the order of their ends. One thread adds; any thread may read what
/// has been added.
class Lane {
public:
  explicit Lane(size_t capacity) : spans(new Span[capacity]), capacity(capacity) {}

  void add(const Span &span) {
    size_t place = count.load(std::memory_order_relaxed);
    if (place == capacity)
      return lost.store(lost.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    spans[place] = span;
    count.store(place + 1, std::memory_order_release);
  }
  size_t size() const { return count.load(std::memory_order_acquire); }
  const Span &operator[](size_t i) const { return spans[i]; }
  size_t room() const { return capacity - size(); }
  /// Spans for which there was no room.
  uint64_t lost_spans() const { return lost.load(std::memory_order_relaxed); }

private:
  std::unique_ptr<Span[]> spans; ///< memory that is not written is not used
  size_t capacity;
  std::atomic<size_t> count{0};
  std::atomic<uint64_t> lost{0};
};

/// Which steps to record. What a run does before its first step is recorded always, all else only
/// where all steps are.
struct StepRange {
  int64_t first = 0;  ///< from 0
  int64_t count = -1; ///< negative: to the end
  bool is_all() const { return first == 0 && count < 0; }
  bool has(int64_t step) const { return step >= first && (count < 0 || step - first < count); }
};

/// Of one rank. The compute thread and the communication thread have a lane each; the functions
/// are the compute thread's, but for `next_performed`.
class Recorder {
public:
  /// `capacity` spans a lane. Once the lanes cannot hold another step like those before, no further
  /// step is recorded.
  Recorder(StepRange range, size_t capacity)
      : compute(capacity), communication(capacity), range(range) {}

  bool records() const { return is_recording.load(std::memory_order_relaxed); }
  void begin_step(int64_t step);
  void end_step();

  /// The first step that was wanted but did not fit, or -1.
  int64_t first_left_out() const { return left_out; }
  int64_t current_step() const { return step.load(std::memory_order_relaxed); }

  /// Numbers of collectives that are started, and of those carried out beside the caller.
  uint64_t next_started() { return ++started; }
  uint64_t next_performed() { return ++performed; }

  Lane compute, communication;

private:
  bool has_room();

  StepRange range;
  std::atomic<bool> is_recording{true}; ///< how a run starts is part of each trace
  std::atomic<int64_t> step{-1};
  size_t size_at_begin[2] = {}, largest_step[2] = {};
  int64_t left_out = -1;
  uint64_t started = 0;   ///< the compute thread's
  uint64_t performed = 0; ///< the communication thread's
};

/// Records a span from its making to its end, on the compute thread unless told otherwise. Does
/// nothing without a recorder.
class Scope {
public:
  Scope(Recorder *recorder, Kind kind, const char *name)
      : recorder(recorder && recorder->records() ? recorder : nullptr) {
    if (!this->recorder)
      return;
    span = {};
    span.kind = kind;
    span.name = name;
    span.step = recorder->current_step();
    lane = &recorder->compute;
    span.begin = Stopwatch::ticks();
  }
  Scope(const Scope &) = delete;
  ~Scope() { end(); }

  /// What else is known; null if nothing is recorded.
  Span *details() { return recorder ? &span : nullptr; }
  void move_to(Lane &other) { lane = &other; }
  void end() {
    if (!recorder)
      return;
    span.end = Stopwatch::ticks();
    lane->add(span);
    recorder = nullptr;
  }

private:
  Recorder *recorder;
  Lane *lane;
  Span span;
};

/// A step from its making to its end.
class StepScope {
public:
  StepScope(Recorder *recorder, int64_t step)
      : recorder(begun(recorder, step)), whole(recorder, Kind::step, "step") {}
  ~StepScope() {
    whole.end();
    if (recorder)
      recorder->end_step();
  }

private:
  static Recorder *begun(Recorder *recorder, int64_t step) {
    if (recorder)
      recorder->begin_step(step);
    return recorder;
  }
  Recorder *recorder;
  Scope whole;
};

} // namespace tutti::runtime::trace

#endif // TUTTI_RUNTIME_ENGINE_TRACE_RECORDER_H
