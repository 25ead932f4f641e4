// Records of owners, to text and back, and the processes that they name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/folder/OwnerRecord.h"

#include "runtime/output/Place.h"
#include "runtime/support/Json.h"

#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

namespace tutti::runtime::rundir {
namespace {

/// What the system says of a process of here.
struct Process {
  char state = '?'; ///< a letter
  int64_t started = 0;
};

/// From /proc; nothing where that is not to be seen.
std::optional<Process> look_up(int number) {
  std::ifstream file("/proc/" + std::to_string(number) + "/stat");
  std::string all{std::istreambuf_iterator<char>(file), {}};
  size_t name_end = all.rfind(')'); // the name may be anything
  if (name_end == all.npos)
    return std::nullopt;
  std::istringstream words(all.substr(name_end + 1));
  constexpr int words_between = 18; // from the third on, up to the twenty-second
  Process found;
  words >> found.state;
  std::string skipped;
  for (int word = 0; word < words_between; ++word)
    words >> skipped;
  words >> found.started;
  return words ? std::optional<Process>(found) : std::nullopt;
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::string now() {
  time_t seconds = time(nullptr);
  tm parts = {};
  gmtime_r(&seconds, &parts);
  char written[32];
  strftime(written, sizeof written, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return written;
}

} // namespace

OwnerRecord OwnerRecord::own(int64_t lease) {
  OwnerRecord record;
  record.host = host_name();
  record.since = now();
  record.process = ProcessMark::own();
  std::optional<Process> self = look_up(getpid());
  record.started = self ? self->started : 0;
  record.lease = lease;
  return record;
}

std::string OwnerRecord::text() const {
  nlohmann::ordered_json json;
  auto replace = nlohmann::json::error_handler_t::replace; // a name of a machine may be anything
  json["host"] = host;
  json["process"] = process.text();
  json["started"] = started;
  json["since"] = since;
  json["lease"] = lease;
  json["renewals"] = renewals;
  std::string written = json.dump(-1, ' ', /*ensure_ascii=*/true, replace);
  constexpr size_t most_digits = 20;
  written.insert(written.size() - 1, most_digits - std::to_string(renewals).size(), ' ');
  return written + "\n";
}

std::optional<OwnerRecord> OwnerRecord::parse(const std::string &text) {
  Result<nlohmann::json> json = parse_json_object(text, TUTTI_BAD_DATA);
  if (!json)
    return std::nullopt;
  auto word = [&](const char *key) {
    auto found = json->find(key);
    return found != json->end() && found->is_string() ? found->get<std::string>() : "";
  };
  auto number = [&](const char *key, int64_t &out) {
    auto found = json->find(key);
    bool is_there = found != json->end() && found->is_number_integer();
    out = is_there ? found->get<int64_t>() : 0;
    return is_there;
  };
  OwnerRecord record;
  record.host = word("host");
  record.since = word("since");
  std::string process = word("process");
  std::string_view rest;
  std::optional<ProcessMark> mark = ProcessMark::parse(process, rest);
  bool has_numbers = number("started", record.started) && number("lease", record.lease) &&
                     number("renewals", record.renewals);
  if (!mark || !rest.empty() || !has_numbers)
    return std::nullopt;
  record.process = *mark;
  return record;
}

bool OwnerRecord::has_ended() const {
  if (process.has_ended())
    return true;
  std::optional<Process> found = process.is_of_here() ? look_up(process.process) : std::nullopt;
  bool is_dead = found && (found->state == 'Z' || found->state == 'X'); // nobody has asked for it
  return is_dead || (found && started != 0 && found->started != started);
}

std::string OwnerRecord::describe(const std::string &text) {
  std::optional<OwnerRecord> record = parse(text);
  if (!record)
    return "a process whose record cannot be read";
  return runtime::text("process ", record->process.process, " of '", record->host, "', since ",
                       record->since);
}

bool OwnerRecord::are_of_one_lease(const std::string &first, const std::string &second) {
  std::optional<OwnerRecord> one = parse(first), other = parse(second);
  return one && other && one->lease == other->lease;
}

Result<std::optional<std::string>> OwnerRecord::read(const std::string &path) {
  output::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  // ESTALE: another machine has just removed it.
  if (!file && (errno == ENOENT || errno == ESTALE))
    return std::optional<std::string>();
  constexpr size_t most_bytes = 4096;
  char bytes[most_bytes];
  ssize_t got = file ? ::read(file.get(), bytes, sizeof bytes) : -1;
  if (got < 0 && errno == ESTALE)
    return std::optional<std::string>();
  if (got < 0)
    return Error::make(TUTTI_SYSTEM_ERROR, "cannot read '", path, "': ", system_message(errno));
  return std::optional<std::string>(std::string(bytes, size_t(got)));
}

} // namespace tutti::runtime::rundir
