// Opening and leaving a run on Gloo, and its notes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/gloo/World.h"

#include "runtime/backends/gloo/FolderStore.h"
#include "runtime/backends/plugin/Settings.h"

#include <csignal>
#include <cstring>
#include <gloo/transport/tcp/device.h>
#include <netdb.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::runtime::gloo_backend {
namespace {

/// Gloo writes to sockets whose peer may be gone; that is an error to report, not one to die of.
void ignore_broken_pipes() {
  struct sigaction current = {};
  if (sigaction(SIGPIPE, nullptr, &current) == 0 && current.sa_handler == SIG_DFL)
    std::signal(SIGPIPE, SIG_IGN);
}

bool is_folder(const std::string &path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

/// Why `host` is no address; "" if it is. Gloo ends the process at a name that it cannot resolve.
std::string lookup_problem(const std::string &host) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo *found = nullptr;
  int code = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (code != 0)
    return gai_strerror(code);
  freeaddrinfo(found);
  return "";
}

std::string own_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

Error refuse(const std::string &what) {
  return Error::make(TUTTI_INVALID_ARGUMENT, "backend 'gloo' ", what);
}

} // namespace

Result<Connection> Connection::parse(const char *text) {
  Result<plugin::Settings> settings = plugin::Settings::parse(
      "gloo", text, {"store", "prefix", "interface", "address", "stall_warning", "stall_error"});
  if (!settings)
    return settings.error();
  Result<plugin::StallLimits> limits = settings->stall_limits();
  if (!limits)
    return limits.error();
  constexpr std::string_view file = "file:";
  std::string store = settings->get("store");
  if (store.compare(0, file.size(), file) != 0)
    return refuse("needs store=file:FOLDER, a folder that all ranks see" +
                  (store.empty() ? "" : ", not '" + store + "'"));
  Connection connection;
  connection.folder = store.substr(file.size());
  if (!is_folder(connection.folder))
    return refuse("cannot meet in '" + connection.folder + "': it is not a folder of this machine");
  connection.prefix = settings->get("prefix").empty() ? "run" : settings->get("prefix");
  if (connection.prefix.find('/') != std::string::npos)
    return refuse("has a prefix for names of files, so '" + connection.prefix + "' cannot be one");
  connection.interface = settings->get("interface");
  connection.address = settings->get("address");
  if (!connection.interface.empty() && !connection.address.empty())
    return refuse("takes interface=NAME or address=HOST, not both");
  connection.limits = *limits;
  return connection;
}

World::World(Connection connection, int32_t rank, int32_t size)
    : settings(std::move(connection)), own_rank(rank), ranks(size) {}

Error World::open(Connection connection, int32_t rank, int32_t size,
                  std::unique_ptr<World> &out_world) {
  ignore_broken_pipes();
  if (connection.interface.empty()) {
    if (connection.address.empty())
      connection.address = own_name();
    std::string problem = lookup_problem(connection.address);
    if (!problem.empty())
      return refuse("cannot use the address '" + connection.address + "': " + problem +
                    "; name a network interface instead");
  }
  std::unique_ptr<World> world(new World(std::move(connection), rank, size));
  const Connection &settings = world->settings;
  try {
    ::gloo::transport::tcp::attr attributes;
    attributes.iface = settings.interface;
    attributes.hostname = settings.address;
    world->network = ::gloo::transport::tcp::CreateDevice(attributes);
    world->dog = std::make_unique<Watchdog>(*world, settings.limits);
  } catch (const std::exception &error) {
    return Error::make(TUTTI_INVALID_ARGUMENT, "backend 'gloo' cannot use ",
                       settings.interface.empty() ? "the address '" + settings.address
                                                  : "the network interface '" + settings.interface,
                       "': ", error.what());
  }
  out_world = std::move(world);
  return Error::success();
}

World::~World() {
  if (has_run() && !failed.load()) // the note of a failure stays for peers that come late
    unlink(path_of_note(own_rank).c_str());
}

std::string World::path_of_note(int32_t rank) const {
  return text(settings.folder, "/", settings.prefix, ".note.", run.load(), ".", rank);
}

void World::post(const plugin::Note &note) {
  if (has_run() && !failed.load()) // a failure is the last word
    if (Error error = write_file(path_of_note(own_rank), &note, sizeof note))
      std::fprintf(stderr, "tutti: warning: %s\n", error.message.c_str());
}

std::vector<plugin::Note> World::notes() {
  auto all = std::vector<plugin::Note>(size_t(ranks));
  for (int32_t rank = 0; rank < ranks && has_run(); ++rank)
    if (std::optional<std::string> content = read_file(path_of_note(rank)))
      if (content->size() == sizeof(plugin::Note))
        std::memcpy(&all[size_t(rank)], content->data(), sizeof(plugin::Note));
  return all;
}

void World::fail(int32_t status, const char *message) {
  plugin::Note note;
  note.status = status;
  note.set_text(message);
  post(note);
  failed = true;
}

} // namespace tutti::runtime::gloo_backend
