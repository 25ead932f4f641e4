// What decides the numbers of a run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUN_RUNRECORD_H
#define TUTTI_RUNTIME_HOST_RUN_RUNRECORD_H

#include "runtime/host/data/BatchLoader.h"
#include "runtime/host/program/Manifest.h"
#include "runtime/host/run/RunConfig.h"

#include <map>
#include <string>
#include <vector>

namespace tutti::runtime::worker {

/// Values by key, in words: "seed" is "7". A key that is not there has its default.
using RunRecord = std::map<std::string, std::string>;

/// All that decides the numbers of a run on whatever ranks and servers: what RunConfig::decides has
/// of the program, the recipe and the distribution; hyperparameters, seed, order of the samples,
/// the instructions of code and kernels, which decide how sums round, and what is sampled of the
/// data. `loader` may be null: the step has no inputs.
RunRecord record_of(const RunConfig &config, const Manifest &manifest,
                    const data::BatchLoader *loader);

/// That, and what ranks do together beside it, so that one which does otherwise would be waited for
/// in vain: how many steps, and when they evaluate and write. `evaluation` may be null.
RunRecord agreement_of(const RunConfig &config, const Manifest &manifest,
                       const data::BatchLoader *loader, const data::RowGatherer *evaluation);

/// One "KEY: VALUE" a line.
std::string spell(const RunRecord &record);

/// Why a run of `now` does not go on from one of `saved`, unless each key in which they differ is
/// among `accepted`: an error that names the others with both values. An `is_partial` record lacks
/// keys of which nobody wrote anything down. `out_notes`: one for each key that was accepted.
Error check_same_run(const RunRecord &saved, bool is_partial, const RunRecord &now,
                     const std::vector<std::string> &accepted, std::vector<std::string> &out_notes);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_RUN_RUNRECORD_H
