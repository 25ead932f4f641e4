// A bucket seen as one row of elements: arithmetic of slices and chunks, without ranks or memory of
// its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_CORE_BUCKET_H
#define TUTTI_RUNTIME_ENGINE_CORE_BUCKET_H

#include <algorithm>
#include <cstdint>

namespace tutti::runtime {

/// Elements begin .. end of a row.
struct Range {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
};

/// Part `index` of `parts` of `range`. Parts are multiples of `grain` elements but for the end, so
/// that two ranks do not write to one cache line, and cover the range exactly.
inline Range slice(Range range, int64_t index, int64_t parts, int64_t grain) {
  int64_t grains = (range.size() + grain - 1) / grain;
  auto edge = [&](int64_t i) {
    return std::min(range.end, range.begin + grains * i / parts * grain);
  };
  return {edge(index), edge(index + 1)};
}

/// `count` buffers one after the other; `elements` is not owned.
struct Bucket {
  int64_t count;
  const int64_t *elements;

  int64_t total() const {
    int64_t sum = 0;
    for (int64_t i = 0; i < count; ++i)
      sum += elements[i];
    return sum;
  }

  /// Calls use(buffer, offset in the buffer, position in the row, elements) for each piece of a
  /// buffer in `range`.
  template <typename Use> void for_each_piece(Range range, Use use) const {
    int64_t start = 0;
    for (int64_t i = 0; i < count && start < range.end; start += elements[i++]) {
      int64_t begin = std::max(range.begin, start);
      int64_t end = std::min(range.end, start + elements[i]);
      if (begin < end)
        use(i, begin - start, begin, end - begin);
    }
  }
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_ENGINE_CORE_BUCKET_H
