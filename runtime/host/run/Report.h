// What a person is told after a run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUN_REPORT_H
#define TUTTI_RUNTIME_HOST_RUN_REPORT_H

#include "runtime/host/program/Manifest.h"
#include "runtime/host/run/Summary.h"

#include <string>
#include <vector>

namespace tutti::runtime::worker {

/// The summary of a finished run from those of its ranks, at least one: effective batch, time in
/// computation and in communication, bytes moved, peak memory, what was dropped or repeated, and
/// the evaluation. Times are means over the ranks, so that the parts of a time add up to it; bytes
/// and memory are of the rank that has most. `checkpoint`: where the variables were to be saved,
/// `model`: the model file with them; empty: nowhere. `binding`: the
/// cores of ranks; empty: nobody knows.
std::string summary_text(const Manifest &manifest, const std::vector<RankSummary> &ranks,
                         const std::string &checkpoint = "", const std::string &model = "",
                         const std::string &binding = "");

/// "loss 0.1821 accuracy 0.9444 (360 samples)": the evaluation of `rank`; empty if there is none.
std::string evaluation_text(const Manifest &manifest, const RankSummary &rank);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_RUN_REPORT_H
