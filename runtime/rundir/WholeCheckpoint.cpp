// Opening what a run left, of which anything may be missing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rundir/WholeCheckpoint.h"

#include "runtime/rundir/FileChecksum.h"

namespace tutti::runtime::rundir {
namespace {

using Part = WholeCheckpoint::Part;

Error bad(const std::string &path, const std::string &what) {
  return Error::make(TUTTI_BAD_DATA, "'", path, "': ", what);
}

Result<Part> open_part(const std::string &path) {
  Part part;
  part.path = path;
  auto file = MappedFile::open(path);
  if (!file)
    return file.error();
  part.file = std::move(*file);
  auto stored = checkpoint::parse_with_metadata(part.file->bytes());
  if (!stored)
    return bad(path, stored.error().message);
  part.stored = std::move(*stored);
  auto state = RunState::parse(part.stored.metadata);
  if (!state)
    return bad(path, state.error().message);
  part.state = std::move(*state);
  return Result<Part>(std::move(part));
}

/// Whether the part is that of rank `rank` in the checkpoint that `first` begins.
Error check_belongs(const Part &part, const RunState &first, int64_t step, int64_t rank) {
  const RunState &own = part.state;
  if (own.step != step || own.rank != rank || own.ranks != first.ranks)
    return bad(part.path, text("it is of rank ", own.rank, " of ", own.ranks, " at step ", own.step,
                               ", as its name does not say"));
  if (own.launch != first.launch)
    return bad(part.path, "it is of another launch than rank 0's file");
  return Error::success();
}

} // namespace

Result<WholeCheckpoint> WholeCheckpoint::open(const Folder &folder, int64_t step) {
  WholeCheckpoint whole;
  int64_t files = 1, ranks = 1;
  for (int64_t rank = 0; rank < files; ++rank) {
    Result<Part> part = open_part(folder.part({step, rank, ranks}));
    if (!part)
      return part.error();
    if (rank == 0)
      files = part->state.files, ranks = part->state.ranks;
    const RunState &first = rank == 0 ? part->state : whole.state();
    if (Error error = check_belongs(*part, first, step, rank))
      return error;
    whole.parts.push_back(std::move(*part));
  }
  return Result<WholeCheckpoint>(std::move(whole));
}

Error WholeCheckpoint::verify() const {
  for (const Part &part : parts) {
    FileChecksum sum(part.stored.metadata);
    for (const auto &[name, tensor] : part.stored.tensors)
      sum.add(name, tensor.type, tensor.shape, tensor.data);
    auto told = part.stored.metadata.find(checksum_key);
    if (told == part.stored.metadata.end() || told->second != sum.text())
      return bad(part.path, "its checksum is wrong");
  }
  return Error::success();
}

Result<std::optional<WholeCheckpoint>> find_newest(const Folder &folder,
                                                   std::vector<std::string> &out_notes) {
  auto steps = folder.parts();
  if (!steps)
    return steps.error();
  for (auto step = steps->rbegin(); step != steps->rend(); ++step) {
    Result<WholeCheckpoint> whole = WholeCheckpoint::open(folder, step->first);
    Error error = whole ? whole->verify() : whole.error();
    if (!error)
      return std::optional<WholeCheckpoint>(std::move(*whole));
    out_notes.push_back(text("the checkpoint of step ", step->first,
                             " is not whole and is skipped: ", error.message));
  }
  return std::optional<WholeCheckpoint>();
}

} // namespace tutti::runtime::rundir
