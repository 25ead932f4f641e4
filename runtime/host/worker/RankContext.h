// The context of a rank as its run wants it: which backend, and how it reaches the others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_WORKER_RANKCONTEXT_H
#define TUTTI_RUNTIME_HOST_WORKER_RANKCONTEXT_H

#include "runtime/host/run/RunConfig.h"
#include "tutti/context.h"

#include <memory>

namespace tutti::runtime::worker {

using RankContext = std::unique_ptr<tutti_context, void (*)(tutti_context *)>;

/// Blocks until all ranks have come. On an error `out_context` may hold a context that has failed.
Error open_context(const WorkerConfig &config, RankContext &out_context);

/// In its place, on a rank that will not come, as `why` says: the others, which wait for it, fail
/// with that at once. Returns when they know, or after `seconds`. Nothing happens where ranks have
/// another way to hear of it: those of one launcher, or of a backend without a meeting.
void decline_context(const WorkerConfig &config, const std::string &why, double seconds);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_WORKER_RANKCONTEXT_H
