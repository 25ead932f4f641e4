// A rank that waits for long says who waits at the servers, whatever it waits in itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_CORE_WAITREPORTER_H
#define TUTTI_RUNTIME_ENGINE_CORE_WAITREPORTER_H

#include "tutti/context.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace tutti::runtime {

/// Backends warn of collectives that take long, and name the ranks that have not come. What they
/// cannot know is that one of these waits for rows. This warns of pulls, and adds to both what the
/// servers say. It has a thread, which sleeps but for a look now and then.
class WaitReporter {
public:
  /// For a context whose row service tells waits; both must outlive it.
  WaitReporter(const tutti_context &context, const tutti_row_service &service);
  WaitReporter(const WaitReporter &) = delete;
  ~WaitReporter();

  enum Thread { caller, beside }; ///< the context's own, and that of communication
  enum class Kind { none, pull, collective };

  /// One wait, from its begin to its end. `reporter` may be null.
  class Scope {
  public:
    Scope(WaitReporter *reporter, Thread thread, Kind kind, int64_t plan_entry);
    ~Scope();
    Scope(const Scope &) = delete;

  private:
    WaitReporter *reporter;
    Thread thread;
  };

  /// "; at the servers: ..." for an error of a rank that waits in a collective; else empty.
  std::string addition() const;

private:
  struct Wait {
    std::atomic<uint64_t> number{0}; ///< changes with each wait; odd: it lasts
    std::atomic<uint64_t> begin{0};  ///< Stopwatch::ticks()
    std::atomic<Kind> kind{Kind::none};
    std::atomic<int64_t> plan_entry{0};
  };

  void loop();
  void look(Wait &wait, uint64_t &warned);
  void warn(Kind kind, int64_t plan_entry) const;
  std::string told() const;

  const tutti_context &context;
  const tutti_row_service &service;
  Wait waits[2];        ///< by thread
  std::mutex reporting; ///< while the service is asked
  std::mutex mutex;     ///< of what is below
  std::condition_variable changed;
  bool is_ending = false;
  std::thread thread;
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_ENGINE_CORE_WAITREPORTER_H
