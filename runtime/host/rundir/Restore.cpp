// Each variable is first checked and planned, then filled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/Restore.h"

#include "runtime/host/program/Blocks.h"
#include "runtime/host/program/SavedVariables.h"
#include "runtime/host/rundir/SavedPiece.h"
#include "runtime/support/Names.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>

namespace tutti::runtime::rundir {
namespace {

using worker::Placement;
using worker::Variable;
using Shape = std::vector<int64_t>;

/// The bytes of one variable in the files of a checkpoint: one after another, as if they were one.
class Pieces {
public:
  void add(std::string_view piece) { all.push_back(piece); }
  /// A piece that nobody copies from.
  void skip(int64_t bytes) { all.push_back({nullptr, size_t(bytes)}); }
  std::string_view operator[](size_t index) const { return all[index]; }
  size_t size() const { return all.size(); }

  /// Copies `bytes` from byte `first` of the first `end` on; zeros after that.
  void copy(int64_t first, int64_t bytes, int64_t end, char *to) const {
    std::memset(to, 0, size_t(bytes));
    int64_t begin = 0, last = std::min(first + bytes, end);
    for (std::string_view piece : all) {
      int64_t from = std::max(first, begin), until = std::min(last, begin + int64_t(piece.size()));
      if (from < until)
        std::memcpy(to + (from - first), piece.data() + (from - begin), size_t(until - from));
      begin += int64_t(piece.size());
    }
  }

private:
  std::vector<std::string_view> all;
};

/// One variable of the checkpoint.
struct Saved {
  SavedPlacement how;
  Pieces pieces;
};

class Restoration {
public:
  Restoration(const WholeCheckpoint &checkpoint, const worker::Manifest &manifest,
              const worker::Buffers &buffers, int64_t rank, std::vector<std::string> &notes,
              std::vector<Averaged> &averaged)
      : checkpoint(checkpoint), manifest(manifest), buffers(buffers), rank(rank), notes(notes),
        averaged(averaged) {}

  Error run() {
    std::set<std::string> known;
    for (size_t index = 0; index < manifest.variables.size(); ++index) {
      known.insert(manifest.variables[index].name);
      if (Error error = plan(manifest.variables[index], buffers.variables[index]))
        return Error::make(error.status, "'", checkpoint.path(), "': ", error.message);
    }
    if (Error error = check_unused(known))
      return Error::make(error.status, "'", checkpoint.path(), "': ", error.message);
    for (const auto &fill : fills)
      fill();
    return Error::success();
  }

private:
  /// Whether this rank takes anything from the piece of `file`, if all are as large as rank 0's.
  bool needs(const Variable &variable, const SavedPlacement &how, int64_t file,
             int64_t bytes_of_piece) const {
    if (how.placement == Placement::per_rank) // those of which the mean is taken are dealt to ranks
      return has_piece_for_each(variable) && file == rank;
    if (variable.blocks > 0 || how.blocks > 0) // a block is in many places of the whole
      return true;
    int64_t bytes = bytes_of(variable.type, variable.shape);
    int64_t first = variable.placement == Placement::shard ? rank * bytes : 0;
    int64_t begin = file * bytes_of_piece;
    return begin < first + bytes && first < begin + bytes_of_piece;
  }

  /// Whether every rank here takes what one rank there had.
  bool has_piece_for_each(const Variable &variable) const {
    return variable.placement == Placement::per_rank && checkpoint.files() == manifest.ranks;
  }

  static bool is_averaged(const Variable &variable, const SavedPlacement &how) {
    Variable as_saved = variable;
    as_saved.kind = how.kind;
    as_saved.placement = Placement::per_rank;
    return worker::is_averaged(as_saved);
  }

  /// What the files have of a variable that this rank needs. Ranks have pieces of one size.
  Result<Saved> find(const Variable &variable, const SavedPlacement &how) const {
    Saved saved = {how, {}};
    Result<std::string_view> first = saved_piece(checkpoint, variable, how, 0);
    if (!first)
      return first.error();
    saved.pieces.add(*first);
    int64_t bytes = int64_t(first->size());
    int64_t files = how.placement == Placement::replicate ? 1 : checkpoint.files();
    if (how.blocks > 0 && (files % how.parts != 0 || files / how.parts < how.blocks))
      return of_another_program(text("variable '", variable.name, "' is in ", how.blocks, " blocks",
                                     how.parts > 1 ? text(" of ", how.parts, " parts") : "",
                                     ", of which there are ", files));
    if (how.blocks > 0 && how.parts == 1) // others have the same
      files = how.blocks;
    if (how.blocks > 0 &&
        bytes < worker::Blocks(how, checkpoint.files(), type_bytes(variable.type)).bytes())
      return of_another_program(text("variable '", variable.name, "' is in parts of ", bytes,
                                     " bytes, which are fewer than it has"));
    for (int64_t file = 1; file < files; ++file) {
      if (!needs(variable, how, file, bytes)) {
        saved.pieces.skip(bytes);
        continue;
      }
      Result<std::string_view> piece = saved_piece(checkpoint, variable, how, file);
      if (!piece)
        return piece.error();
      if (piece->size() != first->size())
        return of_another_program(text("variable '", variable.name, "' has ", piece->size(),
                                       " bytes in the file of rank ", file, ", ", first->size(),
                                       " in that of rank 0"));
      saved.pieces.add(*piece);
    }
    if (files * bytes < bytes_of(variable.type, whole_of(variable)))
      return of_another_program(text("variable '", variable.name, "' is in parts of ",
                                     files * bytes, " bytes, which are fewer than it has"));
    return saved;
  }

  Error plan(const Variable &variable, void *target) {
    const auto &known = checkpoint.state().variables;
    auto how = known.find(variable.name);
    // What only some numbers of ranks need starts anew: what each has of its own, and its counters.
    bool may_be_new = worker::has_row_per_rank(variable) ||
                      (variable.kind == "other" && checkpoint.state().ranks != manifest.ranks);
    if (how == known.end() && may_be_new) {
      lose(variable.name, 0);
      return Error::success();
    }
    if (how == known.end())
      return of_another_program(
          text("the program has a variable '", variable.name, "', which is not in the checkpoint"));
    Result<Saved> saved = find(variable, how->second);
    if (!saved)
      return saved.error();
    if (how->second.placement == Placement::per_rank && variable.blocks > 0)
      return of_another_program(text("variable '", variable.name,
                                     "' was each rank's own, and is in ",
                                     "blocks here; go on without mesh first"));
    if (how->second.placement == Placement::per_rank)
      plan_own(variable, target, std::move(*saved));
    else
      plan_whole(variable, target, std::move(*saved));
    return Error::success();
  }

  /// The same where there or here ranks have blocks: put together, and taken apart.
  void plan_blocks(const Variable &variable, char *target, Saved saved) {
    fills.push_back([=, saved = std::move(saved)] {
      int64_t bytes = bytes_of(variable.type, variable.shape);
      int64_t end = bytes_of(variable.type, whole_of(variable));
      std::vector<char> whole(size_t(end) + 1);
      if (saved.how.blocks > 0) {
        worker::Blocks blocks(saved.how, checkpoint.files(), type_bytes(variable.type));
        blocks.join([&](int64_t file) { return saved.pieces[size_t(file)].data(); }, whole.data());
      } else {
        saved.pieces.copy(0, end, end, whole.data());
      }
      if (variable.blocks > 0) {
        worker::Blocks(variable, manifest.ranks, type_bytes(variable.type))
            .take(whole.data(), rank, target);
        return;
      }
      Pieces one;
      one.add({whole.data(), size_t(end)});
      int64_t first = variable.placement == Placement::shard ? rank * bytes : 0;
      if (bytes > 0)
        one.copy(first, bytes, end, target);
    });
  }

  /// All ranks together had one value.
  void plan_whole(const Variable &variable, void *target, Saved saved) {
    if (variable.blocks > 0 || saved.how.blocks > 0)
      return plan_blocks(variable, static_cast<char *>(target), std::move(saved));
    int64_t bytes = bytes_of(variable.type, variable.shape);
    int64_t end = bytes_of(variable.type, whole_of(variable));
    int64_t first = variable.placement == Placement::shard ? rank * bytes : 0;
    fills.push_back([=, saved = std::move(saved)] {
      if (bytes > 0)
        saved.pieces.copy(first, bytes, end, static_cast<char *>(target));
    });
  }

  /// Each rank had a value.
  void plan_own(const Variable &variable, void *target, Saved saved) {
    if (has_piece_for_each(variable))
      fills.push_back([=, saved = std::move(saved)] {
        std::string_view own = saved.pieces[size_t(rank)];
        if (!own.empty())
          std::memcpy(target, own.data(), own.size());
      });
    else if (is_averaged(variable, saved.how))
      plan_mean(variable, target, saved);
    else
      lose(variable.name, saved.pieces.size());
  }

  /// All ranks take it together.
  void plan_mean(const Variable &variable, void *target, const Saved &saved) {
    notes.push_back(text("has a '", variable.name, "' of each of ", saved.pieces.size(),
                         " ranks; the run goes on with their mean"));
    int64_t count = bytes_of(variable.type, variable.shape) / type_bytes(variable.type);
    int64_t first = variable.placement == Placement::shard ? rank * count : 0;
    averaged.push_back({&variable, saved.how, target, first, count});
  }

  /// `ranks`: how many had one.
  void lose(const std::string &name, size_t ranks) {
    notes.push_back(text("has ", ranks == 0 ? "no" : text("the"), " '", name, "'",
                         ranks == 0 ? "" : text(" of each of ", ranks, " ranks"), ", this run has ",
                         manifest.ranks == 1 ? "1 rank" : text(manifest.ranks, " ranks"),
                         "; it starts anew"));
  }

  /// What a rank had of its own, and counters of the distribution, may be gone from the program.
  Error check_unused(const std::set<std::string> &known) {
    if (manifest.tables.empty()) {
      Result<std::vector<std::string>> tables = checkpoint.tables();
      if (!tables)
        return tables.error();
      if (!tables->empty())
        return of_another_program(
            text("servers held table '", tables->front(), "', which they do not here"));
    }
    for (const auto &[name, how] : checkpoint.state().variables) {
      if (known.count(name))
        continue;
      bool may_go = how.placement == Placement::per_rank || how.kind == "other";
      if (!may_go)
        return of_another_program(
            text("it has a variable '", name, "', which the program does not"));
      notes.push_back(text("has a variable '", name, "', which the program does not; it is lost"));
    }
    return Error::success();
  }

  const WholeCheckpoint &checkpoint;
  const worker::Manifest &manifest;
  const worker::Buffers &buffers;
  int64_t rank;
  std::vector<std::string> &notes;
  std::vector<Averaged> &averaged;
  std::vector<std::function<void()>> fills;
};

} // namespace

Error restore(const WholeCheckpoint &checkpoint, const worker::Manifest &manifest,
              const worker::Buffers &buffers, int64_t rank, std::vector<std::string> &out_notes,
              std::vector<Averaged> &out_averaged) {
  return Restoration(checkpoint, manifest, buffers, rank, out_notes, out_averaged).run();
}

} // namespace tutti::runtime::rundir
