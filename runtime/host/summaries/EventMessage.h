// Events of TensorBoard as protocol buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_SUMMARIES_EVENTMESSAGE_H
#define TUTTI_RUNTIME_HOST_SUMMARIES_EVENTMESSAGE_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tutti::runtime::summaries {

/// Numbers by name.
using Scalars = std::vector<std::pair<std::string, double>>;

/// The bytes of a message `Event` of tensorflow/core/util/event.proto; `wall_time` is in seconds
/// since 1970.
/// The first event of a file, which says what kind of file it is.
std::string version_event(double wall_time);
/// A run goes on with `step`: readers forget what older files say of it and what follows it.
std::string start_event(double wall_time, int64_t step);
/// What is known of a step. TensorBoard keeps 32 bits of each number.
std::string scalar_event(double wall_time, int64_t step, const Scalars &scalars);

} // namespace tutti::runtime::summaries

#endif // TUTTI_RUNTIME_HOST_SUMMARIES_EVENTMESSAGE_H
