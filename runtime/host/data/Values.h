// Whether the values of an array are those that an input may have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_VALUES_H
#define TUTTI_RUNTIME_HOST_DATA_VALUES_H

#include "runtime/host/data/Dataset.h"

namespace tutti::runtime::data {

/// What is wrong with the values of `array` for `input`, if anything: the type of the input must
/// have each of them, and each must be an index that exists, where they are used as indices, or lie
/// between 0 and 1, where they are labels. An error names the array, the sample and the value, and
/// says what to do.
///
/// The values of a source that is not stored are looked at when they come: see check_read.
Error check_values(const Array &array, const InputSpec &input);

/// The same of samples that have been read just now, which lie in memory.
Error check_read(const Array &part, const InputSpec &input);

/// That labels of both classes are among `array`, if that is known before they come; an error names
/// the array and the only class.
Error check_both_classes(const Array &array, const InputSpec &input);

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_VALUES_H
