// The mean of what the files of a checkpoint have, taken by all ranks together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUNDIR_FILEMEANS_H
#define TUTTI_RUNTIME_HOST_RUNDIR_FILEMEANS_H

#include "runtime/host/rundir/WholeCheckpoint.h"
#include "tutti/context.h"

namespace tutti::runtime::rundir {

/// A variable of which each rank that saved it had a value of its own.
struct Averaged {
  const worker::Variable *variable;
  SavedPlacement how;
  void *target;         ///< `count` elements from element `first` of the whole on, of this rank
  int64_t first, count; ///< what lies after the whole becomes zeros
};

class FileMeans {
public:
  /// Opens the files that rank `rank` of `ranks` reads: neighbours, equally many for each rank, so
  /// that M files are opened M times, and not by every rank. An error names the file.
  static Result<FileMeans> open(const WholeCheckpoint &checkpoint, std::vector<Averaged> variables,
                                int32_t rank, int32_t ranks);

  /// Fills the variables with the means of their elements, summed in the order of the files, in
  /// f64. Collective under `plan_entry`: by all ranks, with the same variables. The checkpoint must
  /// still be there.
  Error take(tutti_context *context, int64_t plan_entry) const;

private:
  FileMeans(std::vector<Averaged> variables, int64_t files, int32_t rank, int32_t ranks)
      : variables(std::move(variables)), files(files), files_of_rank((files + ranks - 1) / ranks),
        rank(rank), ranks(ranks) {}
  void take_one(tutti_context *context, int64_t plan_entry, size_t index) const;
  void gather_pieces(size_t index, int64_t begin, int64_t part, std::vector<char> &out) const;
  void average(const worker::Variable &variable, const std::vector<char> &pieces, int64_t part,
               int64_t count, std::vector<char> &out) const;

  std::vector<Averaged> variables;
  std::vector<std::vector<std::string_view>> pieces; ///< by variable: of this rank's files
  int64_t files, files_of_rank;
  int32_t rank, ranks;
};

} // namespace tutti::runtime::rundir

#endif // TUTTI_RUNTIME_HOST_RUNDIR_FILEMEANS_H
