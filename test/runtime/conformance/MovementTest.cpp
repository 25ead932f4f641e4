// Collectives that only move data: every type, size and place, in place where that is defined.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/Names.h"
#include "test/runtime/conformance/Elements.h"
#include "test/runtime/conformance/World.h"

using namespace tutti::runtime;

namespace {

class Movement : public Conformance {};

const int64_t sizes[] = {0, 1, 3, 1025, 70001};

/// Calls check(element type, size, memory, in place) for each combination.
template <typename Check> std::string for_each_case(tutti_context *context, Check check) {
  return for_each_type([&](auto element) -> std::string {
    for (int64_t size : sizes)
      for (bool is_shared : {true, false}) {
        if (size > 2000 && decltype(element)::number != TUTTI_F32)
          continue; // large ones cost time and add nothing
        if (!is_tried(size, tutti_context_size(context)))
          continue;
        Memory memory(context, is_shared);
        for (bool in_place : {true, false}) {
          std::string complaint = check(element, size, memory, in_place);
          if (tutti_context_status(context)) // then values mean nothing
            complaint = tutti_context_message(context);
          if (!complaint.empty())
            return text(type_name(decltype(element)::number), " x ", size, ": ", complaint);
        }
      }
    return "";
  });
}

} // namespace

TEST_P(Movement, broadcast) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) {
              return for_each_case(
                  context,
                  [&](auto element, int64_t size, Memory &memory, bool in_place) -> std::string {
                    using Element = decltype(element);
                    int32_t n = tutti_context_size(context);
                    for (int32_t root : {0, n - 1}) {
                      auto *source = memory.filled<Element>(rank, size);
                      auto *got = in_place ? source : memory.buffer<typename Element::Stored>(size);
                      const void *from = source;
                      void *to = got;
                      tutti_broadcast(context, 0, 0, root, Element::number, 1, &from, &to, &size);
                      for (int64_t i = 0; i < size; ++i)
                        COMPLAIN_UNLESS(same_bits(got[i], Element::value(root, i)), "element ", i);
                    }
                    return "";
                  });
            }),
            "");
}

TEST_P(Movement, all_gather) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) {
              return for_each_case(
                  context,
                  [&](auto element, int64_t size, Memory &memory, bool in_place) -> std::string {
                    using Element = decltype(element);
                    int32_t n = tutti_context_size(context);
                    auto *all = memory.buffer<typename Element::Stored>(size * n);
                    auto *own = in_place ? all + rank * size
                                         : memory.buffer<typename Element::Stored>(size);
                    for (int64_t i = 0; i < size; ++i)
                      own[i] = Element::value(rank, i);
                    const void *from = own;
                    void *to = all;
                    tutti_all_gather(context, 0, 0, Element::number, 1, &from, &to, &size);
                    for (int32_t part = 0; part < n; ++part)
                      for (int64_t i = 0; i < size; ++i)
                        COMPLAIN_UNLESS(same_bits(all[part * size + i], Element::value(part, i)),
                                        "part ", part, " element ", i);
                    return "";
                  });
            }),
            "");
}

TEST_P(Movement, gather) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) {
              return for_each_case(
                  context, [&](auto element, int64_t size, Memory &memory, bool) -> std::string {
                    using Element = decltype(element);
                    int32_t n = tutti_context_size(context), root = n / 2;
                    auto *own = memory.filled<Element>(rank, size);
                    auto *all = memory.filled<Element>(rank, size * n);
                    const void *from = own;
                    void *to = all;
                    tutti_gather(context, 0, 0, root, Element::number, 1, &from, &to, &size);
                    for (int32_t part = 0; part < n; ++part)
                      for (int64_t i = 0; i < size; ++i) {
                        auto wanted = rank == root ? Element::value(part, i)
                                                   : Element::value(rank, part * size + i);
                        COMPLAIN_UNLESS(same_bits(all[part * size + i], wanted), "part ", part,
                                        " element ", i);
                      }
                    return "";
                  });
            }),
            "");
}

TEST_P(Movement, scatter) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) {
              return for_each_case(
                  context, [&](auto element, int64_t size, Memory &memory, bool) -> std::string {
                    using Element = decltype(element);
                    int32_t n = tutti_context_size(context), root = n - 1;
                    auto *all = memory.filled<Element>(rank, size * n);
                    auto *own = memory.buffer<typename Element::Stored>(size);
                    const void *from = all;
                    void *to = own;
                    tutti_scatter(context, 0, 0, root, Element::number, 1, &from, &to, &size);
                    for (int64_t i = 0; i < size; ++i)
                      COMPLAIN_UNLESS(same_bits(own[i], Element::value(root, rank * size + i)),
                                      "element ", i);
                    return "";
                  });
            }),
            "");
}

TEST_P(Movement, all_to_all) {
  EXPECT_EQ(
      run([](tutti_context *context, int32_t rank) {
        return for_each_case(
            context, [&](auto element, int64_t size, Memory &memory, bool in_place) -> std::string {
              using Element = decltype(element);
              int32_t n = tutti_context_size(context);
              auto *source = memory.filled<Element>(rank, size * n);
              auto *got = in_place ? source : memory.buffer<typename Element::Stored>(size * n);
              const void *from = source;
              void *to = got;
              tutti_all_to_all(context, 0, 0, Element::number, 1, &from, &to, &size);
              for (int32_t part = 0; part < n; ++part)
                for (int64_t i = 0; i < size; ++i)
                  COMPLAIN_UNLESS(
                      same_bits(got[part * size + i], Element::value(part, rank * size + i)),
                      "part ", part, " element ", i);
              return "";
            });
      }),
      "");
}

TEST_P(Movement, buckets_of_many_buffers) {
  using Element = ElementType<TUTTI_I32, int32_t>;
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              constexpr int64_t count = 280;
              int32_t n = tutti_context_size(context);
              Memory memory(context, true);
              std::vector<const void *> sources;
              std::vector<void *> destinations;
              std::vector<int64_t> elements;
              for (int64_t b = 0; b < count; ++b) {
                elements.push_back(b % 11);
                sources.push_back(memory.filled<Element>(rank, elements[b] * n));
                destinations.push_back(memory.buffer<int32_t>(elements[b] * n));
              }
              tutti_all_to_all(context, 0, 0, TUTTI_I32, count, sources.data(), destinations.data(),
                               elements.data());
              for (int64_t b = 0; b < count; ++b)
                for (int64_t at = 0; at < elements[b] * n; ++at) {
                  int64_t part = at / elements[b], i = at % elements[b];
                  int32_t got = static_cast<int32_t *>(destinations[b])[at];
                  COMPLAIN_UNLESS(got == Element::value(int32_t(part), rank * elements[b] + i),
                                  "buffer ", b, " element ", at);
                }
              return tutti_context_message(context);
            }),
            "");
}

TEST_P(Movement, all_to_all_with_counts) {
  using Element = ElementType<TUTTI_F32, float>;
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              int32_t n = tutti_context_size(context);
              constexpr int64_t row = 3;
              // Rank r sends (r + 2 s) % 4 rows to rank s.
              auto rows_between = [](int32_t from, int32_t to) {
                return int64_t(from + 2 * to) % 4;
              };
              std::vector<int64_t> matrix, send, send_at, receive, receive_at;
              int64_t send_rows = 0, receive_rows = 0;
              for (int32_t r = 0; r < n; ++r) {
                for (int32_t s = 0; s < n; ++s)
                  matrix.push_back(rows_between(r, s));
                send.push_back(rows_between(rank, r));
                receive.push_back(rows_between(r, rank));
                send_at.push_back(send_rows);
                receive_at.push_back(receive_rows + 1); // the first row is nobody's
                send_rows += send.back();
                receive_rows += receive.back();
              }
              for (bool is_shared : {true, false})
                for (bool by_matrix : {true, false}) {
                  Memory memory(context, is_shared);
                  float *source = memory.filled<Element>(rank, send_rows * row);
                  float *got = memory.filled<Element>(99, (receive_rows + 1) * row);
                  if (by_matrix)
                    tutti_all_to_all_vc(context, 0, 0, TUTTI_F32, row, source, send_rows, got + row,
                                        receive_rows, matrix.data());
                  else
                    tutti_all_to_all_v(context, 0, 0, TUTTI_F32, row, source, send_rows, got,
                                       receive_rows + 1, send.data(), send_at.data(),
                                       receive.data(), receive_at.data());
                  for (int64_t i = 0; i < row; ++i)
                    COMPLAIN_UNLESS(got[i] == Element::value(99, i), "row 0 changed");
                  for (int32_t from = 0; from < n; ++from) {
                    int64_t sent_at = 0;
                    for (int32_t to = 0; to < rank; ++to)
                      sent_at += rows_between(from, to);
                    for (int64_t i = 0; i < receive[from] * row; ++i)
                      COMPLAIN_UNLESS(got[receive_at[from] * row + i] ==
                                          Element::value(from, sent_at * row + i),
                                      "from rank ", from, " element ", i);
                  }
                }
              return tutti_context_message(context);
            }),
            "");
}

TEST_P(Movement, nobody_leaves_a_barrier_before_the_last_arrives) {
  EXPECT_EQ(run([](tutti_context *context, int32_t) -> std::string {
              Memory memory(context, true);
              auto *value = memory.buffer<int32_t>(1);
              for (int32_t round = 0; round < 30; ++round) {
                *value = round;
                tutti_barrier(context, 0, 0);
                std::vector<int32_t> all(tutti_context_size(context));
                const void *source = value;
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

TEST_P(Movement, equal_plans_pass_the_exchange) {
  EXPECT_EQ(run([](tutti_context *context, int32_t) -> std::string {
              tutti_context_exchange_plan(context, "abc", "a\nb\n");
              return tutti_context_message(context);
            }),
            "");
}

CONFORMANCE_SUITE(Movement);
