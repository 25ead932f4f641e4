// The ways of an all-reduce: the bits of rank order, whichever is taken, and the messages that the
// schedules count.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/AllReduceWays.h"

#include "runtime/engine/algorithms/RowMemory.h"
#include "runtime/engine/core/Context.h"
#include "runtime/engine/reduction/Reduction.h"
#include "runtime/engine/reduction/ReductionOrder.h"
#include "runtime/engine/schedules/Traffic.h"
#include "runtime/support/HalfPrecision.h"
#include "test/runtime/CountingBackend.h"
#include "tutti/collectives.h"
#include "tutti/types.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace tutti::runtime;
using schedules::Row;
using schedules::Way;

namespace {

/// Elements of `type` of one rank, whose sums and products depend on the order.
std::vector<char> values_of(int32_t type, int32_t rank, int64_t elements) {
  std::vector<char> bytes(size_t(elements * tutti_type_bytes(type)));
  for (int64_t i = 0; i < elements; ++i) {
    double value = ((rank * 7 + i * 3) % 11 - 4.5) * (rank % 3 == 1 ? 1e4 : 0.37);
    auto put = [&](auto typed) {
      std::memcpy(bytes.data() + i * int64_t(sizeof typed), &typed, sizeof typed);
    };
    switch (type) {
    case TUTTI_F16:
      put(Float16::store(float(value / 1e3)));
      break;
    case TUTTI_BF16:
      put(BFloat16::store(float(value)));
      break;
    case TUTTI_F32:
      put(float(value));
      break;
    case TUTTI_F64:
      put(value);
      break;
    case TUTTI_U8:
      put(uint8_t(rank * 5 + i));
      break;
    default:
      put(int32_t(value * 1e3));
    }
  }
  return bytes;
}

/// One reduction of a row that lies in buffers of `sizes`.
struct Reduction {
  int32_t type = TUTTI_F32;
  int32_t reduction = TUTTI_SUM;
  std::vector<int64_t> sizes;
  bool is_in_place = false;

  int64_t elements() const { return std::accumulate(sizes.begin(), sizes.end(), int64_t(0)); }
};

algorithms::Place place_of(tutti_context *context) {
  return {context, context->groups.find(TUTTI_GROUP_WORLD)->communicator, 0};
}

int32_t run(Way way, const algorithms::Place &place, const tutti_call &call, int64_t chunk) {
  switch (way) {
  case Way::tree:
    return algorithms::all_reduce_by_tree(place, call);
  case Way::chain:
    return algorithms::all_reduce_by_chain(place, call, chunk);
  case Way::slices:
    break;
  }
  return algorithms::all_reduce_by_slices(place, call);
}

/// What the order of the context gives for the values of all ranks.
std::vector<char> expected_of(const algorithms::Place &place, const Reduction &what) {
  std::vector<std::vector<char>> given;
  std::vector<const void *> sources;
  for (int32_t rank = 0; rank < place.size(); ++rank)
    given.push_back(values_of(what.type, rank, what.elements()));
  for (const std::vector<char> &values : given)
    sources.push_back(values.data());
  std::vector<char> result(given[0].size());
  ReductionOrder(*place.context, place.communicator)
      .reduce(what.type, what.reduction, sources.data(), result.data(), what.elements());
  return result;
}

/// Reduces `what`; "" if this rank has the bits of `expected`.
std::string check(const algorithms::Place &place, Way way, const Reduction &what, int64_t chunk,
                  const std::vector<char> &expected) {
  std::vector<char> in = values_of(what.type, place.rank(), what.elements()), out(in.size());
  std::vector<const void *> sources;
  std::vector<void *> destinations;
  std::vector<char> &target = what.is_in_place ? in : out;
  int64_t at = 0;
  for (int64_t size : what.sizes) {
    sources.push_back(in.data() + at);
    destinations.push_back(target.data() + at);
    at += size * tutti_type_bytes(what.type);
  }
  tutti_call call = {};
  call.type = what.type;
  call.reduction = what.reduction;
  call.count = int64_t(what.sizes.size());
  call.sources = sources.data();
  call.destinations = destinations.data();
  call.elements = what.sizes.data();
  int32_t status = run(way, place, call, chunk);
  if (status == TUTTI_OK && target == expected)
    return "";
  return text(name_of(way), " of ", what.elements(), " in chunks of ", chunk, ", type ", what.type,
              ", reduction ", what.reduction, ": ", status ? "fails; " : "other bits; ");
}

constexpr int32_t many_ranks = 16; ///< threads that take turns on few processors

/// With many ranks only some.
std::vector<Reduction> reductions(int64_t ranks) {
  if (ranks > many_ranks)
    return {{TUTTI_F32, TUTTI_SUM, {ranks - 1}, true},
            {TUTTI_BF16, TUTTI_MEAN, {3, 0, 1, 17}, false},
            {TUTTI_F64, TUTTI_PROD, {1}, false},
            {TUTTI_I32, TUTTI_MAX, {11}, true}};
  std::vector<Reduction> all;
  for (int32_t type : {TUTTI_F32, TUTTI_F64, TUTTI_F16, TUTTI_BF16, TUTTI_I32, TUTTI_U8})
    for (int32_t reduction : {TUTTI_SUM, TUTTI_MEAN, TUTTI_MIN, TUTTI_MAX, TUTTI_PROD})
      if (reduction_problem(type, reduction).empty())
        all.push_back({type, reduction, {37}, reduction == TUTTI_MIN});
  // Nothing, less than a chunk, less than ranks, full chunks and one more, and several buffers.
  for (const std::vector<int64_t> &sizes : std::vector<std::vector<int64_t>>{{},
                                                                             {0},
                                                                             {1},
                                                                             {4},
                                                                             {5},
                                                                             {10},
                                                                             {11},
                                                                             {ranks - 1},
                                                                             {ranks},
                                                                             {3, 0, 1, 17},
                                                                             {2, 2, 2, 2, 2}})
    for (int32_t type : {TUTTI_F32, TUTTI_BF16})
      all.push_back({type, TUTTI_MEAN, sizes, type == TUTTI_F32});
  return all;
}

constexpr int64_t chunk = 5;

/// Slices of many ranks are what AlgorithmCost and the conformance suite are about.
std::vector<Way> ways(int64_t ranks) {
  return ranks > many_ranks ? std::vector<Way>{Way::tree, Way::chain}
                            : std::vector<Way>{Way::slices, Way::tree, Way::chain};
}

class AllReduceWays : public testing::TestWithParam<int32_t> {
protected:
  /// Checks all reductions by all ways on contexts that `prepare` has seen.
  void expect_bits(const std::function<void(tutti_context *)> &prepare) const {
    RankThreads threads{GetParam()};
    std::vector<std::vector<char>> expected(reductions(GetParam()).size());
    EXPECT_EQ(threads.run([&](tutti_context *context, int32_t rank) {
      prepare(context);
      algorithms::Place place = place_of(context);
      std::vector<Reduction> all = reductions(place.size());
      for (size_t i = 0; rank == 0 && i < all.size(); ++i)
        expected[i] = expected_of(place, all[i]);
      tutti_barrier(context, 0, TUTTI_GROUP_WORLD);
      std::string wrong;
      for (size_t i = 0; i < all.size(); ++i)
        for (Way way : ways(place.size()))
          wrong += check(place, way, all[i], chunk, expected[i]);
      return wrong;
    }),
              threads.content());
  }
};

INSTANTIATE_TEST_SUITE_P(Ranks, AllReduceWays, testing::Values(1, 2, 3, 5, 8, 13, 64, 128));

} // namespace

TEST_P(AllReduceWays, give_the_bits_of_rank_order) {
  expect_bits([](tutti_context *) {});
}

TEST_P(AllReduceWays, give_the_bits_of_the_order_of_nodes) {
  // Nodes of 1, 2, 3, 1, ... ranks, and ranks of a node that do not stand side by side.
  for (bool are_dealt : {true, false})
    expect_bits([&](tutti_context *context) {
      context->reduction_order = TUTTI_ORDER_NODES;
      std::vector<int64_t> &nodes = context->node_of_rank;
      for (int32_t rank = 0, node = 0; rank < context->size; node = rank)
        for (int32_t i = 0; i <= node % 3 && rank < context->size; ++i, ++rank)
          nodes[size_t(rank)] = are_dealt ? rank % 3 : node;
    });
}

TEST_P(AllReduceWays, send_what_their_schedules_count) {
  constexpr int64_t elements = (int64_t(600) << 10) / 4 + 1; // three chunks, the last one is short
  for (Way way : {Way::slices, Way::tree, Way::chain})
    for (int32_t type : {TUTTI_F32, TUTTI_BF16}) {
      bool is_tree = way == Way::tree; // for small rows
      Reduction what = {type, TUTTI_SUM, {is_tree ? 5 : elements}, true};
      RankThreads threads{GetParam(), counting_backend()};
      EXPECT_EQ(threads.run([&](tutti_context *context, int32_t rank) -> std::string {
        algorithms::Place place = place_of(context);
        std::vector<char> values(size_t(what.elements() * tutti_type_bytes(type)));
        void *memory = values.data();
        tutti_call call = {};
        call.type = type;
        call.count = 1;
        call.sources = const_cast<const void *const *>(&memory);
        call.destinations = &memory;
        call.elements = what.sizes.data();
        Row row = algorithms::RowMemory(call).row();
        traffic = {}, messages_sent = 0;
        if (run(way, place, call, schedules::chunk_of(row)))
          return tutti_context_message(context);
        schedules::Traffic counted = schedules::traffic_of(way, rank, place.size(), row);
        return messages_sent == counted.messages && traffic.sent == counted.bytes
                   ? ""
                   : text(name_of(way), " sent ", messages_sent, " messages, ", traffic.sent,
                          " bytes; counted ", counted.messages, ", ", counted.bytes);
      }),
                threads.content());
    }
}

TEST(AllReduceWay, is_that_of_few_ranks_small_or_large_rows) {
  auto way = [](int64_t ranks, int64_t bytes) {
    return schedules::way_of(ranks, {bytes / 4, 4, 4});
  };
  constexpr int64_t kibibyte = 1 << 10, mebibyte = 1 << 20;
  for (int64_t bytes : {int64_t(4), mebibyte, 100 * mebibyte})
    EXPECT_EQ(way(31, bytes), Way::slices) << bytes;
  EXPECT_EQ(way(32, 0), Way::slices);
  EXPECT_EQ(way(32, 4), Way::tree);
  EXPECT_EQ(way(1024, 8 * kibibyte), Way::tree);
  EXPECT_EQ(way(1024, 8 * kibibyte + 4), Way::slices);
  EXPECT_EQ(way(16384, kibibyte), Way::tree);
  EXPECT_EQ(way(16384, 8 * kibibyte), Way::slices); // 128 MiB at rank 0
  EXPECT_EQ(way(1024, 8 * mebibyte), Way::slices);
  EXPECT_EQ(way(32, 8 * mebibyte + 4), Way::chain);
  EXPECT_EQ(way(16384, 100 * mebibyte), Way::chain);
}
