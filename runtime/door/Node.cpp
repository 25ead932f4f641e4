// Nodes: ranks show each other what machine they are on, and those of one machine meet in its
// memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/door/Node.h"

#include "runtime/core/Context.h"
#include "tutti/collectives.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <numeric>
#include <unistd.h>

namespace tutti::runtime {
namespace {

/// Where a rank runs, and the meeting place that it offers as the first of its node.
struct Card {
  char node[192];
  char connection[128];
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
  }

  /// Every rank takes part, also one that is alone on its node.
  void share_memory() {
    tutti_meeting *meeting = nullptr;
    bool is_first = context->local_rank == 0 && context->local_size > 1;
    if (is_first)
      offer(&meeting);
    gather();
    const char *connection = cards[neighbours.empty() ? 0 : neighbours[0]].connection;
    if (context->ok() && context->local_size > 1 && *connection)
      context->node_transport.open(context, tutti_backend_shm(), connection, neighbours,
                                   context->local_rank);
    gather(); // all are inside before the meeting place goes
    tutti_meeting_destroy(meeting);
  }

private:
  void offer(tutti_meeting **meeting) {
    // Memory that is used when touched: each rank may have as much as the machine has.
    int64_t bytes = int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    if (tutti_meeting_create(tutti_backend_shm(), context->local_size, bytes, meeting) != TUTTI_OK)
      return context->fail(TUTTI_SYSTEM_ERROR, tutti_meeting_message(*meeting));
    std::string connection = tutti_meeting_connection(*meeting);
    std::copy_n(connection.data(), std::min(connection.size(), sizeof own.connection - 1),
                own.connection);
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
  if (!context->ok() || !is_one_node)
    return;
  // The whole world is one node, and memory reaches all of it.
  context->groups.destroy(TUTTI_GROUP_WORLD);
  context->groups.create(context, TUTTI_GROUP_WORLD, everyone);
}

} // namespace tutti::runtime
