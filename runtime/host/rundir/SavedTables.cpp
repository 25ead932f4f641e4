// Finding rows in the files of servers, which may say anything.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/SavedTables.h"

#include "runtime/host/checkpoint/TypeNames.h"
#include "runtime/host/data/Array.h"
#include "runtime/support/Names.h"

#include <cstring>
#include <set>

namespace tutti::runtime::rundir {
namespace {

using ServerFile = WholeCheckpoint::ServerFile;

std::string list(const std::vector<std::string> &names) {
  std::string out;
  for (const std::string &name : names)
    out += (out.empty() ? "'" : ", '") + name + "'";
  return out.empty() ? "no states" : "the states " + out;
}

std::vector<std::string> states_of(const worker::ServedTable &table) {
  std::vector<std::string> names;
  for (const worker::ServedTable::State &state : table.states)
    names.push_back(state.name);
  return names;
}

/// Whether the file speaks of the table as the program does.
Error check_described(const ServerPart &part, const worker::ServedTable &table) {
  auto found = part.tables.find(table.name);
  if (found == part.tables.end())
    return Error::make(TUTTI_BAD_DATA, "it is of another program: table '", table.name,
                       "' is not in it");
  if (found->second.rows != table.rows())
    return Error::make(TUTTI_BAD_DATA, "it is of another program: table '", table.name, "' has ",
                       table.rows(), " rows in the program, ", found->second.rows,
                       " in the checkpoint");
  if (found->second.states != states_of(table))
    return Error::make(TUTTI_BAD_DATA, "it is of another program: table '", table.name, "' has ",
                       list(states_of(table)), " in the program, ", list(found->second.states),
                       " in the checkpoint");
  return Error::success();
}

/// Whether a tensor of the file is there, of this type and shape, and has their bytes.
Result<std::string_view> find_tensor(const ServerFile &file, const std::string &name, int32_t type,
                                     const std::vector<int64_t> &shape) {
  auto found = file.stored.tensors.find(name);
  if (found == file.stored.tensors.end())
    return Error::make(TUTTI_BAD_DATA, "tensor '", name, "' is not in it");
  const checkpoint::StoredTensor &tensor = found->second;
  Result<int64_t> bytes = data::array_bytes(type, shape);
  if (tensor.type != checkpoint::saved_type_name(type) || tensor.shape != shape || !bytes ||
      *bytes != int64_t(tensor.data.size()))
    return Error::make(TUTTI_BAD_DATA, "tensor '", name, "' is not ", data::describe(type, shape));
  return tensor.data;
}

int64_t count_of(const ServerFile &file, const worker::ServedTable &table) {
  auto found = file.stored.tensors.find("index." + table.name);
  bool is_list = found != file.stored.tensors.end() && found->second.shape.size() == 1;
  return is_list ? found->second.shape[0] : 0;
}

} // namespace

/// The number at place `at`, whatever the alignment.
static int64_t number_of(std::string_view numbers, int64_t at) {
  int64_t number;
  std::memcpy(&number, numbers.data() + size_t(at) * sizeof number, sizeof number);
  return number;
}

Result<SavedTables::Part> SavedTables::find(const ServerFile &file,
                                            const worker::ServedTable &table) {
  if (Error error = check_described(file.part, table))
    return error;
  int64_t count = count_of(file, table);
  std::vector<int64_t> shape = {count, table.held_bytes() / type_bytes(table.type)};
  Result<std::string_view> indices = find_tensor(file, "index." + table.name, TUTTI_I64, {count});
  if (!indices)
    return indices.error();
  Result<std::string_view> rows = find_tensor(file, "rows." + table.name, table.type, shape);
  if (!rows)
    return rows.error();
  Part part = {*indices, *rows, {}};
  if (file.stored.tensors.count("lives." + table.name)) {
    Result<std::string_view> lives = find_tensor(file, "lives." + table.name, TUTTI_I64, {count});
    if (!lives)
      return lives.error();
    part.lives = *lives;
  }
  return part;
}

namespace {

/// Counts the rows of one table over all files.
class Census {
public:
  explicit Census(const worker::ServedTable &table) : table(table), seen(size_t(table.rows())) {}

  /// `index` comes after `before` in the same file.
  Error add(int64_t before, int64_t index) {
    if (index < 0 || index >= table.rows())
      return Error::make(TUTTI_BAD_DATA, "it has row ", index, " of table '", table.name,
                         "', which has ", table.rows());
    if (index <= before)
      return Error::make(TUTTI_BAD_DATA, "row ", index, " of table '", table.name,
                         "' comes after row ", before);
    if (seen[size_t(index)])
      return Error::make(TUTTI_BAD_DATA, "row ", index, " of table '", table.name,
                         "' is in the file of another server, too");
    seen[size_t(index)] = true;
    return Error::success();
  }

private:
  const worker::ServedTable &table;
  std::vector<bool> seen;
};

} // namespace

/// Whether the program has all tables that the checkpoint has.
static Error check_unused(const WholeCheckpoint &checkpoint,
                          const std::vector<worker::ServedTable> &tables) {
  std::set<std::string> known;
  for (const worker::ServedTable &table : tables)
    known.insert(table.name);
  for (const ServerFile &file : checkpoint.server_files())
    for (const auto &[name, described] : file.part.tables)
      if (!known.count(name))
        return Error::make(TUTTI_BAD_DATA, "'", file.path, "': it is of another program: it has a ",
                           "table '", name, "', which servers do not hold here");
  return Error::success();
}

Result<SavedTables> SavedTables::open(const WholeCheckpoint &checkpoint,
                                      const std::vector<worker::ServedTable> &tables) {
  if (Error error = check_unused(checkpoint, tables))
    return error;
  if (checkpoint.server_files().empty() && !tables.empty())
    return Error::make(TUTTI_BAD_DATA, "'", checkpoint.path(),
                       "': it is of another program: no server held table '", tables[0].name, "'");
  SavedTables saved;
  if (!checkpoint.server_files().empty())
    saved.pushes = checkpoint.server_files().front().part.workers;
  for (const worker::ServedTable &table : tables) {
    std::vector<Part> &parts = saved.parts_of.emplace_back();
    Census census(table);
    std::optional<ServerPart::Table::Rules> &rules = saved.rules_of.emplace_back();
    for (const ServerFile &file : checkpoint.server_files()) {
      auto refuse = [&](const Error &error) {
        return Error::make(error.status, "'", file.path, "': ", error.message);
      };
      Result<Part> part = find(file, table);
      if (!part)
        return refuse(part.error());
      for (int64_t at = 0; at < part->count(); ++at)
        if (Error error = census.add(at > 0 ? number_of(part->indices, at - 1) : -1,
                                     number_of(part->indices, at)))
          return refuse(error);
      parts.push_back(*part);
      rules = file.part.tables.at(table.name).rules; // servers have the same
    }
  }
  return saved;
}

Error SavedTables::for_each_row(size_t table, const std::function<Error(const Row &)> &use) const {
  for (const Part &part : parts_of[table])
    for (int64_t at = 0, count = part.count(); at < count; ++at) {
      size_t bytes = part.rows.size() / size_t(count);
      Row row = {number_of(part.indices, at), std::nullopt,
                 part.rows.substr(size_t(at) * bytes, bytes)};
      if (!part.lives.empty())
        row.life = number_of(part.lives, at);
      if (Error error = use(row))
        return error;
    }
  return Error::success();
}

} // namespace tutti::runtime::rundir
