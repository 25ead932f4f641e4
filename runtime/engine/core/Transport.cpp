// Opening and closing worlds, joining and leaving groups in them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Transport.h"

#include "runtime/engine/core/Context.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tutti::runtime {

int32_t Transport::open(tutti_context *context, const tutti_backend *given, const char *connection,
                        std::vector<int32_t> reached, int32_t own) {
  backend = given;
  ranks = std::move(reached);
  void *opened = nullptr;
  int32_t status =
      backend->open(context, connection, &context->limits, own, int32_t(ranks.size()), &opened);
  if (status != TUTTI_OK) // a backend that forgot to say why
    context->fail(status, text("backend '", backend->name, "' could not be opened"));
  state = opened;
  return status;
}

void Transport::close() {
  if (void *closing = state.exchange(nullptr))
    backend->close(closing);
}

void Transport::tell(int32_t status, const char *message) const noexcept {
  void *told = state;
  if (!told || !backend->fail)
    return;
  try {
    backend->fail(told, status, message);
  } catch (...) { // the peers find out by themselves, later
  }
}

std::vector<int32_t> Transport::positions_of(const std::vector<int32_t> &members) const {
  std::vector<int32_t> positions;
  for (int32_t member : members) {
    auto found = std::find(ranks.begin(), ranks.end(), member);
    if (found == ranks.end())
      return {};
    positions.push_back(int32_t(found - ranks.begin()));
  }
  return positions;
}

Communicator::Communicator(Communicator &&other) noexcept { *this = std::move(other); }

Communicator &Communicator::operator=(Communicator &&other) noexcept {
  std::swap(backend, other.backend);
  std::swap(handle, other.handle);
  std::swap(rank, other.rank);
  std::swap(size, other.size);
  std::swap(world_ranks, other.world_ranks);
  std::swap(scratch, other.scratch);
  std::swap(members, other.members);
  std::swap(by_node, other.by_node);
  return *this;
}

Communicator::~Communicator() {
  if (handle)
    backend->leave(handle);
}

int32_t Communicator::join(tutti_context *context, const Transport &transport,
                           std::vector<int32_t> positions, int32_t own, int64_t occurrence) {
  backend = transport.backend;
  members = std::move(positions);
  rank = own;
  size = int32_t(members.size());
  for (int32_t position : members)
    world_ranks.push_back(transport.world_rank(position));
  tutti_group group = {rank, size, members.data(), occurrence};
  void *joined = nullptr;
  int32_t status = backend->join(transport.state, context, &group, &joined);
  if (status != TUTTI_OK)
    context->fail(status,
                  text("backend '", backend->name, "' could not make a group of ", size, " ranks"));
  handle = joined;
  return status;
}

const std::vector<std::vector<int32_t>> &
Communicator::members_by_node(const std::vector<int64_t> &node_of_rank) const {
  if (!by_node.empty())
    return by_node;
  std::map<int64_t, std::vector<int32_t>> nodes; // they are numbered by their first ranks
  for (int32_t member = 0; member < size; ++member)
    nodes[node_of_rank[size_t(world_ranks[size_t(member)])]].push_back(member);
  for (auto &[node, ranks] : nodes)
    by_node.push_back(std::move(ranks));
  return by_node;
}

} // namespace tutti::runtime
