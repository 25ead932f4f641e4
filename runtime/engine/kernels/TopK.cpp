// The largest or smallest elements of each line of a tensor, and where they stand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Door.h"
#include "runtime/engine/kernels/NumberTypes.h"
#include "runtime/engine/kernels/PrimitiveStore.h"

#include <algorithm>
#include <numeric>

using namespace tutti::runtime::kernels;

namespace {

constexpr int64_t top_parameters = 6;

/// The parameters of tutti_top_k, named.
struct Lines {
  int64_t outer, size, inner, k;
  bool smallest;
};

/// Elements that stand `stride` apart.
template <typename T> struct Line {
  const T &operator[](int64_t i) const { return first[i * stride]; }
  const T *first;
  int64_t stride;
};

/// Whether element i of the line comes before element j: an order in which no two are equal.
template <typename T> struct Before {
  Line<T> line;
  bool smallest;
  static bool is_less(T a, T b) { return a < b || (is_none(b) && !is_none(a)); }
  bool operator()(int64_t i, int64_t j) const {
    T a = line[i], b = line[j];
    if (smallest ? is_less(a, b) : is_less(b, a))
      return true;
    return i < j && !(smallest ? is_less(b, a) : is_less(a, b));
  }
};

template <typename T>
void choose(const Lines &lines, const T *x, T *values, int64_t *indices, int64_t *order) {
  for (int64_t o = 0; o < lines.outer; ++o)
    for (int64_t i = 0; i < lines.inner; ++i) {
      Line<T> line{x + o * lines.size * lines.inner + i, lines.inner};
      std::iota(order, order + lines.size, int64_t(0));
      std::partial_sort(order, order + lines.k, order + lines.size,
                        Before<T>{line, lines.smallest});
      int64_t to = o * lines.k * lines.inner + i;
      for (int64_t rank = 0; rank < lines.k; ++rank, to += lines.inner) {
        values[to] = line[order[rank]];
        indices[to] = order[rank];
      }
    }
}

} // namespace

void tutti::runtime::door::tutti_top_k(tutti_context *context, void *const *buffers,
                                       const int64_t *parameters) {
  run_kernel(context, "tutti_top_k", parameters, top_parameters, [&] {
    const int64_t *p = parameters;
    Lines lines{p[1], p[2], p[3], p[4], p[5] != 0};
    if (lines.outer < 0 || lines.inner < 0 || lines.k < 0 || lines.k > lines.size)
      throw std::invalid_argument("a size is negative, or more elements are asked for than "
                                  "there are");
    kernels::Scratch &scratch = PrimitiveStore::of(context).scratch;
    auto *order = reinterpret_cast<int64_t *>(scratch.at_least(lines.size * sizeof(int64_t)));
    with_number_type(p[0], [&](auto *type) {
      using T = std::remove_pointer_t<decltype(type)>;
      choose(lines, static_cast<const T *>(buffers[0]), static_cast<T *>(buffers[1]),
             static_cast<int64_t *>(buffers[2]), order);
    });
  });
}
