// What the door checks of a call among several ranks, and what it counts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/RankThreads.h"
#include "tutti/collectives.h"

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using testing::HasSubstr;
using tutti::runtime::text;

namespace {

constexpr int64_t largest_tag = (int64_t(1) << 28) - 1;

/// One float in and out.
struct One {
  float value = 5;
  int64_t elements = 1;
  const void *source = &value;
  void *destination = &value;
};

/// What each of three ranks says of `call`. Group 1 is ranks 2 and 0, group 2 rank 1 alone.
template <typename Use> std::vector<std::string> said_of(Use call) {
  return RankThreads{3}.run([&](tutti_context *context, int32_t) -> std::string {
    const int64_t outer[] = {2, 0}, middle[] = {1};
    tutti_create_group(context, 0, 1, 2, outer);
    tutti_create_group(context, 0, 2, 1, middle);
    One one;
    call(context, one);
    return tutti_context_message(context);
  });
}

tutti_counters counters_of(const tutti_context *context) {
  tutti_counters counters = {};
  tutti_context_counters(context, &counters);
  return counters;
}

} // namespace

TEST(Call, has_a_root_that_is_in_its_group) {
  using Rooted = void (*)(tutti_context *, int64_t, int64_t, int32_t, int32_t, int64_t,
                          const void *const *, void *const *, const int64_t *);
  for (auto [name, call] : {std::pair<const char *, Rooted>{"broadcast", tutti_broadcast},
                            {"gather", tutti_gather},
                            {"scatter", tutti_scatter}})
    for (int32_t root : {-1, 3, INT32_MAX})
      for (const std::string &said : said_of([&, c = call](tutti_context *context, One &one) {
             c(context, 0, 0, root, TUTTI_F32, 1, &one.source, &one.destination, &one.elements);
           }))
        EXPECT_THAT(said, HasSubstr(text(name, ": root ", root, " is not one of 3 ranks")));
  for (const std::string &said : said_of([&](tutti_context *context, One &one) {
         tutti_reduce(context, 0, 0, TUTTI_SUM, 3, TUTTI_F32, 1, &one.source, &one.destination,
                      &one.elements);
       }))
    EXPECT_THAT(said, HasSubstr("reduce: root 3 is not one of 3 ranks"));
}

TEST(Call, of_a_group_is_nothing_to_those_outside) {
  std::vector<std::string> said = said_of([](tutti_context *context, One &one) {
    tutti_broadcast(context, 0, 1, 2, TUTTI_F32, 1, &one.source, &one.destination, &one.elements);
  });
  for (int rank : {0, 2})
    EXPECT_THAT(said[rank], HasSubstr("root 2 is not one of 2 ranks"));
  EXPECT_EQ(said[1], "");
  said = said_of([](tutti_context *context, One &one) {
    void *nowhere = nullptr;
    tutti_all_gather(context, 0, 2, 77, 1, &one.source, &nowhere, &one.elements);
    if (tutti_context_rank(context) != 1 && counters_of(context).collectives != 0)
      tutti_context_fail(context, TUTTI_BAD_DATA, "it is counted");
  });
  EXPECT_THAT(said[1], HasSubstr("all_gather: element type 77 is unknown"));
  EXPECT_EQ(said[0] + said[2], "");
}

TEST(Call, has_a_peer_within_the_group_and_a_tag_that_every_library_takes) {
  struct Case {
    int32_t peer;
    int64_t tag;
    const char *complaint;
  };
  for (const Case &bad :
       {Case{-1, 0, "peer -1 is not one of 3 ranks"}, Case{3, 0, "peer 3 is not one of 3 ranks"},
        Case{0, -1, "tag -1 is not one of 0 to 268435455"},
        Case{0, largest_tag + 1, "tag 268435456 is not one of 0 to 268435455"}}) {
    for (bool sends : {true, false}) {
      std::vector<std::string> said = said_of([&](tutti_context *context, One &one) {
        if (tutti_context_rank(context) != 1)
          return;
        if (sends)
          tutti_send(context, 0, 0, bad.peer, bad.tag, TUTTI_F32, 1, &one.source, &one.elements);
        else
          tutti_recv(context, 0, 0, bad.peer, bad.tag, TUTTI_F32, 1, &one.destination,
                     &one.elements);
      });
      EXPECT_THAT(said[1], HasSubstr(text(sends ? "send: " : "recv: ", bad.complaint)));
    }
  }
  // Ranks 2 and 0 of the world are 0 and 1 of group 1; both ends of the range of tags are taken.
  EXPECT_EQ(said_of([](tutti_context *context, One &one) {
              for (int64_t tag : {int64_t(0), largest_tag}) {
                one.value = tutti_context_rank(context) == 2 ? float(tag + 1) : 0;
                if (tutti_context_rank(context) == 2)
                  tutti_send(context, 0, 1, 1, tag, TUTTI_F32, 1, &one.source, &one.elements);
                if (tutti_context_rank(context) == 0)
                  tutti_recv(context, 0, 1, 0, tag, TUTTI_F32, 1, &one.destination, &one.elements);
                if (tutti_context_rank(context) == 0 && one.value != float(tag + 1))
                  tutti_context_fail(context, TUTTI_BAD_DATA, "another value");
              }
            }),
            std::vector<std::string>(3));
}

TEST(Call, names_the_buffer_of_a_bucket_that_is_wrong) {
  float values[4] = {};
  const void *sources[] = {values, nullptr, values};
  void *destinations[] = {values, values, nullptr};
  struct Case {
    std::vector<int64_t> elements;
    const char *complaint;
  };
  for (const Case &bad : {Case{{1, 1, 0}, "buffer 1 is null"}, Case{{1, 0, 1}, "buffer 2 is null"},
                          Case{{1, -3, 1}, "buffer 1 has -3 elements"}}) {
    std::vector<std::string> said =
        RankThreads{1}.run([&](tutti_context *context, int32_t) -> std::string {
          tutti_all_reduce(context, 9, 0, TUTTI_SUM, TUTTI_F32, 3, sources, destinations,
                           bad.elements.data());
          return tutti_context_message(context);
        });
    EXPECT_EQ(said[0], text("all_reduce: ", bad.complaint, " (rank 0 of 1, step 0, plan entry 9)"));
  }
  RankThreads alone{1};
  EXPECT_EQ(alone.run([&](tutti_context *context, int32_t) -> std::string {
    const int64_t only_the_first[] = {4, 0, 0}; // nothing is asked of the null ones
    tutti_all_reduce(context, 9, 0, TUTTI_SUM, TUTTI_F32, 3, sources, destinations, only_the_first);
    return tutti_context_message(context);
  }),
            alone.content());
}

TEST(Call, counts_the_payload_of_its_type) {
  RankThreads threads{2};
  EXPECT_EQ(threads.run([](tutti_context *context, int32_t rank) -> std::string {
    std::vector<char> in(256), out(256);
    const void *sources[] = {in.data(), in.data() + 128};
    void *destinations[] = {out.data(), out.data() + 128};
    const int64_t elements[] = {3, 5};
    int64_t bytes = 0, calls = 0;
    for (int32_t type = TUTTI_F16; type <= TUTTI_BOOL; ++type) {
      tutti_all_gather(context, 0, 0, type, 2, sources, destinations, elements);
      bytes += 8 * tutti_type_bytes(type);
      tutti_counters now = counters_of(context);
      if (now.bytes != bytes || now.collectives != ++calls)
        return text(tutti_type_name(type), ": ", now.bytes, " bytes of ", bytes);
    }
    const int64_t counts[] = {1, 2, 0, 3}; // rank 0 sends 1 + 2 rows, rank 1 none and 3
    tutti_all_to_all_vc(context, 0, 0, TUTTI_F64, 2, in.data(), 16, out.data(), 16, counts);
    tutti_barrier(context, 0, 0);
    tutti_counters now = counters_of(context);
    return now.bytes == bytes + 3 * 2 * 8 && now.collectives == calls + 2
               ? tutti_context_message(context)
               : text("rank ", rank, ": ", now.bytes - bytes, " bytes of rows");
  }),
            threads.content());
}

TEST(Call, that_is_refused_is_not_counted) {
  std::atomic<int64_t> counted{0};
  for (const std::string &said : said_of([&](tutti_context *context, One &one) {
         tutti_all_reduce(context, 0, 3, TUTTI_SUM, TUTTI_F32, 1, &one.source, &one.destination,
                          &one.elements);
         tutti_barrier(context, 0, 0);
         counted += counters_of(context).collectives + counters_of(context).bytes;
       }))
    EXPECT_THAT(said, HasSubstr("all_reduce: group 3 does not exist"));
  EXPECT_EQ(counted, 0);
}

TEST(Call, with_a_matrix_of_counts_gives_each_rank_its_row_and_column) {
  RankThreads threads{3};
  EXPECT_EQ(threads.run([](tutti_context *context, int32_t rank) -> std::string {
    const int64_t counts[] = {1, 0, 2, 0, 0, 3, 2, 1, 0}; // [from][to]
    std::vector<int32_t> in, out(5, -1), wanted;
    for (int32_t to = 0; to < 3; ++to)
      in.insert(in.end(), size_t(counts[3 * rank + to]), 10 * rank + to);
    for (int32_t from = 0; from < 3; ++from)
      wanted.insert(wanted.end(), size_t(counts[3 * from + rank]), 10 * from + rank);
    int64_t rows = int64_t(wanted.size());
    wanted.resize(5, -1);
    tutti_all_to_all_vc(context, 0, 0, TUTTI_I32, 1, in.data(), int64_t(in.size()), out.data(),
                        rows, counts);
    return out == wanted ? tutti_context_message(context) : "other rows";
  }),
            threads.content());
  // One row less than the column asks for.
  std::vector<std::string> said = said_of([](tutti_context *context, One &) {
    const int64_t counts[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    float in[3] = {}, out[3] = {};
    tutti_all_to_all_vc(context, 0, 0, TUTTI_F32, 1, in, 3, out, 2, counts);
  });
  for (const std::string &one : said)
    EXPECT_THAT(one, HasSubstr("from rank 2: 1 rows from row 2 of a buffer of 2"));
  said = said_of([](tutti_context *context, One &one) {
    const int64_t none[9] = {};
    tutti_all_to_all_vc(context, 0, 0, TUTTI_F32, -1, one.source, 0, one.destination, 0, none);
  });
  EXPECT_THAT(said[0], HasSubstr("rows of -1 elements"));
}

TEST(Groups, are_asked_from_any_rank) {
  RankThreads threads{3};
  EXPECT_EQ(threads.run([](tutti_context *context, int32_t rank) -> std::string {
    const int64_t outer[] = {2, 0}, turned[] = {1, 2, 0};
    tutti_create_group(context, 0, 1, 2, outer);
    tutti_create_group(context, 0, 7, 3, turned);
    const int64_t own[] = {1, -1, 0}, own_turned[] = {2, 0, 1};
    bool is_known =
        tutti_group_rank(context, 1) == own[rank] &&
        tutti_group_size(context, 1) == (rank == 1 ? 0 : 2) &&
        tutti_group_rank(context, 7) == own_turned[rank] &&
        tutti_translate_rank(context, 1, 0, 0) == 2 &&
        tutti_translate_rank(context, 7, 0, 1) == -1 && // rank 1 is not in group 1
        tutti_translate_rank(context, 7, 1, 1) == 0 &&
        tutti_translate_rank(context, 1, 2, 7) == -1 && // group 1 has two
        std::string(tutti_context_group_backend(context, 1)) == (rank == 1 ? "" : "threads");
    tutti_destroy_group(context, 0, 1);
    is_known &= tutti_group_rank(context, 1) == -1 && tutti_translate_rank(context, 1, 0, 0) == -1;
    tutti_create_group(context, 0, 1, 1, turned); // the number is free for other members
    is_known &= tutti_group_size(context, 1) == (rank == 1 ? 1 : 0);
    return is_known ? tutti_context_message(context) : text("rank ", rank, " knows another group");
  }),
            threads.content());
}
