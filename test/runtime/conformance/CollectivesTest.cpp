// One suite for every backend: collectives give the same bits whatever the ranks, types, sizes and
// places of buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tutti/collectives.h"
#include "runtime/core/HalfPrecision.h"
#include "runtime/core/Names.h"
#include "test/runtime/RankForks.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace tutti::runtime;

namespace {

struct World {
  const char *name;
  const tutti_backend *(*backend)();
  int32_t ranks;
};

/// Stands in EXPECT for ranks, whose complaints travel as text.
#define COMPLAIN_UNLESS(condition, ...)                                                            \
  if (!(condition))                                                                                \
  return text(#condition, ": ", __VA_ARGS__)

class Collectives : public testing::TestWithParam<World> {
protected:
  int32_t ranks() const { return GetParam().ranks; }
  std::string run(const RankBody &body) const {
    RankForks forks;
    forks.ranks = ranks();
    forks.backend = GetParam().backend();
    return forks.run(body);
  }
};

/// Value of element i on a rank: sums are inexact in f32, so a wrong order shows.
float value(int32_t rank, int64_t i) { return float(rank + 1) / 3.0f + float(i % 1009) * 0.7f; }

/// The reduction as the door defines it, for one element.
float expected_sum(int32_t ranks, int64_t i) {
  float sum = value(0, i);
  for (int32_t rank = 1; rank < ranks; ++rank)
    sum += value(rank, i);
  return sum;
}

/// A buffer of floats in the backend's memory or in private memory.
float *buffer(tutti_context *context, bool is_shared, int64_t elements,
              std::vector<std::vector<float>> &keep) {
  void *memory = nullptr;
  if (is_shared) {
    tutti_context_alloc(context, elements * 4, &memory);
    return static_cast<float *>(memory);
  }
  keep.emplace_back(elements + 1); // never null, even without elements
  return keep.back().data();
}

const int64_t sizes[] = {0, 1, 3, 255, 1024, 4097, 300001};

} // namespace

TEST_P(Collectives, all_reduce_sums_in_rank_order_in_place_and_out_of_place) {
  int32_t n = ranks();
  EXPECT_EQ(
      run([n](tutti_context *context, int32_t rank) -> std::string {
        std::vector<std::vector<float>> keep;
        keep.reserve(64);
        for (bool is_shared : {true, false})
          for (bool is_in_place : {true, false})
            for (int64_t size : sizes) {
              float *source = buffer(context, is_shared, size, keep);
              float *destination = is_in_place ? source : buffer(context, is_shared, size, keep);
              for (int64_t i = 0; i < size; ++i)
                source[i] = value(rank, i);
              const void *sources[] = {source};
              void *destinations[] = {destination};
              tutti_all_reduce(context, 0, 0, TUTTI_SUM, TUTTI_F32, 1, sources, destinations,
                               &size);
              COMPLAIN_UNLESS(tutti_context_status(context) == 0, tutti_context_message(context));
              for (int64_t i = 0; i < size; ++i)
                COMPLAIN_UNLESS(destination[i] == expected_sum(n, i), "size ", size, " element ",
                                i);
              for (int64_t i = 0; i < size && !is_in_place; ++i)
                COMPLAIN_UNLESS(source[i] == value(rank, i), "source changed at ", i);
            }
        return "";
      }),
      "");
}

TEST_P(Collectives, a_bucket_gives_the_bits_of_its_buffers_alone) {
  int32_t n = ranks();
  EXPECT_EQ(run([n](tutti_context *context, int32_t rank) -> std::string {
              constexpr int64_t count = 300; // more than one round
              std::vector<std::vector<float>> keep;
              keep.reserve(count);
              std::vector<const void *> sources;
              std::vector<void *> destinations;
              std::vector<int64_t> elements;
              for (int64_t b = 0; b < count; ++b) {
                elements.push_back(b % 7 == 0 ? 0 : b * 5 % 613);
                // Every fifth buffer lies outside shared memory, on even ranks only.
                bool is_shared = b % 5 != 0 || rank % 2 == 1;
                float *memory = buffer(context, is_shared, elements[b], keep);
                for (int64_t i = 0; i < elements[b]; ++i)
                  memory[i] = value(rank, i + b);
                sources.push_back(memory);
                destinations.push_back(memory);
              }
              tutti_all_reduce(context, 0, 0, TUTTI_MEAN, TUTTI_F32, count, sources.data(),
                               destinations.data(), elements.data());
              for (int64_t b = 0; b < count; ++b)
                for (int64_t i = 0; i < elements[b]; ++i)
                  COMPLAIN_UNLESS(static_cast<float *>(destinations[b])[i] ==
                                      expected_sum(n, i + b) / float(n),
                                  "buffer ", b, " element ", i);
              return tutti_context_message(context);
            }),
            "");
}

TEST_P(Collectives, broadcast_gives_the_roots_values) {
  int32_t n = ranks();
  EXPECT_EQ(run([n](tutti_context *context, int32_t rank) -> std::string {
              std::vector<std::vector<float>> keep;
              keep.reserve(64);
              for (bool is_shared : {true, false})
                for (int64_t size : sizes)
                  for (int32_t root : {0, n - 1}) {
                    float *memory = buffer(context, is_shared, size, keep);
                    for (int64_t i = 0; i < size; ++i)
                      memory[i] = value(rank, i);
                    const void *sources[] = {memory};
                    void *destinations[] = {memory};
                    tutti_broadcast(context, 0, 0, root, TUTTI_F32, 1, sources, destinations,
                                    &size);
                    for (int64_t i = 0; i < size; ++i)
                      COMPLAIN_UNLESS(memory[i] == value(root, i), "root ", root, " element ", i);
                  }
              return tutti_context_message(context);
            }),
            "");
}

TEST_P(Collectives, all_gather_puts_parts_in_rank_order) {
  int32_t n = ranks();
  EXPECT_EQ(run([n](tutti_context *context, int32_t rank) -> std::string {
              std::vector<std::vector<float>> keep;
              keep.reserve(64);
              for (bool is_shared : {true, false})
                for (int64_t size : sizes) {
                  float *all = buffer(context, is_shared, size * n, keep);
                  float *own = all + rank * size; // in place
                  for (int64_t i = 0; i < size; ++i)
                    own[i] = value(rank, i);
                  const void *sources[] = {own};
                  void *destinations[] = {all};
                  tutti_all_gather(context, 0, 0, TUTTI_F32, 1, sources, destinations, &size);
                  for (int32_t part = 0; part < n; ++part)
                    for (int64_t i = 0; i < size; ++i)
                      COMPLAIN_UNLESS(all[part * size + i] == value(part, i), "part ", part, " of ",
                                      size);
                }
              return tutti_context_message(context);
            }),
            "");
}

TEST_P(Collectives, reduce_scatter_gives_each_rank_its_part) {
  int32_t n = ranks();
  EXPECT_EQ(run([n](tutti_context *context, int32_t rank) -> std::string {
              std::vector<std::vector<float>> keep;
              keep.reserve(64);
              for (bool is_shared : {true, false})
                for (int64_t size : sizes) {
                  float *all = buffer(context, is_shared, size * n, keep);
                  float *own = buffer(context, is_shared, size, keep);
                  for (int64_t i = 0; i < size * n; ++i)
                    all[i] = value(rank, i);
                  const void *sources[] = {all};
                  void *destinations[] = {own};
                  tutti_reduce_scatter(context, 0, 0, TUTTI_SUM, TUTTI_F32, 1, sources,
                                       destinations, &size);
                  for (int64_t i = 0; i < size; ++i)
                    COMPLAIN_UNLESS(own[i] == expected_sum(n, rank * size + i), "element ", i);
                }
              return tutti_context_message(context);
            }),
            "");
}

TEST_P(Collectives, every_type_is_summed_and_reduced) {
  int32_t n = ranks();
  EXPECT_EQ(run([n](tutti_context *context, int32_t rank) -> std::string {
              auto check = [&](auto zero, int32_t type, int32_t reduction,
                               double expected) -> std::string {
                using T = decltype(zero);
                void *memory = nullptr;
                int64_t size = 33;
                tutti_context_alloc(context, size * sizeof(T), &memory);
                for (int64_t i = 0; i < size; ++i) {
                  if constexpr (std::is_class_v<T>)
                    static_cast<T *>(memory)[i] = T::store(float(rank + 1));
                  else
                    static_cast<T *>(memory)[i] = T(rank + 1);
                }
                const void *source = memory;
                tutti_all_reduce(context, 0, 0, reduction, type, 1, &source, &memory, &size);
                for (int64_t i = 0; i < size; ++i) {
                  double got;
                  if constexpr (std::is_class_v<T>)
                    got = static_cast<T *>(memory)[i].load();
                  else
                    got = double(static_cast<T *>(memory)[i]);
                  COMPLAIN_UNLESS(got == expected, type_name(type), " ", reduction_name(reduction),
                                  " gave ", got, " not ", expected);
                }
                return "";
              };
              std::string all;
              double sum = n * (n + 1) / 2;
              auto check_type = [&](auto zero, int32_t type) {
                all += check(zero, type, TUTTI_SUM, sum);
                all += check(zero, type, TUTTI_MIN, 1);
                all += check(zero, type, TUTTI_MAX, n);
              };
              check_type(float(), TUTTI_F32);
              check_type(double(), TUTTI_F64);
              check_type(int32_t(), TUTTI_I32);
              check_type(int64_t(), TUTTI_I64);
              check_type(Float16(), TUTTI_F16);
              check_type(BFloat16(), TUTTI_BF16);
              all += check(double(), TUTTI_F64, TUTTI_MEAN, sum / n);
              return all + tutti_context_message(context);
            }),
            "");
}

TEST_P(Collectives, nobody_leaves_a_barrier_before_the_last_arrives) {
  int32_t n = ranks();
  EXPECT_EQ(run([n](tutti_context *context, int32_t rank) -> std::string {
              void *memory = nullptr;
              tutti_context_alloc(context, 4, &memory);
              for (int32_t round = 0; round < 50; ++round) {
                *static_cast<int32_t *>(memory) = round;
                tutti_barrier(context, 0, 0);
                std::vector<int32_t> all(n);
                const void *source = memory;
                void *destination = all.data();
                int64_t one = 1;
                tutti_all_gather(context, 1, 0, TUTTI_I32, 1, &source, &destination, &one);
                for (int32_t seen : all)
                  COMPLAIN_UNLESS(seen == round, "saw ", seen, " in round ", round);
              }
              return tutti_context_message(context);
            }),
            "");
}

TEST_P(Collectives, equal_plans_pass_the_exchange) {
  EXPECT_EQ(run([](tutti_context *context, int32_t) -> std::string {
              tutti_context_exchange_plan(context, "abc", "a\nb\n");
              return tutti_context_message(context);
            }),
            "");
}

static std::string world_name(const testing::TestParamInfo<World> &info) {
  return text(info.param.name, "_", info.param.ranks);
}

INSTANTIATE_TEST_SUITE_P(
    Worlds, Collectives,
    testing::Values(World{"self", tutti_backend_self, 1}, World{"shm", tutti_backend_shm, 1},
                    World{"shm", tutti_backend_shm, 2}, World{"shm", tutti_backend_shm, 3},
                    World{"shm", tutti_backend_shm, 4}, World{"shm", tutti_backend_shm, 8},
                    World{"generic", gather_only_backend, 1},
                    World{"generic", gather_only_backend, 3},
                    World{"generic", gather_only_backend, 4}),
    world_name);
