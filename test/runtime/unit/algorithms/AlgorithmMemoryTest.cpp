// What the generic algorithms touch, and how they end when a step of theirs fails.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/RankThreads.h"
#include "tutti/collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tuple>

using testing::HasSubstr;
using tutti::runtime::text;

namespace {

constexpr int32_t guard = -77;

int32_t value(int64_t rank, size_t buffer, int64_t i) {
  return int32_t(rank * 10000 + int64_t(buffer) * 1000 + i);
}

/// A bucket of odd sizes, each buffer between two guards.
class Bucket {
public:
  /// `parts` parts a buffer, with the values of `rank`, or guards if that is negative.
  Bucket(int64_t parts, int64_t rank) {
    for (size_t b = 0; b < sizes.size(); ++b) {
      buffers.emplace_back(size_t(parts * sizes[b] + 2), guard);
      for (int64_t i = 0; rank >= 0 && i < parts * sizes[b]; ++i)
        buffers[b][size_t(i) + 1] = value(rank, b, i);
    }
    for (auto &buffer : buffers)
      pointers.push_back(buffer.data() + 1);
  }
  Bucket(const Bucket &) = delete;

  static inline const std::vector<int64_t> sizes = {3, 0, 1, 17};
  int64_t count() const { return int64_t(sizes.size()); }
  const int64_t *elements() const { return sizes.data(); }
  void *const *destinations() const { return pointers.data(); }
  const void *const *sources() const { return const_cast<const void *const *>(pointers.data()); }

  /// The first element, guards included, that is not what `expected(buffer, i)` says, or "".
  template <typename Expected> std::string difference(const char *what, Expected expected) const {
    for (size_t b = 0; b < buffers.size(); ++b)
      for (int64_t i = -1; i < int64_t(buffers[b].size()) - 1; ++i) {
        bool is_guard = i < 0 || i == int64_t(buffers[b].size()) - 2;
        int32_t wanted = is_guard ? guard : expected(b, i), found = buffers[b][size_t(i) + 1];
        if (found != wanted)
          return text(what, " buffer ", b, " element ", i, " is ", found, ", not ", wanted);
      }
    return "";
  }

private:
  std::vector<std::vector<int32_t>> buffers;
  std::vector<void *> pointers;
};

using Shape = std::tuple<int32_t, int32_t>; ///< ranks, root

class AlgorithmMemory : public testing::TestWithParam<Shape> {
protected:
  int32_t ranks() const { return std::get<0>(GetParam()); }
  int32_t root() const { return std::get<1>(GetParam()); }

  using Call = std::function<void(tutti_context *, const Bucket &from, const Bucket &to)>;
  using Expected = std::function<int32_t(int32_t rank, size_t buffer, int64_t i)>;

  /// Runs `call` from buckets of `parts_from` parts to such of `parts_to`; sources and guards must
  /// stay what they are.
  void expect(int64_t parts_from, int64_t parts_to, const Call &call, const Expected &expected) {
    RankThreads threads{ranks()};
    EXPECT_EQ(threads.run([&](tutti_context *context, int32_t rank) {
      Bucket from(parts_from, rank), to(parts_to, -1);
      call(context, from, to);
      std::string wrong = tutti_context_message(context);
      wrong += from.difference("source", [&](size_t b, int64_t i) { return value(rank, b, i); });
      return wrong + to.difference("destination",
                                   [&](size_t b, int64_t i) { return expected(rank, b, i); });
    }),
              threads.content());
  }
  int32_t sum(size_t buffer, int64_t i) const {
    int32_t all = 0;
    for (int32_t rank = 0; rank < ranks(); ++rank)
      all += value(rank, buffer, i);
    return all;
  }
};

INSTANTIATE_TEST_SUITE_P(RanksAndRoot, AlgorithmMemory,
                         testing::Values(Shape(1, 0), Shape(2, 0), Shape(2, 1), Shape(3, 1),
                                         Shape(5, 0), Shape(5, 3), Shape(5, 4), Shape(7, 6)));

#define BUCKETS from.count(), from.sources(), to.destinations(), from.elements()

} // namespace

TEST_P(AlgorithmMemory, of_reductions) {
  expect(
      1, 1,
      [](tutti_context *context, const Bucket &from, const Bucket &to) {
        tutti_all_reduce(context, 0, 0, TUTTI_SUM, TUTTI_I32, BUCKETS);
      },
      [&](int32_t, size_t b, int64_t i) { return sum(b, i); });
  expect(
      1, 1,
      [&](tutti_context *context, const Bucket &from, const Bucket &to) {
        tutti_reduce(context, 0, 0, TUTTI_SUM, root(), TUTTI_I32, BUCKETS);
      },
      [&](int32_t rank, size_t b, int64_t i) {
        return rank == root() ? sum(b, i) : value(rank, b, i);
      });
  expect(
      ranks(), 1,
      [](tutti_context *context, const Bucket &from, const Bucket &to) {
        tutti_reduce_scatter(context, 0, 0, TUTTI_SUM, TUTTI_I32, BUCKETS);
      },
      [&](int32_t rank, size_t b, int64_t i) { return sum(b, rank * Bucket::sizes[b] + i); });
}

TEST_P(AlgorithmMemory, of_what_goes_to_all) {
  expect(
      1, 1,
      [&](tutti_context *context, const Bucket &from, const Bucket &to) {
        tutti_broadcast(context, 0, 0, root(), TUTTI_I32, BUCKETS);
      },
      [&](int32_t, size_t b, int64_t i) { return value(root(), b, i); });
  expect(
      1, ranks(),
      [](tutti_context *context, const Bucket &from, const Bucket &to) {
        tutti_all_gather(context, 0, 0, TUTTI_I32, BUCKETS);
      },
      [](int32_t, size_t b, int64_t i) {
        return value(i / Bucket::sizes[b], b, i % Bucket::sizes[b]);
      });
  expect(
      ranks(), ranks(),
      [](tutti_context *context, const Bucket &from, const Bucket &to) {
        tutti_all_to_all(context, 0, 0, TUTTI_I32, BUCKETS);
      },
      [](int32_t rank, size_t b, int64_t i) {
        int64_t part = Bucket::sizes[b];
        return value(i / part, b, rank * part + i % part);
      });
}

TEST_P(AlgorithmMemory, of_what_goes_to_or_from_the_root) {
  expect(
      1, ranks(),
      [&](tutti_context *context, const Bucket &from, const Bucket &to) {
        tutti_gather(context, 0, 0, root(), TUTTI_I32, BUCKETS);
      },
      [&](int32_t rank, size_t b, int64_t i) {
        return rank == root() ? value(i / Bucket::sizes[b], b, i % Bucket::sizes[b]) : guard;
      });
  expect(
      ranks(), 1,
      [&](tutti_context *context, const Bucket &from, const Bucket &to) {
        tutti_scatter(context, 0, 0, root(), TUTTI_I32, BUCKETS);
      },
      [&](int32_t rank, size_t b, int64_t i) {
        return value(root(), b, rank * Bucket::sizes[b] + i);
      });
}

/// Rank r sends (r + peer) % 3 rows of two elements to each peer, so that some send nothing, and
/// leaves a row between the parts on both sides.
TEST_P(AlgorithmMemory, of_parts_with_counts_and_gaps) {
  RankThreads threads{ranks()};
  EXPECT_EQ(threads.run([&](tutti_context *context, int32_t rank) -> std::string {
    std::vector<int64_t> counts, at;
    int64_t rows = 0;
    for (int32_t peer = 0; peer < ranks(); ++peer) {
      counts.push_back((rank + peer) % 3);
      at.push_back(rows);
      rows += counts.back() + 1;
    }
    std::vector<int32_t> from(size_t(2 * rows)), to(size_t(2 * rows), guard), wanted = to;
    for (int64_t i = 0; i < 2 * rows; ++i)
      from[i] = value(rank, 0, i);
    for (int32_t peer = 0; peer < ranks(); ++peer) {
      int64_t first = 0; // of what the peer has for this rank
      for (int32_t other = 0; other < rank; ++other)
        first += (peer + other) % 3 + 1;
      for (int64_t i = 0; i < 2 * counts[peer]; ++i)
        wanted[2 * at[peer] + i] = value(peer, 0, 2 * first + i);
    }
    tutti_all_to_all_v(context, 0, 0, TUTTI_I32, 2, from.data(), rows, to.data(), rows,
                       counts.data(), at.data(), counts.data(), at.data());
    return to == wanted ? tutti_context_message(context) : "other rows";
  }),
            threads.content());
}

namespace {

int64_t steps_until_failure; ///< of rank 1, whose thread alone asks

int32_t fail_in_the_end(void *communicator, tutti_context *context, int64_t plan_entry,
                        const tutti_transfer *transfers, int64_t count) {
  if (tutti_context_rank(context) == 1 && --steps_until_failure < 0)
    return TUTTI_SYSTEM_ERROR; // and says nothing
  return thread_backend()->exchange(communicator, context, plan_entry, transfers, count);
}

} // namespace

TEST(AlgorithmFailure, at_any_step_ends_the_call_on_every_rank) {
  tutti_backend backend = *thread_backend();
  backend.exchange = fail_in_the_end;
  for (int64_t step : {0, 1}) {      // an all_reduce has two
    steps_until_failure = INT64_MAX; // while the ranks meet
    RankThreads threads{2, &backend};
    std::vector<std::string> said = threads.run([&](tutti_context *context, int32_t rank) {
      if (rank == 1)
        steps_until_failure = step;
      int32_t values[] = {1, 2, 3};
      void *memory = values;
      int64_t elements = 3;
      tutti_context_describe_plan_entry(context, 2, "all_reduce sum of w");
      tutti_all_reduce(context, 2, 0, TUTTI_SUM, TUTTI_I32, 1, &memory, &memory, &elements);
      return text(tutti_context_status(context), " ", tutti_context_message(context));
    });
    EXPECT_EQ(said[1], text(int(TUTTI_SYSTEM_ERROR),
                            " all_reduce failed on backend 'threads' (rank 1 of 2, step 0, plan "
                            "entry 2 (all_reduce sum of w))"));
    EXPECT_THAT(said[0], HasSubstr(text(int(TUTTI_PEER_FAILED), " another thread failed")));
  }
}

TEST(AlgorithmFailure, counts_that_disagree_are_named_before_rows_move) {
  RankThreads threads{3};
  std::vector<std::string> said = threads.run([](tutti_context *context, int32_t rank) {
    std::vector<int32_t> from(9, 5), to(9, guard);
    std::vector<int64_t> send = {1, 1, 1}, at = {0, 3, 6}, receive = send;
    if (rank == 2)
      receive[1] = 2; // of rank 1, which sends 1
    tutti_all_to_all_v(context, 4, 0, TUTTI_I32, 1, from.data(), 9, to.data(), 9, send.data(),
                       at.data(), receive.data(), at.data());
    bool is_moved = rank == 2 && to != std::vector<int32_t>(9, guard);
    return text(is_moved ? "moved; " : "", tutti_context_message(context));
  });
  EXPECT_EQ(said[2], "all_to_all_v: rank 1 of the group sends 1 elements, but rank 2 expects 2 "
                     "(rank 2 of 3, step 0, plan entry 4)");
}
