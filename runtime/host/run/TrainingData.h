// The batches that a run trains on, from its configuration and the manifest of its program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUN_TRAININGDATA_H
#define TUTTI_RUNTIME_HOST_RUN_TRAININGDATA_H

#include "runtime/host/data/BatchLoader.h"
#include "runtime/host/program/Manifest.h"
#include "runtime/host/run/RunConfig.h"

#include <optional>

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

/// What the data of a run come to.
struct DataFacts {
  int64_t samples = 0, steps_per_epoch = 0; ///< of the training
  int64_t dropped = 0;                      ///< samples of an epoch that it leaves out
  int64_t repeated = 0;                     ///< samples of a step that several ranks have
  int64_t evaluated = 0;                    ///< samples of the evaluation
  int64_t evaluation_batch = 0;             ///< of them, those that the program takes at once
  int64_t left_out = 0; ///< of them, those that fill no batch, where a program needs whole ones
  std::optional<int64_t> steps; ///< of the whole run; none: nobody has looked
};

/// Opens all data as ranks will, so that what is wrong with them is said once, before any rank
/// starts. What is inflated for that is there for the ranks as long as `inflated` lives.
Result<DataFacts> check_data(const RunConfig &config, const Manifest &manifest,
                             data::InflatedArrays &inflated);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_RUN_TRAININGDATA_H
