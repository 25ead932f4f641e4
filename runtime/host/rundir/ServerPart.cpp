// Writing a server's file in one pass, and what it says of itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/ServerPart.h"

#include "runtime/host/checkpoint/StreamedFile.h"
#include "runtime/host/checkpoint/TypeNames.h"
#include "runtime/host/rundir/folder/FileChecksum.h"
#include "runtime/host/rundir/folder/MetadataReader.h"
#include "runtime/support/Names.h"

namespace tutti::runtime::rundir {
namespace {

using checkpoint::StreamedFile;
using checkpoint::Variable;
using nlohmann::json;

constexpr const char *server_format = "tutti.server";
constexpr const char *server_format_version = "2";

/// Throws what is wrong with them.
std::optional<ServerPart::Table::Rules> rules_of(const json &entry) {
  if (!entry.contains("rules"))
    return std::nullopt;
  const json &rules = entry.at("rules");
  ServerPart::Table::Rules read = {rules.at("admit_after").get<int64_t>(),
                                   rules.at("evict_after").get<int64_t>()};
  if (read.admit_after < 1 || read.evict_after < 0)
    throw std::invalid_argument("rules that no table has");
  return read;
}

/// The tensors of a table: indices, rows, lives.
void describe(const worker::ServedTable &table, const RowSource &source,
              std::vector<Variable> &out) {
  std::vector<int64_t> shape = {source.count, table.held_bytes() / type_bytes(table.type)};
  out.push_back({"index." + table.name, TUTTI_I64, {source.count}, nullptr});
  out.push_back({"rows." + table.name, table.type, shape, nullptr});
  if (source.has_lives)
    out.push_back({"lives." + table.name, TUTTI_I64, {source.count}, nullptr});
}

/// What goes into the file goes into the sum. Tensors come in their order.
class Writer {
public:
  Writer(StreamedFile &file, FileChecksum &sum, const std::vector<Variable> &variables)
      : file(file), sum(sum), next(variables.data()) {}

  Error write(const RowSource &source) {
    begin();
    for (auto some = source.more_indices(); !some.empty(); some = source.more_indices())
      write(some);
    begin();
    std::vector<int64_t> lives;
    for (auto some = source.more_rows();; some = source.more_rows()) {
      if (!some)
        return some.error();
      if (some->values.empty())
        break;
      write(some->values);
      if (source.has_lives)
        lives.insert(lives.end(), some->lives->begin(), some->lives->end());
    }
    if (source.has_lives)
      begin(), write(lives);
    return Error::success();
  }

private:
  void begin() {
    sum.begin(next->name, checkpoint::saved_type_name(next->type), next->shape);
    ++next;
  }
  void write(std::string_view data) {
    sum.more(data);
    file.write(data.data(), data.size());
  }
  void write(const std::vector<int64_t> &numbers) {
    write({reinterpret_cast<const char *>(numbers.data()), numbers.size() * sizeof(int64_t)});
  }

  StreamedFile &file;
  FileChecksum &sum;
  const Variable *next;
};

} // namespace

ServerPart ServerPart::of(const worker::RunConfig &config, const worker::Manifest &manifest,
                          int64_t server) {
  ServerPart part;
  part.program = manifest.program;
  part.server = server;
  part.servers = int64_t(config.servers.size());
  for (const worker::ServedTable &table : manifest.tables) {
    Table &described = part.tables[table.name];
    described.rows = table.rows();
    for (const worker::ServedTable::State &state : table.states)
      described.states.push_back(state.name);
  }
  return part;
}

Metadata ServerPart::metadata() const {
  json described = json::object();
  for (const auto &[name, table] : tables) {
    described[name] = {{"rows", table.rows}, {"states", table.states}};
    if (table.rules)
      described[name]["rules"] = {{"admit_after", table.rules->admit_after},
                                  {"evict_after", table.rules->evict_after}};
  }
  Metadata metadata = {{server_format, server_format_version},
                       {"program", program},
                       {"launch", launch},
                       {"step", text(step)},
                       {"server", text(server)},
                       {"servers", text(servers)},
                       {"tables", described.dump(-1, ' ', false, json::error_handler_t::replace)}};
  if (!workers.empty())
    metadata["workers"] = json({{"pushes", workers}}).dump();
  return metadata;
}

Result<ServerPart> ServerPart::parse(const Metadata &metadata) {
  auto format = metadata.find(server_format);
  if (format == metadata.end())
    return Error::make(TUTTI_BAD_DATA, "it is no server's part of a checkpoint");
  if (format->second != server_format_version)
    return Error::make(TUTTI_BAD_DATA, "it has version '", format->second,
                       "' of the format, this program reads ", server_format_version);
  ServerPart part;
  MetadataReader reader(metadata);
  reader.read("program", part.program);
  reader.read("launch", part.launch);
  reader.read("step", part.step);
  reader.read("server", part.server);
  reader.read("servers", part.servers, 1);
  json tables = reader.read_object("tables");
  try {
    for (const auto &[name, entry] : tables.items())
      part.tables[name] = {entry.at("rows").get<int64_t>(),
                           entry.at("states").get<std::vector<std::string>>(), rules_of(entry)};
  } catch (const std::exception &error) {
    reader.fail("tables", error.what());
  }
  try {
    if (metadata.count("workers"))
      part.workers = reader.read_object("workers").at("pushes").get<std::vector<int64_t>>();
  } catch (const std::exception &error) {
    reader.fail("workers", error.what());
  }
  for (int64_t pushes : part.workers)
    if (pushes < 0)
      reader.fail("workers", text("a worker has pushed ", pushes, " times"));
  if (reader.error())
    return reader.error();
  return part;
}

Error write_server_part(const std::string &path, const ServerPart &part,
                        const std::vector<worker::ServedTable> &tables,
                        const std::vector<RowSource> &sources) {
  Metadata metadata = part.metadata();
  FileChecksum sum(metadata);
  std::vector<Variable> variables;
  for (size_t i = 0; i < tables.size(); ++i)
    describe(tables[i], sources[i], variables);
  variables.push_back({checksum_key, TUTTI_U8, {int64_t(sum.text().size())}, nullptr});
  Result<StreamedFile> file =
      StreamedFile::open(path, variables, {metadata.begin(), metadata.end()});
  if (!file)
    return file.error();
  Writer writer(*file, sum, variables);
  for (const RowSource &source : sources)
    if (Error error = writer.write(source))
      return error;
  std::string told = sum.text();
  file->write(told.data(), told.size());
  return file->commit();
}

bool is_sum_right(const checkpoint::StoredFile &file) {
  FileChecksum sum(file.metadata);
  for (const auto &[name, tensor] : file.tensors)
    if (name != checksum_key)
      sum.add(name, tensor.type, tensor.shape, tensor.data);
  auto told = file.tensors.find(checksum_key);
  std::string right = sum.text();
  return told != file.tensors.end() && told->second.type == "U8" &&
         told->second.shape == std::vector<int64_t>{int64_t(right.size())} &&
         told->second.data == right;
}

} // namespace tutti::runtime::rundir
