// Signals that end a rank because of what it does: SIGSEGV, SIGBUS, SIGFPE, SIGILL. They still end
// it, but say where it was and what the likely reason is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUN_FAULTSIGNALS_H
#define TUTTI_RUNTIME_HOST_RUN_FAULTSIGNALS_H

#include "tutti/context.h"

#include <cstdint>

namespace tutti::runtime::shm {
class Segment;
}

namespace tutti::runtime::worker {

/// From now on such a signal first writes one line: the rank, the step, the kernel and the node
/// that it computes, and the file behind an address that was mapped from one. Once for a process;
/// nothing where a sanitizer has handlers of its own.
void report_faults(int64_t rank);

/// As report_faults, for a process that is no rank, and for SIGBUS only: of files that it has
/// mapped.
void report_file_faults();

/// What the line tells of; both may be null, and must live until they are replaced. With a segment,
/// the line becomes the error of the run instead, which the launcher writes.
void report_faults_of(const tutti_context *context, const shm::Segment *segment);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_RUN_FAULTSIGNALS_H
