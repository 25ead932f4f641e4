// The context's life, its sticky error, and how messages name a place in the run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Context.h"

#include "runtime/engine/core/CommunicationThread.h"
#include "runtime/engine/core/PeerMonitor.h"
#include "runtime/engine/core/WaitReporter.h"

#include <sys/mman.h>

using namespace tutti::runtime;

tutti_context::tutti_context() = default;

tutti_context::~tutti_context() {
  communication_thread.reset(); // finishes what was started, which may wait
  waits.reset();
  kernel_state.reset();
  monitor.reset(); // this rank leaves in order
  groups.clear();  // before the transports that serve them
  bool is_memory_used = world_transport.is_using_memory();
  world_transport.close(); // first: its threads tell the other one when a peer has died
  node_transport.close();
  if (is_memory_used) {
    scratch.abandon();
    scratch_beside.abandon();
    return;
  }
  for (const Mapping &mapping : mappings)
    munmap(mapping.memory, mapping.bytes);
}

/// What a rank that gave up waiting is told by the servers.
static std::string told_of_stall(const tutti_context &context, int32_t status) noexcept {
  try {
    bool is_stall = status == TUTTI_STALLED && context.ok() && context.waits;
    return is_stall ? context.waits->addition() : "";
  } catch (...) {
    return "";
  }
}

void tutti_context::fail(int32_t new_status, const std::string &text) noexcept {
  std::string told = told_of_stall(*this, new_status);
  {
    std::lock_guard<std::mutex> lock(failing);
    if (status != TUTTI_OK || new_status == TUTTI_OK)
      return;
    try {
      message = text + told;
    } catch (...) {
      message = "out of memory"; // short enough to need none
    }
    status.store(new_status, std::memory_order_release);
  }
  for (const Transport *transport : {&node_transport, &world_transport})
    transport->tell(new_status, message.c_str());
}

std::string tutti_context::plan_entry_text(int64_t entry) const {
  if (entry < 0)
    return "the exchange of plans";
  std::string number = text("plan entry ", entry);
  if (entry < int64_t(plan.size()) && !plan[entry].empty())
    return number + " (" + plan[entry] + ")";
  return number;
}

std::string tutti_context::where(int64_t entry) const {
  return text("rank ", rank, " of ", size, ", step ", step, ", ", plan_entry_text(entry));
}
