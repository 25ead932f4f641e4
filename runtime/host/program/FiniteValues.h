// Looking for what is infinite or no number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_PROGRAM_FINITEVALUES_H
#define TUTTI_RUNTIME_HOST_PROGRAM_FINITEVALUES_H

#include <cstdint>
#include <optional>

namespace tutti::runtime::worker {

/// The index of the first of `count` elements of `type` that is infinite or no number; none if all
/// are finite, as integers are. As fast as the memory.
std::optional<int64_t> find_non_finite(int32_t type, const void *memory, int64_t count);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_PROGRAM_FINITEVALUES_H
