// An array of a dataset: named, typed, row-major, read-only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_ARRAY_H
#define TUTTI_RUNTIME_HOST_DATA_ARRAY_H

#include "runtime/host/data/SampleSource.h"
#include "runtime/support/Error.h"
#include "tutti/types.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace tutti::runtime::data {

struct Array {
  std::string name;
  int32_t type = TUTTI_F32;
  std::vector<int64_t> shape;
  const char *data = nullptr;                  ///< no alignment is promised
  std::shared_ptr<const void> owner = nullptr; ///< keeps `data`
  /// Where set, there is no `data`: samples are those of its column `column`.
  std::shared_ptr<SampleSource> source = nullptr;
  size_t column = 0;
  int64_t first = 0; ///< number of the first sample, where these are a part of more
  std::shared_ptr<const SampleSource> origin = nullptr; ///< has read these samples
  std::string words = ""; ///< what its numbers stand for, in short; equal ones mean the same

  /// Samples: the first dimension; 0 for a scalar.
  int64_t rows() const { return shape.empty() ? 0 : shape[0]; }
};

/// Elements of one sample; 0 of an array without samples.
int64_t sample_elements(const Array &array);

/// The samples `rows`, where they lie one after the other in memory: `columns` is what the array's
/// source has read of them.
Array samples_read(const Array &array, int64_t rows, const std::vector<const char *> &columns);

/// Calls use(part) for parts of `array` that lie in memory, one after the other, until all have
/// been or one fails. An array without a source is one part.
template <typename Use> Error for_each_part(const Array &array, Use use);

/// The whole array in memory.
Result<Array> in_memory(const Array &array);

/// "f32 [3, 4]".
std::string describe(int32_t type, const std::vector<int64_t> &shape);

/// Bytes of a dense array, or why there is no such array: an unknown type, a negative dimension, or
/// a size that does not fit. To be asked before anything is allocated for a shape that came from a
/// file.
Result<int64_t> array_bytes(int32_t type, const std::vector<int64_t> &shape);

template <typename Use> Error for_each_part(const Array &array, Use use) {
  constexpr int64_t most = 4096; // samples
  if (!array.source)
    return use(array);
  std::vector<const char *> columns;
  for (int64_t first = 0; first < array.rows(); first += most) {
    std::vector<int64_t> rows(size_t(std::min(most, array.rows() - first)));
    std::iota(rows.begin(), rows.end(), first);
    if (Error error = array.source->read(/*epoch=*/0, rows, columns))
      return error;
    Array part = samples_read(array, int64_t(rows.size()), columns);
    part.first = first;
    if (Error error = use(part))
      return error;
  }
  return Error::success();
}

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_ARRAY_H
