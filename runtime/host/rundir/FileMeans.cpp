// Elements go from who reads them to who sums them, and their means to all.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/FileMeans.h"

#include "runtime/host/program/Buffers.h"
#include "runtime/host/rundir/SavedPiece.h"
#include "runtime/support/Names.h"
#include "tutti/collectives.h"

#include <algorithm>
#include <cstring>

namespace tutti::runtime::rundir {
namespace {

constexpr int64_t most_bytes = int64_t(4) << 20; ///< that a rank reads for one round

} // namespace

Result<FileMeans> FileMeans::open(const WholeCheckpoint &checkpoint,
                                  std::vector<Averaged> variables, int32_t rank, int32_t ranks) {
  FileMeans means(std::move(variables), checkpoint.files(), rank, ranks);
  int64_t begin = rank * means.files_of_rank;
  int64_t end = std::min(means.files, begin + means.files_of_rank);
  for (const Averaged &averaged : means.variables) {
    std::vector<std::string_view> &own = means.pieces.emplace_back();
    for (int64_t file = begin; file < end; ++file) {
      auto piece = saved_piece(checkpoint, *averaged.variable, averaged.how, file);
      if (!piece)
        return Error::make(piece.error().status, "'", checkpoint.path(),
                           "': ", piece.error().message);
      own.push_back(*piece);
    }
  }
  return means;
}

Error FileMeans::take(tutti_context *context, int64_t plan_entry) const {
  for (size_t index = 0; index < variables.size(); ++index)
    take_one(context, plan_entry, index);
  if (int32_t status = tutti_context_status(context))
    return {status, tutti_context_message(context)};
  return Error::success();
}

/// In rounds, in each of which every rank sums a part of `part` elements.
void FileMeans::take_one(tutti_context *context, int64_t plan_entry, size_t index) const {
  const Averaged &averaged = variables[index];
  const worker::Variable &variable = *averaged.variable;
  int64_t size = type_bytes(variable.type);
  int64_t whole = bytes_of(variable.type, whole_of(variable)) / size;
  int64_t part = std::clamp<int64_t>(most_bytes / (size * files_of_rank * ranks), 1,
                                     std::max<int64_t>(1, (whole + ranks - 1) / ranks));
  std::memset(averaged.target, 0, size_t(averaged.count * size));
  std::vector<char> given(size_t(ranks * files_of_rank * part * size)), got(given.size());
  std::vector<char> mean(size_t(part * size)), means(size_t(ranks * part * size));
  for (int64_t begin = 0; begin < whole; begin += ranks * part) {
    gather_pieces(index, begin, part, given);
    const void *source = given.data();
    void *destination = got.data();
    int64_t elements = files_of_rank * part;
    tutti_all_to_all(context, plan_entry, TUTTI_GROUP_WORLD, variable.type, 1, &source,
                     &destination, &elements);
    average(variable, got, part, std::clamp<int64_t>(whole - begin - rank * part, 0, part), mean);
    source = mean.data();
    destination = means.data();
    tutti_all_gather(context, plan_entry, TUTTI_GROUP_WORLD, variable.type, 1, &source,
                     &destination, &part);
    int64_t from = std::max(begin, averaged.first);
    int64_t until = std::min({begin + ranks * part, whole, averaged.first + averaged.count});
    if (from < until)
      std::memcpy(static_cast<char *>(averaged.target) + (from - averaged.first) * size,
                  means.data() + (from - begin) * size, size_t((until - from) * size));
  }
}

/// For each rank the elements that it sums, from each of this rank's files.
void FileMeans::gather_pieces(size_t index, int64_t begin, int64_t part,
                              std::vector<char> &out) const {
  int64_t size = type_bytes(variables[index].variable->type);
  for (int64_t to = 0; to < ranks; ++to)
    for (size_t file = 0; file < pieces[index].size(); ++file) {
      std::string_view piece = pieces[index][file];
      int64_t first = (begin + to * part) * size;
      int64_t bytes = std::clamp<int64_t>(int64_t(piece.size()) - first, 0, part * size);
      if (bytes > 0)
        std::memcpy(out.data() + (to * files_of_rank + int64_t(file)) * part * size,
                    piece.data() + first, size_t(bytes));
    }
}

/// Of the first `count` elements of each of the `pieces`, which lie in the order of the files.
void FileMeans::average(const worker::Variable &variable, const std::vector<char> &pieces,
                        int64_t part, int64_t count, std::vector<char> &out) const {
  int64_t size = type_bytes(variable.type);
  for (int64_t i = 0; i < count; ++i) {
    double sum = 0;
    for (int64_t file = 0; file < files; ++file)
      sum += worker::read_number(variable.type, pieces.data(), file * part + i);
    worker::write_number(variable.type, out.data() + i * size, sum / double(files));
  }
}

} // namespace tutti::runtime::rundir
