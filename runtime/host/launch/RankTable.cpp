// RANK_TABLE_FILE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/RankTable.h"

#include "runtime/support/Json.h"
#include "runtime/support/Numbers.h"
#include "runtime/support/system/MappedFile.h"

#include <algorithm>
#include <cstdlib>

namespace tutti::runtime::worker {
namespace {

using nlohmann::json;

constexpr int64_t most_ranks = int64_t(1) << 20;

/// A number, which is often written as a text.
Result<int64_t> read_number(const json &object, const char *name) {
  if (!object.is_object() || !object.contains(name))
    return Error::invalid_argument("a device has no '", name, "'");
  const json &value = object[name];
  if (value.is_number_unsigned() && value.get<uint64_t>() < uint64_t(most_ranks))
    return value.get<int64_t>();
  Result<int64_t> number = value.is_string()
                               ? parse_integer<int64_t>(value.get<std::string>(), 0, most_ranks - 1)
                               : Error::invalid_argument("it is no number");
  return number ? number
                : Error::invalid_argument("'", name, "' is ", value.dump(), ": ",
                                          number.error().message);
}

Error read_device(const json &entry, const std::string &server, RankTable &table) {
  Result<int64_t> rank = read_number(entry, "rank_id"), device = read_number(entry, "device_id");
  if (!rank || !device)
    return rank ? device.error() : rank.error();
  table.devices.push_back({*rank, *device, server});
  return Error::success();
}

Error read_server(const json &server, RankTable &table) {
  bool is_whole = server.is_object() && server.contains("server_id") &&
                  server["server_id"].is_string() && server.contains("device") &&
                  server["device"].is_array();
  if (!is_whole)
    return Error::invalid_argument(
        "an entry of 'server_list' has no text 'server_id' or no list 'device'");
  for (const json &entry : server["device"])
    if (Error error = read_device(entry, server["server_id"], table))
      return Error::invalid_argument("server '", server["server_id"].get<std::string>(),
                                     "': ", error.message);
  return Error::success();
}

Error check_ranks(const RankTable &table) {
  for (size_t i = 0; i < table.devices.size(); ++i) {
    int64_t found = table.devices[i].rank, expected = int64_t(i);
    if (found != expected)
      return Error::invalid_argument(
          "its ", table.devices.size(), " devices should have the ranks 0 to ",
          table.devices.size() - 1, ", each once, but rank ", std::min(found, expected),
          found < expected ? " is there twice" : " is missing");
  }
  return table.devices.empty() ? Error::invalid_argument("it lists no device") : Error::success();
}

/// The variable as a number; `otherwise` if it is not set.
Result<int64_t> number_of(const char *variable, int64_t otherwise, int64_t most) {
  const char *value = std::getenv(variable);
  if (!value)
    return otherwise;
  Result<int64_t> number = parse_integer<int64_t>(value, 0, most);
  return number ? number
                : Error::invalid_argument(variable, "=", value, ": ", number.error().message);
}

Result<LaunchEnvironment> describe(const RankTable &table, const std::string &file, int64_t rank) {
  int64_t ranks = int64_t(table.devices.size());
  if (rank < 0 || rank >= ranks)
    return Error::invalid_argument("RANK_ID=", rank, ", but RANK_TABLE_FILE='", file,
                                   "' has the ranks 0 to ", ranks - 1);
  const RankTable::Device &own = table.devices[size_t(rank)];
  Result<int64_t> size = number_of("RANK_SIZE", ranks, most_ranks),
                  device = number_of("DEVICE_ID", own.device, most_ranks),
                  port = number_of("HCCL_IF_BASE_PORT", 60000, 65535);
  for (const Error &error : {size.error(), device.error(), port.error()})
    if (error)
      return error;
  if (*size != ranks)
    return Error::invalid_argument("RANK_SIZE=", *size, ", but RANK_TABLE_FILE='", file, "' has ",
                                   ranks, " ranks");
  if (*device != own.device)
    return Error::invalid_argument("DEVICE_ID=", *device, ", but RANK_TABLE_FILE='", file,
                                   "' gives rank ", rank, " the device ", own.device);
  LaunchEnvironment launched;
  launched.launcher = "RANK_TABLE_FILE";
  launched.size = text(ranks, " ranks in '", file, "'");
  launched.rank = rank;
  launched.ranks = ranks;
  launched.local_ranks =
      std::count_if(table.devices.begin(), table.devices.end(),
                    [&](const RankTable::Device &each) { return each.server == own.server; });
  launched.backend = "gloo";
  launched.run = "table";
  launched.meeting = join_host_and_port(table.devices[0].server, *port);
  return launched;
}

} // namespace

Result<RankTable> RankTable::parse(std::string_view text) {
  Result<json> root = parse_json_object(text, TUTTI_INVALID_ARGUMENT);
  if (!root)
    return root.error();
  if (!root->contains("server_list") || !(*root)["server_list"].is_array())
    return Error::invalid_argument("there is no list 'server_list'");
  if (root->contains("status") && (*root)["status"] != "completed")
    return Error::invalid_argument("its 'status' is ", (*root)["status"].dump(),
                                   ", not \"completed\"");
  RankTable table;
  for (const json &server : (*root)["server_list"])
    if (Error error = read_server(server, table))
      return error;
  std::sort(table.devices.begin(), table.devices.end(),
            [](const Device &a, const Device &b) { return a.rank < b.rank; });
  if (Error error = check_ranks(table))
    return error;
  return table;
}

Result<LaunchEnvironment> environment_of_rank_table() {
  std::string file = std::getenv("RANK_TABLE_FILE");
  Result<std::shared_ptr<const MappedFile>> content = MappedFile::open(file);
  if (!content)
    return Error::invalid_argument("RANK_TABLE_FILE: ", content.error().message);
  Result<RankTable> table = RankTable::parse((*content)->bytes());
  if (!table)
    return Error::invalid_argument("RANK_TABLE_FILE='", file, "': ", table.error().message);
  Result<int64_t> rank = number_of("RANK_ID", -1, most_ranks);
  return rank ? describe(*table, file, *rank) : rank.error();
}

} // namespace tutti::runtime::worker
