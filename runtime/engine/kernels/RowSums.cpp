// Sums of rows by index: into a whole table, or into a list in which each row stands once. Both add
// in the order of the list and start from 0, so that they give the same bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Door.h"
#include "runtime/engine/kernels/PrimitiveStore.h"
#include "runtime/engine/kernels/RowIndices.h"

#include <algorithm>
#include <stdexcept>

using namespace tutti::runtime::kernels;

namespace {

constexpr int64_t scatter_parameters = 5, merge_parameters = 7;

/// Calls `body` with a null pointer of the element type.
template <typename Body> void with_type(int64_t type, Body body) {
  if (type == TUTTI_F32)
    return body(static_cast<float *>(nullptr));
  if (type == TUTTI_F64)
    return body(static_cast<double *>(nullptr));
  throw std::invalid_argument("the element type is neither f32 nor f64");
}

template <typename T> void add_row(T *sum, const T *row, int64_t elements) {
  for (int64_t i = 0; i < elements; ++i)
    sum[i] += row[i];
}

template <typename T>
void scatter(const RowIndices &indices, const T *rows, int64_t elements, T *table) {
  std::fill_n(table, indices.unused() * elements, T(0));
  for (int64_t i = 0; i < indices.size(); ++i)
    if (int64_t row = indices[i]; row != indices.unused())
      add_row(table + row * elements, rows + i * elements, elements);
}

/// Where an entry of a list stood.
struct Entry {
  int64_t row, position;
  bool operator<(const Entry &other) const {
    return row != other.row ? row < other.row : position < other.position;
  }
};

/// The entries that are used, by row and then in their order. The memory is the store's.
struct Order {
  Order(const RowIndices &indices, Scratch &scratch)
      : begin(reinterpret_cast<Entry *>(scratch.at_least(indices.size() * sizeof(Entry)))),
        end(begin) {
    bool is_sorted = true;
    for (int64_t i = 0; i < indices.size(); ++i) {
      int64_t row = indices[i];
      if (row == indices.unused())
        continue;
      is_sorted = is_sorted && (end == begin || end[-1].row <= row);
      *end++ = {row, i};
    }
    if (!is_sorted)
      std::sort(begin, end);
  }
  Entry *begin, *end;
};

template <typename T> struct Merged {
  void *indices;
  int64_t index_bytes;
  T *rows;
  int64_t count, elements;
};

/// Returns how many distinct rows there were.
template <typename T> int64_t sum_rows(const Order &order, const T *rows, const Merged<T> &out) {
  int64_t distinct = 0;
  for (const Entry *entry = order.begin; entry != order.end; ++distinct) {
    T *sum = out.rows + distinct * out.elements;
    int64_t row = entry->row;
    store_index(out.indices, out.index_bytes, distinct, row);
    std::fill_n(sum, out.elements, T(0));
    for (; entry != order.end && entry->row == row; ++entry)
      add_row(sum, rows + entry->position * out.elements, out.elements);
  }
  return distinct;
}

template <typename T>
void merge(const RowIndices &indices, const T *rows, const T *divisor, const Merged<T> &out,
           Scratch &scratch) {
  int64_t distinct = sum_rows(Order(indices, scratch), rows, out);
  if (divisor)
    for (int64_t i = 0; i < distinct * out.elements; ++i)
      out.rows[i] /= *divisor;
  std::fill(out.rows + distinct * out.elements, out.rows + out.count * out.elements, T(0));
  for (int64_t i = distinct; i < out.count; ++i)
    store_index(out.indices, out.index_bytes, i, indices.unused());
}

} // namespace

void tutti::runtime::door::tutti_scatter_rows(tutti_context *context, void *const *buffers,
                                              const int64_t *parameters) {
  run_kernel(context, "tutti_scatter_rows", parameters, scatter_parameters, [&] {
    const int64_t *p = parameters;
    RowIndices indices(buffers[0], p[3], p[4], p[1], true, p + scatter_parameters);
    with_type(p[0], [&](auto *type) {
      using T = std::remove_pointer_t<decltype(type)>;
      scatter(indices, static_cast<const T *>(buffers[1]), p[2], static_cast<T *>(buffers[2]));
    });
  });
}

void tutti::runtime::door::tutti_merge_rows(tutti_context *context, void *const *buffers,
                                            const int64_t *parameters) {
  run_kernel(context, "tutti_merge_rows", parameters, merge_parameters, [&] {
    const int64_t *p = parameters;
    int64_t count = p[3], count_out = p[4];
    bool divides = p[6] != 0;
    RowIndices indices(buffers[0], count, p[5], p[1], true, p + merge_parameters);
    if (count > count_out)
      throw std::invalid_argument("the result is shorter than the list");
    with_type(p[0], [&](auto *type) {
      using T = std::remove_pointer_t<decltype(type)>;
      Merged<T> out = {buffers[2 + divides], p[5], static_cast<T *>(buffers[3 + divides]),
                       count_out, p[2]};
      merge(indices, static_cast<const T *>(buffers[1]),
            divides ? static_cast<const T *>(buffers[2]) : nullptr, out,
            PrimitiveStore::of(context).scratch);
    });
  });
}
