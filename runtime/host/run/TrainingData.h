// The batches that a run trains on, from its configuration and the manifest of its program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUN_TRAININGDATA_H
#define TUTTI_RUNTIME_HOST_RUN_TRAININGDATA_H

#include "runtime/host/data/BatchLoader.h"
#include "runtime/host/program/Manifest.h"
#include "runtime/host/run/RunConfig.h"

namespace tutti::runtime::worker {

/// The batches of rank `rank`; none if the step has no inputs. Looks at all that the run will use,
/// so that what is wrong shows before the first step. `inflated` reads the arrays of .npz. Fails
/// also if the run has no end or too many steps.
Result<std::optional<data::BatchLoader>> open_training_data(const RunConfig &config,
                                                            const Manifest &manifest, int64_t rank,
                                                            data::InflatedArrays &inflated);

/// The samples that the run evaluates on, read and checked once however often it does; none if
/// there is nothing to evaluate. Fails if the program cannot be evaluated on them.
Result<std::optional<data::RowGatherer>> open_evaluation_data(const RunConfig &config,
                                                              const Manifest &manifest,
                                                              data::InflatedArrays &inflated);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_RUN_TRAININGDATA_H
