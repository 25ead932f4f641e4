// Rows of a table combined with others: products, maxima, minima, and sums of what is there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Door.h"
#include "runtime/engine/kernels/NumberTypes.h"
#include "runtime/engine/kernels/PrimitiveStore.h"
#include "runtime/engine/kernels/RowIndices.h"

using namespace tutti::runtime::kernels;

namespace {

constexpr int64_t combine_parameters = 6;

/// `a` if it is no number, or is kept before `b`.
template <typename T> T largest(T a, T b) { return is_none(a) || b < a ? a : b; }
template <typename T> T smallest(T a, T b) { return is_none(a) || a < b ? a : b; }

template <typename T, typename Combine>
void combine(const RowIndices &indices, const T *rows, int64_t elements, T *table, Combine with) {
  for (int64_t i = 0; i < indices.size(); ++i) {
    int64_t row = indices[i];
    if (row == indices.unused())
      continue;
    T *to = table + row * elements;
    const T *from = rows + i * elements;
    for (int64_t e = 0; e < elements; ++e)
      to[e] = with(to[e], from[e]);
  }
}

/// Sums and products of integers wrap around.
template <typename T>
void combine(int64_t kind, const RowIndices &indices, const T *rows, int64_t elements, T *table) {
  using Wrapping = typename Wraps<T>::Type;
  switch (kind) {
  case 0:
    return combine(indices, rows, elements, table,
                   [](T a, T b) { return T(Wrapping(a) + Wrapping(b)); });
  case 1:
    return combine(indices, rows, elements, table,
                   [](T a, T b) { return T(Wrapping(a) * Wrapping(b)); });
  case 2:
    return combine(indices, rows, elements, table, largest<T>);
  case 3:
    return combine(indices, rows, elements, table, smallest<T>);
  default:
    throw std::invalid_argument("the kind is not 0, 1, 2 or 3");
  }
}

} // namespace

void tutti::runtime::door::tutti_combine_rows(tutti_context *context, void *const *buffers,
                                              const int64_t *parameters) {
  run_kernel(context, "tutti_combine_rows", parameters, combine_parameters, [&] {
    const int64_t *p = parameters;
    RowIndices indices(buffers[0], p[4], p[5], p[2], true, p + combine_parameters);
    with_number_type(p[0], [&](auto *type) {
      using T = std::remove_pointer_t<decltype(type)>;
      combine(p[1], indices, static_cast<const T *>(buffers[1]), p[3],
              static_cast<T *>(buffers[2]));
    });
  });
}
