// Samples that are made when somebody asks for them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_SAMPLESOURCE_H
#define TUTTI_RUNTIME_HOST_DATA_SAMPLESOURCE_H

#include "runtime/support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::runtime::data {

/// Reads samples of arrays that do not lie in memory as they are: several columns of one file or
/// program. Sample i of an epoch is the same however often, in whatever order and on whichever rank
/// it is asked for. Used by one thread at a time.
class SampleSource {
public:
  virtual ~SampleSource() = default;

  /// The samples `rows` of an epoch, for each column all of them one after the other, in the type
  /// and shape that the array of that column has. The memory is the source's until it reads again.
  virtual Error read(int64_t epoch, const std::vector<int64_t> &rows,
                     std::vector<const char *> &out_columns) = 0;

  /// Whether samples are in files, and so the same in every epoch and quickly there: their values
  /// are then looked at before the run, and those of others when they come.
  virtual bool is_stored() const = 0;
  /// Where a sample comes from, for messages: "line 7"; empty: its number says it.
  virtual std::string place_of(int64_t /*row*/) const { return ""; }
  /// Whether samples can only be had one after the other: they are then not shuffled.
  virtual bool is_sequential() const { return false; }
};

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_SAMPLESOURCE_H
