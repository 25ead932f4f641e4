// all_reduce, reduce_scatter and reduce: every type, reduction, size and place, against a plain
// reference. In rank order the bits are equal; a backend's own order may round differently.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/Names.h"
#include "test/runtime/conformance/Elements.h"
#include "test/runtime/conformance/World.h"

#include <cmath>

using namespace tutti::runtime;

namespace {

class Reductions : public Conformance {};

const int64_t sizes[] = {0, 1, 3, 255, 4097};
const int64_t large_sizes[] = {65536, 300001};

template <typename Element> constexpr bool is_reduced(int32_t reduction) {
  return Element::number != TUTTI_BOOL && (Element::is_float || reduction != TUTTI_MEAN);
}

/// Equal bits, or within a few roundings where the order is the backend's.
template <typename Element>
bool agrees(typename Element::Stored got, typename Element::Stored wanted, bool in_order) {
  if (in_order || !Element::is_float)
    return same_bits(got, wanted);
  double a = double(Element::load(got)), b = double(Element::load(wanted));
  double unit = Element::number == TUTTI_BF16 ? 0.04 : Element::number == TUTTI_F16 ? 0.005 : 1e-5;
  return std::abs(a - b) <= unit * (1 + std::abs(b));
}

template <typename Element>
std::string complain(int32_t reduction, int64_t size, int64_t i, typename Element::Stored got,
                     typename Element::Stored wanted) {
  return text(type_name(Element::number), " ", reduction_name(reduction), " of ", size,
              " elements: element ", i, " is ", double(Element::load(got)), ", not ",
              double(Element::load(wanted)), "; ");
}

/// Calls check(element type, reduction, size, is in shared memory) for each combination.
template <typename Check> std::string for_each_case(Check check) {
  return for_each_type([&](auto element) -> std::string {
    using Element = decltype(element);
    for (int32_t reduction = TUTTI_SUM; reduction <= TUTTI_PROD; ++reduction)
      for (int64_t size : sizes)
        for (bool is_shared : {true, false})
          if constexpr (Element::number != TUTTI_BOOL)
            if (is_reduced<Element>(reduction)) {
              std::string complaint = check(element, reduction, size, is_shared);
              if (!complaint.empty())
                return complaint;
            }
    return "";
  });
}

template <typename Element>
std::string check_all_reduce(tutti_context *context, int32_t reduction, int64_t size,
                             bool is_shared, bool in_place, bool in_order) {
  Memory memory(context, is_shared);
  int32_t rank = tutti_context_rank(context), ranks = tutti_context_size(context);
  auto *source = memory.filled<Element>(rank, size);
  auto *destination = in_place ? source : memory.buffer<typename Element::Stored>(size);
  const void *from = source;
  void *to = destination;
  tutti_all_reduce(context, 0, 0, reduction, Element::number, 1, &from, &to, &size);
  if (tutti_context_status(context))
    return tutti_context_message(context);
  for (int64_t i = 0; i < size; ++i) {
    auto wanted = reference<Element>(reduction, first_ranks(ranks), i);
    if (!agrees<Element>(destination[i], wanted, in_order))
      return complain<Element>(reduction, size, i, destination[i], wanted);
    if (!in_place && !same_bits(source[i], Element::value(rank, i)))
      return text("the source changed at ", i);
  }
  return tutti_context_message(context);
}

} // namespace

TEST_P(Reductions, all_reduce) {
  bool in_order = !GetParam().uses_native_reductions;
  EXPECT_EQ(run([=](tutti_context *context, int32_t) {
              return for_each_case([&](auto element, int32_t reduction, int64_t size, bool shared) {
                return check_all_reduce<decltype(element)>(context, reduction, size, shared,
                                                           size % 2 == 0, in_order);
              });
            }),
            "");
}

TEST_P(Reductions, all_reduce_of_large_buffers_in_and_out_of_place) {
  bool in_order = !GetParam().uses_native_reductions;
  EXPECT_EQ(run([=](tutti_context *context, int32_t) -> std::string {
              std::string all;
              for (int64_t size : large_sizes)
                for (bool shared : {true, false})
                  for (bool in_place : {true, false})
                    if (is_tried(size, tutti_context_size(context)))
                      all += check_all_reduce<ElementType<TUTTI_F32, float>>(
                          context, TUTTI_SUM, size, shared, in_place, in_order);
              return all;
            }),
            "");
}

TEST_P(Reductions, all_reduce_of_a_bucket_of_buffers_of_all_places) {
  using Element = ElementType<TUTTI_F32, float>;
  bool in_order = !GetParam().uses_native_reductions;
  EXPECT_EQ(run([=](tutti_context *context, int32_t rank) -> std::string {
              constexpr int64_t count = 300;
              Memory shared(context, true), own(context, false);
              std::vector<const void *> sources;
              std::vector<void *> destinations;
              std::vector<int64_t> elements;
              for (int64_t b = 0; b < count; ++b) {
                elements.push_back(b % 7 == 0 ? 0 : b * 5 % 613);
                // Every fifth buffer lies outside shared memory, on even ranks only.
                Memory &memory = b % 5 != 0 || rank % 2 == 1 ? shared : own;
                destinations.push_back(memory.filled<Element>(rank, elements[b]));
                sources.push_back(destinations[b]);
              }
              tutti_all_reduce(context, 0, 0, TUTTI_MEAN, TUTTI_F32, count, sources.data(),
                               destinations.data(), elements.data());
              auto everyone = first_ranks(tutti_context_size(context));
              for (int64_t b = 0; b < count; ++b)
                for (int64_t i = 0; i < elements[b]; ++i) {
                  float got = static_cast<float *>(destinations[b])[i];
                  float wanted = reference<Element>(TUTTI_MEAN, everyone, i);
                  COMPLAIN_UNLESS(agrees<Element>(got, wanted, in_order), "buffer ", b, " element ",
                                  i, " is ", got, ", not ", wanted);
                }
              return tutti_context_message(context);
            }),
            "");
}

TEST_P(Reductions, bits_do_not_depend_on_the_bucket) {
  if (GetParam().uses_native_reductions)
    GTEST_SKIP() << "a backend's own reductions may cut a bucket as they like";
  using Element = ElementType<TUTTI_F32, float>;
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              constexpr int64_t total = 5000;
              std::vector<float> first;
              for (int64_t limit : {1, 17, 1000, 5000}) {
                Memory memory(context, true);
                float *values = memory.filled<Element>(rank, total);
                std::vector<void *> buffers;
                std::vector<int64_t> elements;
                for (int64_t begin = 0; begin < total; begin += limit * 5) {
                  buffers.push_back(values + begin);
                  elements.push_back(std::min(limit * 5, total - begin));
                }
                tutti_all_reduce(context, 0, 0, TUTTI_SUM, TUTTI_F32, int64_t(buffers.size()),
                                 buffers.data(), buffers.data(), elements.data());
                if (first.empty())
                  first.assign(values, values + total);
                for (int64_t i = 0; i < total; ++i)
                  COMPLAIN_UNLESS(same_bits(first[i], values[i]), "limit ", limit, " element ", i);
              }
              return tutti_context_message(context);
            }),
            "");
}

TEST_P(Reductions, reduce_scatter) {
  bool in_order = !GetParam().uses_native_reductions;
  EXPECT_EQ(
      run([=](tutti_context *context, int32_t rank) {
        return for_each_case(
            [&](auto element, int32_t reduction, int64_t size, bool is_shared) -> std::string {
              using Element = decltype(element);
              Memory memory(context, is_shared);
              int32_t n = tutti_context_size(context);
              if (!is_tried(size * n, n))
                return "";
              auto *source = memory.filled<Element>(rank, size * n);
              auto *destination = size % 2 ? memory.buffer<typename Element::Stored>(size) : source;
              const void *from = source;
              void *to = destination;
              tutti_reduce_scatter(context, 0, 0, reduction, Element::number, 1, &from, &to, &size);
              if (tutti_context_status(context))
                return tutti_context_message(context);
              for (int64_t i = 0; i < size; ++i) {
                auto wanted = reference<Element>(reduction, first_ranks(n), rank * size + i);
                if (!agrees<Element>(destination[i], wanted, in_order))
                  return complain<Element>(reduction, size, i, destination[i], wanted);
              }
              return tutti_context_message(context);
            });
      }),
      "");
}

TEST_P(Reductions, reduce_gives_it_to_the_root_and_leaves_the_others_their_own) {
  bool in_order = !GetParam().uses_native_reductions;
  EXPECT_EQ(run([=](tutti_context *context, int32_t rank) {
              return for_each_case([&](auto element, int32_t reduction, int64_t size,
                                       bool is_shared) -> std::string {
                using Element = decltype(element);
                Memory memory(context, is_shared);
                int32_t n = tutti_context_size(context), root = int32_t(size % n);
                auto *source = memory.filled<Element>(rank, size);
                auto *destination =
                    size % 2 ? memory.buffer<typename Element::Stored>(size) : source;
                const void *from = source;
                void *to = destination;
                tutti_reduce(context, 0, 0, reduction, root, Element::number, 1, &from, &to, &size);
                for (int64_t i = 0; i < size; ++i) {
                  auto wanted = rank == root ? reference<Element>(reduction, first_ranks(n), i)
                                             : Element::value(rank, i);
                  if (!agrees<Element>(destination[i], wanted, in_order))
                    return complain<Element>(reduction, size, i, destination[i], wanted);
                }
                return tutti_context_message(context);
              });
            }),
            "");
}

CONFORMANCE_SUITE(Reductions);
