// Element types as the suite sees them: how to make values, and a plain reference of each
// reduction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_RUNTIME_CONFORMANCE_ELEMENTS_H
#define TUTTI_TEST_RUNTIME_CONFORMANCE_ELEMENTS_H

#include "runtime/support/HalfPrecision.h"
#include "tutti/collectives.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

/// An element type of the door: what is stored, and what it is reduced in.
template <int32_t Number, typename Stored_, typename Sum_ = Stored_> struct ElementType {
  using Stored = Stored_;
  using Sum = Sum_;
  static constexpr int32_t number = Number;
  static constexpr bool is_float = std::is_floating_point_v<Sum>;

  static Sum load(Stored value) {
    if constexpr (std::is_class_v<Stored>)
      return value.load();
    else
      return value;
  }
  static Stored store(Sum value) {
    if constexpr (std::is_class_v<Stored>)
      return Stored::store(value);
    else
      return value;
  }
  /// What rank `rank` of the world has at element i. Sums of floats are inexact, so a wrong order
  /// shows; integers are small and of both signs.
  static Stored value(int32_t rank, int64_t i) {
    if constexpr (Number == TUTTI_BOOL)
      return Stored((rank + i) % 3 == 0);
    else if constexpr (is_float)
      return store(Sum(rank + 1) / Sum(3) + Sum(i % 1009) * Sum(0.007));
    else
      return Stored((rank * 3 + i) % 5 - 1);
  }
};

/// Calls use(ElementType) for every type of the door; `use` returns a complaint, the first of which
/// is returned.
template <typename Use> std::string for_each_type(Use use) {
  using tutti::runtime::BFloat16;
  using tutti::runtime::Float16;
  for (const std::string &complaint :
       {use(ElementType<TUTTI_F32, float>()), use(ElementType<TUTTI_F64, double>()),
        use(ElementType<TUTTI_F16, Float16, float>()),
        use(ElementType<TUTTI_BF16, BFloat16, float>()), use(ElementType<TUTTI_I8, int8_t>()),
        use(ElementType<TUTTI_U8, uint8_t>()), use(ElementType<TUTTI_I16, int16_t>()),
        use(ElementType<TUTTI_I32, int32_t>()), use(ElementType<TUTTI_I64, int64_t>()),
        use(ElementType<TUTTI_BOOL, bool>())})
    if (!complaint.empty())
      return complaint;
  return "";
}

/// The reduction of one element over `ranks`, in their order, as types.h defines it.
template <typename Element>
typename Element::Stored reference(int32_t reduction, const std::vector<int32_t> &ranks,
                                   int64_t i) {
  using Sum = typename Element::Sum;
  Sum result = Element::load(Element::value(ranks[0], i));
  for (size_t r = 1; r < ranks.size(); ++r) {
    Sum next = Element::load(Element::value(ranks[r], i));
    if (reduction == TUTTI_MIN)
      result = std::min(result, next);
    else if (reduction == TUTTI_MAX)
      result = std::max(result, next);
    else if constexpr (Element::is_float)
      result = reduction == TUTTI_PROD ? result * next : result + next;
    else // wraps
      result = Sum(reduction == TUTTI_PROD ? uint64_t(result) * uint64_t(next)
                                           : uint64_t(result) + uint64_t(next));
  }
  if (reduction == TUTTI_MEAN)
    result = Sum(result / Sum(ranks.size()));
  return Element::store(result);
}

template <typename T> bool same_bits(const T &a, const T &b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Buffers of one rank: in the backend's memory or in private memory, never null.
class Memory {
public:
  Memory(tutti_context *context, bool is_shared) : context(context), is_shared(is_shared) {}

  template <typename T> T *buffer(int64_t elements) {
    int64_t bytes = (elements + 1) * int64_t(sizeof(T));
    void *memory = nullptr;
    if (is_shared)
      tutti_context_alloc(context, bytes, &memory);
    if (!memory) // a context that has failed gives none, and tells why at the end of the test
      memory = keep.emplace_back(new char[size_t(bytes)]()).get();
    return static_cast<T *>(memory);
  }
  /// A buffer with the values of `rank`.
  template <typename Element> typename Element::Stored *filled(int32_t rank, int64_t elements) {
    auto *memory = buffer<typename Element::Stored>(elements);
    for (int64_t i = 0; memory && i < elements; ++i)
      memory[i] = Element::value(rank, i);
    return memory;
  }

private:
  tutti_context *context;
  bool is_shared;
  std::vector<std::unique_ptr<char[]>> keep;
};

/// Whether buffers of `size` elements are tried in a world of `ranks`: every rank looks at every
/// element of every rank, so in large worlds only small ones are.
inline bool is_tried(int64_t size, int32_t ranks) { return size <= 5000 || ranks <= 16; }

inline std::vector<int32_t> first_ranks(int32_t count) {
  std::vector<int32_t> ranks(count);
  for (int32_t rank = 0; rank < count; ++rank)
    ranks[rank] = rank;
  return ranks;
}

#endif // TUTTI_TEST_RUNTIME_CONFORMANCE_ELEMENTS_H
