// Collectives that repeat allocate nothing: once each has been carried out, no step asks the system
// for memory, over shared memory and over Gloo, in every thread of a rank.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/AllReduceWays.h"
#include "runtime/engine/core/Context.h"
#include "test/runtime/allocations/Count.h"
#include "test/runtime/conformance/World.h"
#include "tutti/collectives.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string_view>

using namespace tutti::runtime;

namespace {

/// A bucket of two buffers, one part for each rank of up to four, in private memory.
struct Buffers {
  static constexpr int64_t ranks = 4;
  int64_t elements[2] = {5003, 77};
  std::vector<float> from[2], to[2];
  const void *sources[2];
  void *destinations[2];

  Buffers() {
    for (int i = 0; i < 2; ++i) {
      from[i].resize(size_t(ranks * elements[i]), 1.0f);
      to[i].resize(from[i].size());
      sources[i] = from[i].data();
      destinations[i] = to[i].data();
    }
  }
};

using Step = std::function<void(tutti_context *context, Buffers &buffers)>;

struct Case {
  const char *name;
  Step step;
};

#define WORLD context, 0, TUTTI_GROUP_WORLD
#define BUCKET TUTTI_F32, 2, b.sources, b.destinations, b.elements
#define IN_PLACE TUTTI_F32, 2, b.destinations, b.destinations, b.elements

void all_to_all_v(tutti_context *context, Buffers &b) {
  static const int64_t counts[Buffers::ranks] = {100, 100, 100, 100};
  static const int64_t places[Buffers::ranks] = {0, 100, 200, 300};
  tutti_all_to_all_v(WORLD, TUTTI_F32, 1, b.from[0].data(), 400, b.to[0].data(), 400, counts,
                     places, counts, places);
}

/// Rank 0 sends rank 1 a large and a small message.
void messages(tutti_context *context, Buffers &b) {
  int32_t rank = tutti_context_rank(context);
  for (int64_t count : {2, 1}) {
    if (rank == 0)
      tutti_send(WORLD, 1, count, TUTTI_F32, count, b.sources + 2 - count, b.elements + 2 - count);
    if (rank == 1)
      tutti_recv(WORLD, 0, count, TUTTI_F32, count, b.destinations + 2 - count,
                 b.elements + 2 - count);
  }
}

/// Rank 1 takes the second of two messages first. Over Gloo that would wait for ever.
void early_messages(tutti_context *context, Buffers &b) {
  if (tutti_context_group_backend(context, TUTTI_GROUP_WORLD) != std::string_view("shm"))
    return;
  int32_t rank = tutti_context_rank(context);
  for (int64_t tag : {1, 2})
    if (rank == 0)
      tutti_send(WORLD, 1, tag, TUTTI_F32, 1, b.sources + 1, b.elements + 1);
  for (int64_t tag : {2, 1})
    if (rank == 1)
      tutti_recv(WORLD, 0, tag, TUTTI_F32, 1, b.destinations + 1, b.elements + 1);
}

void beside(tutti_context *context, Buffers &b) {
  for (int64_t future : {3, 8}) {
    tutti_async_begin(context, future);
    tutti_all_reduce(WORLD, TUTTI_MEAN, BUCKET);
    tutti_all_gather(WORLD, BUCKET);
    tutti_async_end(context);
  }
  for (int64_t future : {3, 8})
    tutti_await(context, future);
}

/// Ways of an all-reduce that the door takes among many ranks only.
template <typename Reduce> void by_way(tutti_context *context, Buffers &b, Reduce reduce) {
  tutti_call call = {};
  call.kind = TUTTI_ALL_REDUCE;
  call.type = TUTTI_F32;
  call.reduction = TUTTI_SUM;
  call.count = 2;
  call.sources = b.sources;
  call.destinations = b.destinations;
  call.elements = b.elements;
  const Communicator &world = context->groups.find(TUTTI_GROUP_WORLD)->communicator;
  reduce(algorithms::Place{context, world, 0}, call);
}

const Case cases[] = {
    {"all_reduce", [](auto *context, auto &b) { tutti_all_reduce(WORLD, TUTTI_MEAN, BUCKET); }},
    {"all_reduce_in_place",
     [](auto *context, auto &b) { tutti_all_reduce(WORLD, TUTTI_SUM, IN_PLACE); }},
    {"reduce_scatter",
     [](auto *context, auto &b) { tutti_reduce_scatter(WORLD, TUTTI_SUM, BUCKET); }},
    {"reduce_scatter_in_place",
     [](auto *context, auto &b) { tutti_reduce_scatter(WORLD, TUTTI_SUM, IN_PLACE); }},
    {"all_gather", [](auto *context, auto &b) { tutti_all_gather(WORLD, BUCKET); }},
    {"broadcast", [](auto *context, auto &b) { tutti_broadcast(WORLD, 1, BUCKET); }},
    {"all_to_all", [](auto *context, auto &b) { tutti_all_to_all(WORLD, BUCKET); }},
    {"all_to_all_in_place", [](auto *context, auto &b) { tutti_all_to_all(WORLD, IN_PLACE); }},
    {"all_to_all_v", all_to_all_v},
    {"reduce", [](auto *context, auto &b) { tutti_reduce(WORLD, TUTTI_SUM, 0, BUCKET); }},
    {"gather", [](auto *context, auto &b) { tutti_gather(WORLD, 1, BUCKET); }},
    {"scatter", [](auto *context, auto &b) { tutti_scatter(WORLD, 0, BUCKET); }},
    {"barrier", [](auto *context, auto &) { tutti_barrier(WORLD); }},
    {"messages", messages},
    {"early_messages", early_messages},
    {"beside", beside},
    {"all_reduce_by_tree",
     [](auto *context, auto &b) { by_way(context, b, algorithms::all_reduce_by_tree); }},
    {"all_reduce_by_chain",
     [](auto *context, auto &b) {
       by_way(context, b, [](const algorithms::Place &place, const tutti_call &call) {
         return algorithms::all_reduce_by_chain(place, call, 700);
       });
     }},
};

using Parameter = std::tuple<World, Case>;

class Allocations : public testing::TestWithParam<Parameter> {};

/// The fewest of several rounds: a rank that waits for very long makes up its mind whom to name,
/// which takes memory.
int64_t fewest_of_rounds(tutti_context *context, const Step &step, Buffers &buffers,
                         int64_t steps) {
  constexpr int rounds = 5;
  int64_t fewest = INT64_MAX;
  for (int round = 0; round < rounds; ++round) {
    int64_t before = allocated();
    for (int64_t i = 0; i < steps; ++i)
      step(context, buffers);
    fewest = std::min(fewest, allocated() - before);
  }
  return fewest;
}

} // namespace

TEST_P(Allocations, are_none_once_a_call_has_been_carried_out) {
  const auto &[world, what] = GetParam();
  Step step = what.step;
  EXPECT_EQ(world.run([&](tutti_context *context, int32_t) -> std::string {
    constexpr int64_t warm_up = 3, steps = 25;
    Buffers buffers;
    for (int64_t i = 0; i < warm_up; ++i)
      step(context, buffers);
    int64_t few = fewest_of_rounds(context, step, buffers, steps);
    COMPLAIN_UNLESS(few == 0, few, " blocks in ", steps, " steps");
    return tutti_context_message(context);
  }),
            "");
}

static const tutti_backend *gloo() {
  const tutti_backend *backend = nullptr;
  char message[1024];
  tutti_backend_load("gloo", &backend, message, sizeof message);
  return backend;
}

static std::vector<World> counted_worlds() {
  std::vector<World> all = {{"shm", 2}, {"shm", 4}};
  if (gloo()) {
    all.push_back({"gloo", 2});
    all.push_back({"gloo", 4});
    World nodes = {"gloo", 4};
    nodes.nodes = 2;
    nodes.reduction_order = TUTTI_ORDER_NODES;
    all.push_back(nodes);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Worlds, Allocations,
                         testing::Combine(testing::ValuesIn(counted_worlds()),
                                          testing::ValuesIn(cases)),
                         [](const auto &info) {
                           const World &world = std::get<0>(info.param);
                           return world.name + "_" + std::to_string(world.ranks) +
                                  (world.nodes ? "_by_nodes_" : "_") + std::get<1>(info.param).name;
                         });

TEST(Scratch, keeps_what_a_call_has_used_as_one_block) {
  Scratch scratch;
  auto call = [&] {
    ScratchArray<char> first(scratch, 100), large(scratch, 1 << 20);
    std::pmr::vector<int64_t> grows(&scratch);
    for (int64_t i = 0; i < 5000; ++i)
      grows.push_back(i);
    EXPECT_EQ(std::accumulate(grows.begin(), grows.end(), int64_t(0)), 5000 * 4999 / 2);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(large.data()) % 64, 0u);
  };
  call();
  int64_t before = allocated();
  call();
  int64_t after_second = allocated();
  call();
  EXPECT_LE(after_second - before, 2) << "one block, and the list of blocks";
  EXPECT_EQ(allocated(), after_second);
}
