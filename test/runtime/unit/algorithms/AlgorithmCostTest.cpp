// What the generic algorithms cost: steps and bytes sent, as each file says of itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/Algorithms.h"
#include "test/runtime/CountingBackend.h"
#include "tutti/collectives.h"

#include <gtest/gtest.h>

using tutti::runtime::text;

namespace {

int64_t log2_rounded_up(int64_t ranks) {
  int64_t steps = 0;
  while ((int64_t(1) << steps) < ranks)
    ++steps;
  return steps;
}

/// A rank's buffers: large enough for `part` floats of every rank.
struct Floats {
  Floats(int32_t ranks, int64_t part)
      : in(size_t(ranks * part), 1.0f), out(size_t(ranks * part)), source(in.data()),
        destination(out.data()) {}
  std::vector<float> in, out;
  const void *source;
  void *destination;
};

class AlgorithmCost : public testing::TestWithParam<int32_t> {
protected:
  int64_t ranks() const { return GetParam(); }
  int64_t root() const { return ranks() - 1; }
  /// Bytes of `part` floats, of which every rank has one slice of `part / ranks`.
  int64_t part() const { return 12 * ranks(); }
  int64_t bytes() const { return 4 * part(); }
  RankTraffic if_any(RankTraffic expected) const { return ranks() > 1 ? expected : RankTraffic(); }

  using Call = std::function<void(tutti_context *, Floats &, const int64_t *elements)>;
  using Expected = std::function<RankTraffic(int32_t rank)>;

  void expect(const Call &call, const Expected &expected) const {
    RankThreads threads{GetParam(), counting_backend()};
    EXPECT_EQ(threads.run([&](tutti_context *context, int32_t rank) -> std::string {
      Floats floats(GetParam(), part());
      int64_t elements = part();
      traffic = {};
      call(context, floats, &elements);
      RankTraffic wanted = expected(rank);
      return traffic == wanted
                 ? tutti_context_message(context)
                 : text(traffic.steps, " steps, ", traffic.sent, " sent, ", traffic.received,
                        " received; not ", wanted.steps, ", ", wanted.sent, ", ", wanted.received);
    }),
              threads.content());
  }
};

INSTANTIATE_TEST_SUITE_P(Ranks, AlgorithmCost, testing::Values(1, 2, 3, 4, 5, 8));

} // namespace

TEST_P(AlgorithmCost, of_all_reduce_is_that_of_a_ring) {
  int64_t all = 2 * bytes() * (ranks() - 1) / ranks();
  expect(
      [](tutti_context *context, Floats &floats, const int64_t *elements) {
        tutti_all_reduce(context, 0, 0, TUTTI_SUM, TUTTI_F32, 1, &floats.source,
                         &floats.destination, elements);
      },
      [&](int32_t) {
        return if_any({2, all, all});
      });
}

TEST_P(AlgorithmCost, of_reduce_scatter_is_one_step) {
  int64_t all = bytes() * (ranks() - 1);
  expect(
      [](tutti_context *context, Floats &floats, const int64_t *elements) {
        tutti_reduce_scatter(context, 0, 0, TUTTI_SUM, TUTTI_F32, 1, &floats.source,
                             &floats.destination, elements);
      },
      [&](int32_t) {
        return if_any({1, all, all});
      });
}

TEST_P(AlgorithmCost, of_reduce_is_shared_by_all) {
  int64_t others = bytes() * (ranks() - 1) / ranks();
  expect(
      [&](tutti_context *context, Floats &floats, const int64_t *elements) {
        tutti_reduce(context, 0, 0, TUTTI_SUM, int32_t(root()), TUTTI_F32, 1, &floats.source,
                     &floats.destination, elements);
      },
      [&](int32_t rank) {
        return if_any(rank == root() ? RankTraffic{2, others, 2 * others}
                                     : RankTraffic{2, bytes(), others});
      });
}

TEST_P(AlgorithmCost, of_all_gather_and_all_to_all_is_one_step) {
  int64_t all = bytes() * (ranks() - 1);
  for (auto collective : {tutti_all_gather, tutti_all_to_all})
    expect(
        [&](tutti_context *context, Floats &floats, const int64_t *elements) {
          collective(context, 0, 0, TUTTI_F32, 1, &floats.source, &floats.destination, elements);
        },
        [&](int32_t) {
          return if_any({1, all, all});
        });
}

TEST_P(AlgorithmCost, of_gather_and_scatter_is_the_roots) {
  int64_t all = bytes() * (ranks() - 1);
  expect(
      [&](tutti_context *context, Floats &floats, const int64_t *elements) {
        tutti_gather(context, 0, 0, int32_t(root()), TUTTI_F32, 1, &floats.source,
                     &floats.destination, elements);
      },
      [&](int32_t rank) {
        return if_any(rank == root() ? RankTraffic{1, 0, all} : RankTraffic{1, bytes(), 0});
      });
  expect(
      [&](tutti_context *context, Floats &floats, const int64_t *elements) {
        tutti_scatter(context, 0, 0, int32_t(root()), TUTTI_F32, 1, &floats.source,
                      &floats.destination, elements);
      },
      [&](int32_t rank) {
        return if_any(rank == root() ? RankTraffic{1, all, 0} : RankTraffic{1, 0, bytes()});
      });
}

TEST_P(AlgorithmCost, of_broadcast_grows_with_the_logarithm) {
  expect(
      [&](tutti_context *context, Floats &floats, const int64_t *elements) {
        tutti_broadcast(context, 0, 0, int32_t(root()), TUTTI_F32, 1, &floats.source,
                        &floats.destination, elements);
      },
      [&](int32_t rank) {
        int64_t distance = (rank - root() + ranks()) % ranks(), gives = 0;
        for (int64_t reach = 1; reach < ranks(); reach *= 2)
          gives += distance < reach && distance + reach < ranks();
        EXPECT_LE(gives, log2_rounded_up(ranks()));
        int64_t takes = distance > 0;
        return RankTraffic{gives + takes, gives * bytes(), takes * bytes()};
      });
}

TEST_P(AlgorithmCost, of_a_barrier_is_a_byte_a_step) {
  int64_t steps = log2_rounded_up(ranks());
  expect([](tutti_context *context, Floats &,
            const int64_t *) { tutti_barrier(context, 0, TUTTI_GROUP_WORLD); },
         [&](int32_t) {
           return RankTraffic{steps, steps, steps};
         });
}

/// A collective that may be called on buckets; of the fifth argument on they are alike.
using BucketCall = std::function<void(tutti_context *, int64_t count, const void *const *sources,
                                      void *const *destinations, const int64_t *elements)>;

TEST_P(AlgorithmCost, of_a_bucket_has_the_steps_of_one_buffer) {
  constexpr int64_t buffers = 12;
  const BucketCall calls[] = {
      [](auto *context, auto... bucket) {
        tutti_all_reduce(context, 0, 0, TUTTI_SUM, TUTTI_F32, bucket...);
      },
      [](auto *context, auto... bucket) {
        tutti_reduce_scatter(context, 0, 0, TUTTI_SUM, TUTTI_F32, bucket...);
      },
      [](auto *context, auto... bucket) { tutti_all_gather(context, 0, 0, TUTTI_F32, bucket...); },
      [](auto *context, auto... bucket) { tutti_all_to_all(context, 0, 0, TUTTI_F32, bucket...); },
      [](auto *context, auto... bucket) {
        tutti_reduce(context, 0, 0, TUTTI_SUM, 0, TUTTI_F32, bucket...);
      },
      [](auto *context, auto... bucket) {
        tutti_broadcast(context, 0, 0, 0, TUTTI_F32, bucket...);
      },
      [](auto *context, auto... bucket) { tutti_gather(context, 0, 0, 0, TUTTI_F32, bucket...); },
      [](auto *context, auto... bucket) { tutti_scatter(context, 0, 0, 0, TUTTI_F32, bucket...); }};
  for (const BucketCall &call : calls) {
    RankThreads threads{GetParam(), counting_backend()};
    EXPECT_EQ(threads.run([&](tutti_context *context, int32_t) -> std::string {
      Floats floats(GetParam(), buffers * part());
      std::vector<const void *> sources;
      std::vector<void *> destinations;
      for (int64_t i = 0; i < buffers; ++i) {
        sources.push_back(floats.in.data() + i * part() * ranks());
        destinations.push_back(floats.out.data() + i * part() * ranks());
      }
      std::vector<int64_t> elements(buffers, part());
      int64_t all = buffers * part();
      traffic = {};
      call(context, 1, &floats.source, &floats.destination, &all);
      RankTraffic one = traffic;
      traffic = {};
      call(context, buffers, sources.data(), destinations.data(), elements.data());
      return traffic == one ? tutti_context_message(context)
                            : text(traffic.steps, " steps of a bucket, ", one.steps, " of one");
    }),
              threads.content());
  }
}

TEST_P(AlgorithmCost, of_nothing_is_nothing) {
  expect(
      [](tutti_context *context, Floats &floats, const int64_t *) {
        int64_t none[] = {0, 0};
        const void *sources[] = {floats.source, nullptr};
        void *destinations[] = {floats.destination, nullptr};
        tutti_all_reduce(context, 0, 0, TUTTI_MAX, TUTTI_F32, 2, sources, destinations, none);
        tutti_reduce_scatter(context, 0, 0, TUTTI_MAX, TUTTI_F32, 2, sources, destinations, none);
        tutti_broadcast(context, 0, 0, 0, TUTTI_F32, 2, sources, destinations, none);
        tutti_all_to_all(context, 0, 0, TUTTI_F32, 2, sources, destinations, none);
        tutti_gather(context, 0, 0, 0, TUTTI_F32, 0, nullptr, nullptr, nullptr);
      },
      [](int32_t) { return RankTraffic(); });
}

TEST(AlgorithmPieces, have_steps_of_their_own) {
  constexpr int64_t piece = int64_t(2) << 20; // floats of 8 MiB
  for (auto [elements, pieces] : {std::pair{piece, 1}, {piece + 1, 2}, {2 * piece + 1, 3}}) {
    RankThreads threads{2, counting_backend()};
    EXPECT_EQ(threads.run([&, n = elements, p = pieces](tutti_context *context, int32_t rank) {
      std::vector<float> values(static_cast<size_t>(n), float(rank + 1));
      values.back() = float(10 * rank);
      void *memory = values.data();
      traffic = {};
      tutti_all_reduce(context, 0, 0, TUTTI_SUM, TUTTI_F32, 1, &memory, &memory, &n);
      bool is_right = traffic.steps == 2 * p && values[0] == 3 && values[n - 2] == 3 &&
                      values.back() == 10 && traffic.sent + traffic.received == 8 * n;
      return is_right ? std::string()
                      : text(n, ": ", traffic.steps, " steps, ends with ", values[n - 2], ", ",
                             values.back());
    }),
              threads.content());
  }
}

TEST(Algorithms, are_there_for_all_but_messages) {
  using tutti::runtime::algorithms::find;
  for (int32_t kind = 0; kind < TUTTI_CALL_KINDS; ++kind)
    EXPECT_EQ(find(kind) == nullptr, kind == TUTTI_SEND || kind == TUTTI_RECV) << kind;
}

TEST(AllGather, of_many_ranks_doubles_in_each_step_and_is_right) {
  for (int32_t ranks : {8, 9, 12, 16, 23}) {
    RankThreads threads{ranks, counting_backend()};
    auto body = [&](tutti_context *context, int32_t rank) -> std::string {
      std::vector<int64_t> elements = {3, 0, 1}; // a bucket
      std::vector<std::vector<int32_t>> own, all;
      std::vector<const void *> sources;
      std::vector<void *> destinations;
      for (int64_t count : elements) {
        own.emplace_back(size_t(count), 100 * rank + int32_t(count));
        all.emplace_back(size_t(count * ranks), -1);
      }
      for (size_t i = 0; i < own.size(); ++i) {
        sources.push_back(own[i].data());
        destinations.push_back(all[i].data());
      }
      traffic = {};
      tutti_all_gather(context, 0, 0, TUTTI_I32, 3, sources.data(), destinations.data(),
                       elements.data());
      for (size_t i = 0; i < all.size(); ++i)
        for (size_t j = 0; j < all[i].size(); ++j)
          if (all[i][j] != int32_t(100 * (int64_t(j) / elements[i]) + elements[i]))
            return text("buffer ", i, " has ", all[i][j], " at ", j);
      int64_t steps = ranks <= 8 ? 1 : log2_rounded_up(ranks), bytes = 16 * (ranks - 1);
      return traffic == RankTraffic{steps, bytes, bytes}
                 ? tutti_context_message(context)
                 : text(traffic.steps, " steps, ", traffic.sent, " sent");
    };
    EXPECT_EQ(threads.run(body), threads.content());
  }
}

/// A bucket of parts of which the middle one goes on in other pieces, into memory of its own or in
/// place.
TEST(AlgorithmPieces, of_reduce_scatter_end_within_a_buffer) {
  constexpr int64_t piece = int64_t(1) << 20; // floats of 8 MiB, of two ranks
  const int64_t elements[] = {7, 2 * piece, 5};
  for (bool is_in_place : {false, true}) {
    RankThreads threads{2, counting_backend()};
    EXPECT_EQ(threads.run([&](tutti_context *context, int32_t rank) -> std::string {
      std::vector<float> given[3], results[3];
      const void *sources[3];
      void *destinations[3];
      for (int b = 0; b < 3; ++b) {
        for (int64_t i = 0; i < 2 * elements[b]; ++i)
          given[b].push_back(float((i + b) % 1000 * (rank + 1)));
        results[b].resize(size_t(elements[b]));
        sources[b] = given[b].data();
        destinations[b] = is_in_place ? given[b].data() : results[b].data();
      }
      traffic = {};
      tutti_reduce_scatter(context, 0, 0, TUTTI_SUM, TUTTI_F32, 3, sources, destinations, elements);
      for (int b = 0; b < 3; ++b)
        for (int64_t i = 0; i < elements[b]; ++i)
          if (float wanted = float((rank * elements[b] + i + b) % 1000 * 3);
              static_cast<float *>(destinations[b])[i] != wanted)
            return text("buffer ", b, " element ", i);
      return traffic.steps == 3 ? tutti_context_message(context) : text(traffic.steps, " steps");
    }),
              threads.content());
  }
}
