// Nodes: ranks show each other what machine they are on, and those of one machine meet in its
// memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/door/Node.h"

#include "runtime/engine/core/Context.h"
#include "runtime/engine/core/PeerMonitor.h"
#include "tutti/collectives.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <numeric>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace tutti::runtime {
namespace {

/// Where a rank runs, and the meeting place that it offers as the first of its node.
struct Card {
  char node[192];
  char connection[128];
  char monitor[32];
  int64_t process;
  int64_t has_memory; ///< whether it could be opened
};

/// Processes of equal names can map each other's memory: same boot of one kernel, same process
/// numbers.
std::string machine_name() {
  std::string name;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), name);
  char space[64] = {};
  if (readlink("/proc/self/ns/pid", space, sizeof space - 1) > 0)
    name += space;
  return name;
}

class Discovery {
public:
  Discovery(tutti_context *context, const char *node) : context(context), cards(context->size) {
    std::string name = node && *node ? text("node ", node, " ") + machine_name() : machine_name();
    std::copy_n(name.data(), std::min(name.size(), sizeof own.node - 1), own.node);
  }

  void learn_nodes() {
    own.process = getpid();
    if (needs_monitor())
      make_monitor();
    gather();
    for (int32_t rank = 0; context->ok() && rank < context->size; ++rank) {
      auto is_same = [&](const Card &card) {
        return std::strcmp(card.node, cards[rank].node) == 0;
      };
      auto first = std::find_if(cards.begin(), cards.end(), is_same);
      context->node_of_rank.push_back(first - cards.begin());
      if (is_same(own))
        neighbours.push_back(rank);
    }
    auto self = std::find(neighbours.begin(), neighbours.end(), context->rank);
    context->local_rank = int32_t(self - neighbours.begin());
    context->local_size = int32_t(neighbours.size());
    if (context->monitor && context->ok())
      watch(neighbours[size_t(context->local_rank + 1) % neighbours.size()]);
  }

  /// Every rank takes part, also one that is alone on its node. Where memory cannot be shared, all
  /// ranks of the node stay on the world's transport.
  void share_memory() {
    tutti_meeting *meeting = nullptr;
    if (context->local_rank == 0 && context->local_size > 1)
      offer(&meeting);
    gather();
    if (context->ok() && context->local_size > 1)
      enter(cards[neighbours[0]].connection);
    gather(); // all are inside before the meeting place goes
    tutti_meeting_destroy(meeting);
    if (context->ok() && context->local_size > 1)
      agree();
  }

private:
  /// Where neither the backend nor a launcher of ours tells of a death.
  bool needs_monitor() const {
    constexpr uint32_t others = TUTTI_BACKEND_NOTICES_DEATH | TUTTI_BACKEND_SHARES_MEMORY;
    return context->size > 1 && !(context->world_transport.backend->capabilities & others);
  }

  void make_monitor() {
    context->monitor = std::make_unique<PeerMonitor>();
    const std::string &address = context->monitor->address();
    std::copy_n(address.data(), std::min(address.size(), sizeof own.monitor - 1), own.monitor);
  }

  /// The ranks of a node watch each other in a ring: a death is noticed by one rank, which tells
  /// all.
  void watch(int32_t rank) {
    int64_t process = cards[size_t(rank)].process;
    if (process == own.process) // threads of one process
      return;
    context->monitor->watch(cards[size_t(rank)].monitor, [c = context, rank, process] {
      std::string what = text("rank ", rank, " (process ", process, ") died");
      if (c->ok()) // a launcher may end this process before anyone asks the context
        std::fprintf(stderr, "tutti: %s; noticed by rank %d of %d at step %ld\n", what.c_str(),
                     c->rank, c->size, long(c->step));
      c->fail(TUTTI_RANK_DIED, text(what, "; stopped ", c->where(-1)));
    });
  }

  /// Memory is used when touched: each rank may have as much as the machine has, unless addresses
  /// are too few for that.
  void offer(tutti_meeting **meeting) {
    constexpr int64_t least_bytes = int64_t(64) << 20;
    int32_t status = TUTTI_SYSTEM_ERROR;
    for (int64_t bytes = most_bytes(); status != TUTTI_OK && bytes >= least_bytes; bytes /= 2) {
      tutti_meeting_destroy(std::exchange(*meeting, nullptr));
      status = tutti_meeting_create(tutti_backend_shm(), context->local_size, bytes, meeting);
      problem = *meeting ? tutti_meeting_message(*meeting) : "memory is exhausted";
    }
    if (status != TUTTI_OK)
      return;
    std::string connection = tutti_meeting_connection(*meeting);
    std::copy_n(connection.data(), std::min(connection.size(), sizeof own.connection - 1),
                own.connection);
  }

  /// Half of the addresses that this process may use, at most.
  int64_t most_bytes() const {
    int64_t bytes = int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    rlimit limit = {};
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      bytes = std::min(bytes, int64_t(limit.rlim_cur / 2) / context->local_size);
    return bytes;
  }

  /// A failure here is no failure of the run, so it is recorded elsewhere.
  void enter(const char *connection) {
    tutti_context attempt;
    attempt.rank = context->rank;
    attempt.limits = context->limits;
    if (*connection)
      context->node_transport.open(&attempt, tutti_backend_shm(), connection, neighbours,
                                   context->local_rank);
    if (!attempt.ok())
      problem = attempt.message;
    own.has_memory = context->node_transport.is_open();
  }

  /// All ranks of the node use its memory, or none. The first that cannot says why.
  void agree() {
    auto without = std::find_if(neighbours.begin(), neighbours.end(),
                                [&](int32_t rank) { return !cards[rank].has_memory; });
    if (without == neighbours.end())
      return;
    context->node_transport.close();
    if (*without == context->rank)
      std::fprintf(stderr,
                   "tutti: note: the %d ranks of this node use '%s' and not its memory: %s\n",
                   context->local_size, context->world_transport.backend->name, problem.c_str());
  }

  void gather() {
    const void *source = &own;
    void *destination = cards.data();
    int64_t bytes = sizeof own;
    tutti_all_gather(context, -1, TUTTI_GROUP_WORLD, TUTTI_U8, 1, &source, &destination, &bytes);
  }

  tutti_context *context;
  Card own = {};
  std::vector<Card> cards;
  std::vector<int32_t> neighbours;
  std::string problem; ///< why this rank cannot share memory
};

} // namespace

void find_node(tutti_context *context, const char *node, bool may_share) {
  std::vector<int32_t> everyone(context->size);
  std::iota(everyone.begin(), everyone.end(), 0);
  context->groups.create(context, TUTTI_GROUP_WORLD, everyone);
  Discovery discovery(context, node);
  discovery.learn_nodes();
  bool has_neighbours = context->local_size > 1;
  bool shares_already =
      context->world_transport.backend->capabilities & TUTTI_BACKEND_SHARES_MEMORY;
  if (!context->ok() || !may_share || shares_already || context->size == 1)
    return;
  discovery.share_memory();
  bool is_one_node = has_neighbours && context->local_size == context->size;
  if (!context->ok() || !is_one_node || !context->node_transport.is_open())
    return;
  // The whole world is one node, and memory reaches all of it.
  context->groups.destroy(TUTTI_GROUP_WORLD);
  context->groups.create(context, TUTTI_GROUP_WORLD, everyone);
}

} // namespace tutti::runtime
