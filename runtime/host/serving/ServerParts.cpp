// From tables to files and back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/serving/ServerParts.h"

#include "runtime/host/checkpoint/TypeNames.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <numeric>

namespace tutti::runtime::worker {

using rundir::RowSource;
using rundir::SavedTables;
using rundir::WholeCheckpoint;
using servers::RowLives;
using servers::RowRules;
using servers::RowStore;
using servers::TableSave;

using SavedRules = std::optional<rundir::ServerPart::Table::Rules>;

/// Those of `saved`, but for what `run` asks for.
static RowRules rules_of(const RunConfig &run, const SavedRules &saved) {
  RowRules rules;
  if (saved)
    rules = {saved->admit_after, saved->evict_after};
  if (run.server_admit_after > 0)
    rules.admit_after = run.server_admit_after;
  if (run.server_evict_after >= 0)
    rules.evict_after = run.server_evict_after;
  return rules;
}

static std::string spell(const RowRules &rules) {
  return text("--server-admit-after ", rules.admit_after, " and --server-evict-after ",
              rules.evict_after);
}

static void tell_change(const WholeCheckpoint &checkpoint, const ServedTable &table,
                        const SavedRules &saved, const RowRules &now) {
  RowRules before = rules_of(RunConfig(), saved);
  if (saved && !table.is_whole && before != now)
    std::fprintf(stderr,
                 "note: checkpoint '%s' has table '%s' with %s, the run goes on with %s; rows that "
                 "would end by that alone count as pushed in its last step\n",
                 checkpoint.path().c_str(), table.name.c_str(), spell(before).c_str(),
                 spell(now).c_str());
}

ServerParts::ServerParts(const WorkerConfig &config, const Manifest &manifest,
                         const std::vector<servers::Table *> &tables)
    : config(config), manifest(manifest), tables(tables), folder(config.run.model_dir),
      part(rundir::ServerPart::of(config.run, manifest, config.server)) {
  for (size_t table = 0; table < manifest.tables.size(); ++table)
    placements.emplace_back(manifest.tables, table, int64_t(config.run.servers.size()));
  for (size_t table = 0; table < manifest.tables.size(); ++table)
    keep_rules(table, rules_of(config.run, {}));
  for (servers::Table *table : tables)
    if (table->description()
            .is_asynchronous) // nothing else keeps workers from coming before worker 0
      table->wait_for_rows(config.run.stall_error);
}

Result<std::vector<int64_t>> ServerParts::hold() {
  std::vector<int64_t> most;
  for (servers::Table *table : tables) {
    if (!table->description().is_asynchronous)
      continue;
    std::vector<int64_t> steps = table->hold(config.run.stall_error);
    most.resize(steps.size());
    for (size_t worker = 0; worker < steps.size(); ++worker)
      most[worker] = std::max(most[worker], steps[worker]);
  }
  return most;
}

Error ServerParts::begin_save(int64_t step, const std::string &launch,
                              const std::vector<int64_t> &workers) {
  std::lock_guard<std::mutex> lock(mutex);
  if (config.run.model_dir.empty())
    return Error::make(TUTTI_INVALID_ARGUMENT, "the run has no run directory");
  writer.wait();
  part.step = step;
  part.launch = launch;
  part.workers = workers;
  for (servers::Table *table : tables)
    saves.push_back(std::make_unique<TableSave>(*table, step, aside, workers));
  rows_written = 0;
  writer.start([this] {
    problem = write();
    saves.clear();
  });
  return Error::success();
}

Result<servers::SaveProgress> ServerParts::follow_save(int64_t step, double seconds) {
  std::lock_guard<std::mutex> lock(mutex);
  bool is_done = writer.wait_for(seconds);
  if (part.step != step)
    return Error::make(TUTTI_INVALID_ARGUMENT, "no checkpoint after step ", step, " was begun");
  if (is_done && problem)
    return problem;
  return servers::SaveProgress{is_done, rows_written, text("server ", config.server)};
}

namespace {

RowSource source_of(TableSave &save, std::atomic<int64_t> &rows_written) {
  RowSource source;
  source.count = save.count();
  source.has_lives = save.has_lives();
  source.more_indices = [&save] { return save.more_indices(); };
  source.more_rows = [&save, &rows_written]() -> Result<rundir::SomeRows> {
    Result<const TableSave::Piece *> piece = save.more_rows();
    if (!piece)
      return piece.error();
    const std::vector<char> &values = (*piece)->values;
    rows_written += int64_t((*piece)->indices.size());
    return rundir::SomeRows{{values.data(), values.size()}, &(*piece)->lives};
  };
  return source;
}

/// Rows on their way into a store, many at once.
class Keeper {
public:
  explicit Keeper(RowStore &store) : store(store) {}

  /// Adds a row; the caller fills what is returned.
  Result<char *> add(int64_t row, int64_t life) {
    if (int64_t(rows.size()) == most)
      if (Error error = flush())
        return error;
    rows.push_back(row);
    lives.push_back(life);
    values.resize(rows.size() * size_t(store.whole_bytes()));
    return values.data() + values.size() - store.whole_bytes();
  }
  Error flush() {
    Error error = store.keep(rows.data(), lives.data(), int64_t(rows.size()), values.data());
    rows.clear();
    lives.clear();
    values.clear();
    return error;
  }

private:
  static constexpr int64_t most = 1024;

  RowStore &store;
  std::vector<int64_t> rows, lives;
  std::vector<char> values;
};

} // namespace

/// On the thread of the writer.
Error ServerParts::write() {
  std::vector<RowSource> sources;
  for (const std::unique_ptr<TableSave> &save : saves) {
    if (Error error = save->wait(config.run.stall_error))
      return error;
    sources.push_back(source_of(*save, rows_written));
  }
  return rundir::write_server_part(folder.part({part.step, part.server, part.servers, true}), part,
                                   manifest.tables, sources);
}

bool ServerParts::is_own(size_t table, int64_t row) const {
  return placements[table].server_of(row) == config.server;
}

Error ServerParts::load(int64_t step) {
  std::lock_guard<std::mutex> lock(mutex);
  writer.wait();
  if (step > 0)
    return load_checkpoint(step);
  return config.run.load.empty() ? load_nothing() : load_file();
}

Error ServerParts::load_checkpoint(int64_t step) {
  Result<WholeCheckpoint> checkpoint = WholeCheckpoint::open(folder, step);
  if (!checkpoint)
    return checkpoint.error();
  Result<SavedTables> saved = SavedTables::open(*checkpoint, manifest.tables);
  if (!saved)
    return saved.error();
  for (size_t i = 0; i < tables.size(); ++i) {
    if (Error error = tables[i]->restore(
            step, [&](RowStore &store) { return restore(*saved, i, step, store); },
            saved->workers()))
      return error;
    if (config.server == 0)
      tell_change(*checkpoint, manifest.tables[i], saved->rules(i), rules_for(*saved, i));
  }
  return Error::success();
}

Error ServerParts::load_nothing() {
  for (servers::Table *table : tables)
    if (Error error = table->restore(/*steps=*/0, [](RowStore &) { return Error::success(); }))
      return error;
  return Error::success();
}

/// The rules that the table had, but for those that the run was given.
RowRules ServerParts::rules_for(const SavedTables &saved, size_t table) const {
  return rules_of(config.run, saved.rules(table));
}

void ServerParts::keep_rules(size_t table, const RowRules &rules) {
  part.tables[manifest.tables[table].name].rules = {rules.admit_after, rules.evict_after};
}

Error ServerParts::restore(const SavedTables &saved, size_t table, int64_t step, RowStore &store) {
  RowRules now = rules_for(saved, table);
  bool are_told = saved.rules(table).has_value(); // else a life of 0 may be of any rules
  RowRules before = are_told ? rules_of(RunConfig(), saved.rules(table)) : now;
  if (Error error = store.set_rules(now))
    return error;
  keep_rules(table, now);
  // Where workers are in different steps rows are as old as their mean; see StepPolicy::age.
  const std::vector<int64_t> &pushes = saved.workers();
  bool has_clock =
      manifest.tables[table].is_asynchronous && int64_t(pushes.size()) == config.run.ranks;
  if (has_clock)
    step = std::accumulate(pushes.begin(), pushes.end(), int64_t(0)) / int64_t(pushes.size());
  Keeper keeper(store);
  Error error = saved.for_each_row(table, [&](const SavedTables::Row &row) {
    if (!is_own(table, row.index))
      return Error::success();
    std::optional<int64_t> life = are_told || row.life.value_or(0) != 0 ? row.life : std::nullopt;
    Result<char *> place = keeper.add(row.index, RowLives::carry(life, before, now, step));
    if (place)
      std::memcpy(*place, row.values.data(), row.values.size());
    return place.error();
  });
  return error ? error : keeper.flush();
}

namespace {

/// A table as a whole, and each of its states as a whole, as `--save` writes them.
Result<std::vector<std::string_view>> find_whole(const checkpoint::StoredFile &file,
                                                 const ServedTable &table) {
  std::vector<std::string_view> found;
  for (size_t part = 0; part < table.parts(); ++part) {
    const std::string &name = table.part_name(part);
    std::vector<int64_t> shape = table.part_shape(part);
    auto tensor = file.tensors.find(name);
    if (tensor == file.tensors.end())
      return Error::make(TUTTI_BAD_DATA, "variable '", name, "' is not in it");
    bool is_same = tensor->second.type == checkpoint::saved_type_name(table.type) &&
                   tensor->second.shape == shape &&
                   int64_t(tensor->second.data.size()) == table.rows() * table.part_bytes(part);
    if (!is_same)
      return Error::make(TUTTI_BAD_DATA, "variable '", name, "' is ",
                         data::describe(table.type, shape),
                         " in the program, and not so in the file");
    found.push_back(tensor->second.data);
  }
  return found;
}

} // namespace

Error ServerParts::load_file() {
  const std::string &path = config.run.load;
  auto file = MappedFile::open(path);
  if (!file)
    return file.error();
  auto stored = checkpoint::parse_with_metadata((*file)->bytes());
  auto refuse = [&](const Error &error) {
    return Error::make(error.status, "checkpoint '", path, "': ", error.message);
  };
  if (!stored)
    return refuse(stored.error());
  std::vector<std::vector<std::string_view>> wholes;
  for (const ServedTable &table : manifest.tables) {
    auto whole = find_whole(*stored, table);
    if (!whole)
      return refuse(whole.error());
    wholes.push_back(std::move(*whole));
  }
  for (size_t i = 0; i < tables.size(); ++i)
    if (Error error = tables[i]->restore(
            /*steps=*/0, [&](RowStore &store) { return keep_own(i, wholes[i], store); }))
      return error;
  return Error::success();
}

/// Of a table and its states as wholes. Rows that are as they begin in any case are not kept.
Error ServerParts::keep_own(size_t table, const std::vector<std::string_view> &wholes,
                            RowStore &store) const {
  const ServedTable &described = manifest.tables[table];
  std::vector<char> first(size_t(store.whole_bytes())), row(first.size());
  Keeper keeper(store);
  for (int64_t index = 0; index < described.rows(); ++index) {
    if (!is_own(table, index))
      continue;
    char *to = row.data();
    for (size_t part = 0; part < wholes.size(); to += described.part_bytes(part++)) {
      size_t bytes = size_t(described.part_bytes(part));
      std::memcpy(to, wholes[part].data() + size_t(index) * bytes, bytes);
    }
    if (Error error = store.read(/*step=*/0, &index, 1, /*states=*/true, first.data()))
      return error;
    if (first == row)
      continue;
    Result<char *> place = keeper.add(index, /*life=*/0);
    if (!place)
      return place.error();
    std::memcpy(*place, row.data(), row.size());
  }
  return keeper.flush();
}

} // namespace tutti::runtime::worker
