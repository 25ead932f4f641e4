// Gathering what ranks hold, one variable at a time, and taking from a file what one rank holds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/Checkpoints.h"

#include "runtime/host/checkpoint/Safetensors.h"
#include "runtime/host/program/Blocks.h"
#include "runtime/host/program/HostExchange.h"
#include "runtime/host/program/SavedVariables.h"
#include "runtime/support/Names.h"
#include "tutti/collectives.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace tutti::runtime::worker {
namespace {

int64_t elements_of(const Tensor &tensor) {
  return *data::array_bytes(tensor.type, tensor.shape) / type_bytes(tensor.type);
}

Blocks blocks_of(const Variable &variable, int64_t ranks) {
  return Blocks(variable, ranks, type_bytes(variable.type));
}

/// Brings the variables to rank 0, one after another, in memory that is used again.
class Collector {
public:
  Collector(tutti_context *context, const Manifest &manifest, const Buffers &buffers)
      : context(context), manifest(manifest), buffers(buffers) {}

  /// Variable `index` as the file has it, on rank 0. Called on all ranks.
  Result<const void *> collect(size_t index) {
    const Variable &variable = manifest.variables[index];
    if (variable.placement == Placement::replicate)
      return static_cast<const void *>(buffers.variables[index]);
    int64_t parts = is_averaged(variable) ? 1 : manifest.ranks;
    whole.resize(size_t(parts * elements_of(variable) * type_bytes(variable.type)));
    const void *own = buffers.variables[index];
    void *target = whole.data();
    int64_t elements = elements_of(variable);
    int64_t entry = entry_of(manifest, HostExchange::save);
    if (is_averaged(variable))
      tutti_reduce(context, entry, TUTTI_GROUP_WORLD, TUTTI_MEAN, /*root=*/0, variable.type, 1,
                   &own, &target, &elements);
    else
      tutti_gather(context, entry, TUTTI_GROUP_WORLD, /*root=*/0, variable.type, 1, &own, &target,
                   &elements);
    buffers.let_go(index);
    if (int32_t status = tutti_context_status(context))
      return Error{status, tutti_context_message(context)};
    return static_cast<const void *>(variable.blocks > 0 ? join(variable) : whole.data());
  }

  /// The same to `sink`.
  Error give(size_t index, const checkpoint::Sink &sink) {
    Result<const void *> collected = collect(index);
    const Variable &variable = manifest.variables[index];
    if (collected)
      sink(*collected,
           size_t(*data::array_bytes(variable.type, shape_in_file(variable, manifest.ranks))));
    buffers.let_go(index);
    return collected.error();
  }

private:
  /// The whole of a variable of which each rank has given its block, or its part of one.
  const char *join(const Variable &variable) {
    Blocks blocks = blocks_of(variable, manifest.ranks);
    joined.resize(size_t(blocks.whole_bytes()));
    blocks.join([&](int64_t rank) { return whole.data() + rank * blocks.bytes(); }, joined.data());
    return joined.data();
  }

  tutti_context *context;
  const Manifest &manifest;
  const Buffers &buffers;
  std::vector<char> whole, joined;
};

/// What this rank takes from a file with tensors of `shapes`.
checkpoint::Variable wanted(const Variable &variable, void *data, int64_t rank, int64_t ranks) {
  checkpoint::Variable wanted{variable.name, variable.type, shape_in_file(variable, ranks), data};
  if (variable.blocks > 0) // of a whole that the caller has room for
    return wanted;
  if (variable.placement == Placement::shard || has_row_per_rank(variable)) {
    wanted.count = elements_of(variable);
    wanted.first = rank * wanted.count;
  }
  return wanted;
}

/// Brings tables, and the states of their optimizers, from the servers, one after another and some
/// rows at once: a table may be larger than the memory of this rank.
class TableCollector {
public:
  TableCollector(const Manifest &manifest, const TableReader &read)
      : manifest(manifest), read(read) {
    for (size_t table = 0; table < manifest.tables.size(); ++table)
      for (size_t part = 0; part < manifest.tables[table].parts(); ++part)
        parts.push_back({table, part});
  }

  /// Appends what a file has of them.
  void describe(std::vector<checkpoint::Variable> &described) const {
    for (auto [table, part] : parts) {
      const ServedTable &served = manifest.tables[table];
      described.push_back({served.part_name(part), served.type, served.part_shape(part), nullptr});
    }
  }

  /// What describe() appended as number `index`.
  Error collect(size_t index, const checkpoint::Sink &sink) const {
    auto [table, part] = parts[index];
    const ServedTable &served = manifest.tables[table];
    int64_t bytes = served.part_bytes(part), stride = served.held_bytes(), offset = 0;
    for (size_t before = 0; before < part; ++before)
      offset += served.part_bytes(before);
    std::vector<char> some(size_t(std::min(rows_at_once, served.rows()) * stride));
    for (int64_t first = 0; first < served.rows(); first += rows_at_once) {
      int64_t count = std::min(rows_at_once, served.rows() - first);
      if (Error error = read(int64_t(table), first, count, some.data()))
        return error;
      for (int64_t i = 0; i < count; ++i) // what is wanted moves to the front
        std::memmove(some.data() + i * bytes, some.data() + i * stride + offset, size_t(bytes));
      sink(some.data(), size_t(count * bytes));
    }
    return Error::success();
  }

private:
  static constexpr int64_t rows_at_once = 65536;

  const Manifest &manifest;
  const TableReader &read;
  struct Part {
    size_t table, part; ///< 0 the rows, after them the states
  };
  std::vector<Part> parts;
};

/// What a file has of the variables, and after them of the tables; as save_checkpoint writes them.
std::vector<checkpoint::Variable> describe_all(const Manifest &manifest,
                                               const TableCollector &tables) {
  std::vector<checkpoint::Variable> described;
  for (const Variable &variable : manifest.variables)
    described.push_back(
        {variable.name, variable.type, shape_in_file(variable, manifest.ranks), nullptr});
  tables.describe(described);
  return described;
}

std::string note_of_unused(const std::vector<std::string> &unused) {
  return text("has ", unused.size(), " tensors that the program does not: ", unused[0],
              unused.size() > 1 ? ", ..." : "");
}

} // namespace

Error save_checkpoint(tutti_context *context, const Manifest &manifest, const Buffers &buffers,
                      int64_t rank, const std::string &path, const TableReader &read_table) {
  Collector collector(context, manifest, buffers);
  TableCollector tables(manifest, read_table);
  size_t variables = manifest.variables.size();
  if (rank != 0) {
    for (size_t index = 0; index < variables; ++index)
      if (Result<const void *> collected = collector.collect(index); !collected)
        return collected.error();
    return Error::success();
  }
  auto source = [&](size_t index, const checkpoint::Sink &sink) {
    return index < variables ? collector.give(index, sink)
                             : tables.collect(index - variables, sink);
  };
  return checkpoint::save(path, describe_all(manifest, tables), {{"program", manifest.program}},
                          source);
}

/// Whether every slot has the size of its variable. `indices`: of all `described`, by name.
static Error check_slots(const checkpoint::Frame &frame,
                         const std::vector<checkpoint::Variable> &described,
                         const std::map<std::string, size_t> &indices) {
  auto refuse = [&](auto... parts) {
    return Error::make(TUTTI_INVALID_ARGUMENT, "cannot write '", frame.target, "': ", parts...);
  };
  for (const checkpoint::FrameSlot &slot : frame.slots) {
    auto found = indices.find(slot.variable);
    if (found == indices.end())
      return refuse("the program has no variable '", slot.variable, "'");
    const checkpoint::Variable &variable = described[found->second];
    Result<int64_t> bytes = data::array_bytes(variable.type, variable.shape);
    if (!bytes)
      return bytes.error();
    if (*bytes != slot.bytes)
      return refuse("variable '", slot.variable, "' has ", *bytes, " bytes, its place ",
                    slot.bytes);
  }
  return Error::success();
}

Error export_variables(tutti_context *context, const Manifest &manifest, const Buffers &buffers,
                       int64_t rank, const checkpoint::Frame &frame,
                       const TableReader &read_table) {
  Collector collector(context, manifest, buffers);
  TableCollector tables(manifest, read_table);
  std::vector<checkpoint::Variable> described = describe_all(manifest, tables);
  std::map<std::string, size_t> indices;
  for (size_t index = 0; index < described.size(); ++index)
    indices[described[index].name] = index;
  if (Error error = check_slots(frame, described, indices))
    return error;
  size_t variables = manifest.variables.size();
  auto source = [&](const std::string &name, const checkpoint::Sink &sink) {
    size_t index = indices.at(name);
    return index < variables ? collector.give(index, sink)
                             : tables.collect(index - variables, sink);
  };
  if (rank == 0)
    return checkpoint::write_frame(frame, source);
  for (const checkpoint::FrameSlot &slot : frame.slots)
    if (size_t index = indices.at(slot.variable); index < variables)
      if (Result<const void *> collected = collector.collect(index); !collected)
        return collected.error();
  return Error::success();
}

Error load_checkpoint(const Manifest &manifest, const Buffers &buffers, int64_t rank,
                      const std::string &path, std::vector<std::string> &out_notes) {
  auto shapes = checkpoint::read_shapes(path);
  if (!shapes)
    return shapes.error();
  std::vector<checkpoint::Variable> variables;
  std::set<std::string> left_out;             ///< of `unused`
  std::map<size_t, std::vector<char>> wholes; ///< of variables in blocks, by index
  for (size_t index = 0; index < manifest.variables.size(); ++index) {
    const Variable &variable = manifest.variables[index];
    checkpoint::Variable own = wanted(variable, buffers.variables[index], rank, manifest.ranks);
    if (variable.blocks > 0) {
      std::vector<char> &whole = wholes[index];
      whole.resize(size_t(blocks_of(variable, manifest.ranks).whole_bytes()));
      own.data = whole.data();
    }
    auto found = shapes->find(variable.name);
    bool is_there = found != shapes->end();
    if (has_row_per_rank(variable) && is_there && found->second == variable.shape)
      own = {variable.name, variable.type, variable.shape, own.data};
    else if (has_row_per_rank(variable) && (!is_there || found->second != own.shape)) {
      out_notes.push_back(text("has no '", variable.name, "' of ", manifest.ranks,
                               " ranks, each of which has its own; they start anew"));
      left_out.insert(variable.name);
      continue;
    }
    variables.push_back(std::move(own));
  }
  std::vector<std::string> unused;
  Error error = checkpoint::load(path, variables, &unused);
  for (const auto &[index, whole] : wholes)
    if (const Variable &variable = manifest.variables[index]; !error)
      blocks_of(variable, manifest.ranks)
          .take(whole.data(), rank, static_cast<char *>(buffers.variables[index]));
  for (const ServedTable &table : manifest.tables) { // servers take them
    left_out.insert(table.name);
    for (const ServedTable::State &state : table.states)
      left_out.insert(state.name);
  }
  unused.erase(std::remove_if(unused.begin(), unused.end(),
                              [&](const std::string &name) { return left_out.count(name) > 0; }),
               unused.end());
  if (!unused.empty())
    out_notes.push_back(note_of_unused(unused));
  return error;
}

} // namespace tutti::runtime::worker
