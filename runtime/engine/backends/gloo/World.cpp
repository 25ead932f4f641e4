// Opening and leaving a run on Gloo, and its notes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/World.h"

#include "runtime/engine/backends/plugin/Settings.h"

#include <arpa/inet.h>
#include <csignal>
#include <cstring>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
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

bool is_loopback(const sockaddr *address) {
  if (address->sa_family == AF_INET)
    return (ntohl(reinterpret_cast<const sockaddr_in *>(address)->sin_addr.s_addr) >> 24) == 127;
  return address->sa_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6 *>(address)->sin6_addr);
}

/// Whether `host` is an address of which other machines know nothing, as 127.0.1.1 is, which many
/// systems give the machine's own name.
bool is_of_this_machine_alone(const std::string &host) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo *found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0)
    return false;
  bool is_alone = true;
  for (const addrinfo *one = found; one; one = one->ai_next)
    is_alone = is_alone && is_loopback(one->ai_addr);
  freeaddrinfo(found);
  return is_alone;
}

/// Of the first network interface that other machines can reach; "" if there is none.
std::string outer_address() {
  ifaddrs *all = nullptr;
  if (getifaddrs(&all) != 0)
    return "";
  char host[NI_MAXHOST] = "";
  for (const ifaddrs *one = all; one && !*host; one = one->ifa_next) {
    constexpr unsigned up = IFF_UP | IFF_RUNNING;
    bool is_usable = one->ifa_addr && one->ifa_addr->sa_family == AF_INET &&
                     (one->ifa_flags & (up | IFF_LOOPBACK)) == up && !is_loopback(one->ifa_addr);
    if (is_usable)
      getnameinfo(one->ifa_addr, sizeof(sockaddr_in), host, sizeof host, nullptr, 0,
                  NI_NUMERICHOST);
  }
  freeifaddrs(all);
  return host;
}

/// By which other machines reach this one.
std::string own_address() {
  std::string name = own_name(), outer = is_of_this_machine_alone(name) ? outer_address() : "";
  return outer.empty() ? name : outer;
}

Error refuse(const std::string &what) {
  return Error::make(TUTTI_INVALID_ARGUMENT, "backend 'gloo' ", what);
}

} // namespace

/// "file:FOLDER", "tcp:HOST:PORT", "pmi" or "pmix".
Error Connection::set_store(const std::string &store, const std::string &token) {
  constexpr std::string_view file = "file:", tcp = "tcp:";
  if (store == "pmi" || store == "pmix") {
    launcher = store;
    return Error::success();
  }
  if (store.compare(0, tcp.size(), tcp) == 0) {
    Result<MeetingPoint> parsed = MeetingPoint::parse(store.substr(tcp.size()), prefix, token);
    if (parsed)
      point = std::move(*parsed);
    return parsed.error();
  }
  if (store.compare(0, file.size(), file) != 0)
    return refuse("needs store=file:FOLDER, a folder that all ranks see, store=tcp:HOST:PORT, "
                  "store=pmi or store=pmix" +
                  (store.empty() ? "" : ", not '" + store + "'"));
  folder = store.substr(file.size());
  if (!is_folder(folder))
    return refuse("cannot meet in '" + folder + "': it is not a folder of this machine");
  return Error::success();
}

Result<Connection> Connection::parse(const char *text, const tutti_limits &limits) {
  Result<plugin::Settings> settings =
      plugin::Settings::parse("gloo", text, {"store", "prefix", "interface", "address", "token"});
  if (!settings)
    return settings.error();
  Connection connection;
  connection.prefix = settings->get("prefix").empty() ? "run" : settings->get("prefix");
  if (connection.prefix.find('/') != std::string::npos)
    return refuse("has a prefix for names of files, so '" + connection.prefix + "' cannot be one");
  if (Error error = connection.set_store(settings->get("store"), settings->get("token")))
    return error;
  connection.interface = settings->get("interface");
  connection.address = settings->get("address");
  if (!connection.interface.empty() && !connection.address.empty())
    return refuse("takes interface=NAME or address=HOST, not both");
  connection.limits = limits;
  return connection;
}

World::World(Connection connection, int32_t rank, int32_t size)
    : settings(std::move(connection)), own_rank(rank), ranks(size) {}

/// Where Gloo would listen: it knows interfaces and names.
static SocketAddress address_of(const ::gloo::transport::tcp::attr &attributes) {
  SocketAddress address;
  address.storage = attributes.ai_addr;
  address.bytes = uint32_t(attributes.ai_addrlen);
  return address;
}

/// Pairs of Gloo open ports for a moment; on this interface no other machine can reach them.
static std::shared_ptr<::gloo::transport::tcp::Device>
make_device(::gloo::transport::tcp::attr attributes) {
  ::gloo::transport::tcp::attr loopback;
  loopback.hostname = "127.0.0.1";
  try {
    attributes = ::gloo::transport::tcp::CreateDeviceAttr(loopback);
  } catch (const std::exception &) { // there is none: then as they are
  }
  return std::make_shared<::gloo::transport::tcp::Device>(attributes);
}

/// A world that this rank has not entered yet; `out_listening` becomes the socket at which others
/// will reach it, if there are any.
Result<std::unique_ptr<World>> World::prepare(Connection connection, int32_t rank, int32_t size,
                                              Socket &out_listening) {
  ignore_broken_pipes();
  if (connection.interface.empty()) {
    if (connection.address.empty()) {
      Result<std::string> own =
          connection.point ? connection.point->own_address() : Result<std::string>(own_address());
      if (!own)
        return own.error();
      connection.address = *own;
    }
    std::string problem = lookup_problem(connection.address);
    if (!problem.empty())
      return refuse("cannot use the address '" + connection.address + "': " + problem +
                    "; name a network interface instead");
  }
  std::unique_ptr<World> world(new World(std::move(connection), rank, size));
  const Connection &settings = world->settings;
  SocketAddress own;
  try {
    ::gloo::transport::tcp::attr attributes;
    attributes.iface = settings.interface;
    attributes.hostname = settings.address;
    attributes = ::gloo::transport::tcp::CreateDeviceAttr(attributes);
    own = address_of(attributes);
    world->network = make_device(attributes);
  } catch (const std::exception &error) {
    return Error::make(TUTTI_INVALID_ARGUMENT, "backend 'gloo' cannot use ",
                       settings.interface.empty() ? "the address '" + settings.address
                                                  : "the network interface '" + settings.interface,
                       "': ", error.what());
  }
  if (size > 1) {
    Result<Socket> listening = Socket::listen(own);
    if (!listening)
      return listening.error();
    out_listening = std::move(*listening);
  }
  return world;
}

Error World::open(tutti_context *context, Connection connection, int32_t rank, int32_t size,
                  std::unique_ptr<World> &out_world) {
  Socket listening;
  Result<std::unique_ptr<World>> world = prepare(std::move(connection), rank, size, listening);
  if (!world)
    return world.error();
  if (size > 1)
    if (Error error = (*world)->meet(context, std::move(listening)))
      return error;
  (*world)->dog = std::make_unique<Watchdog>(**world, (*world)->settings.limits);
  out_world = std::move(*world);
  return Error::success();
}

void World::decline(Connection connection, int32_t rank, int32_t size, const std::string &message) {
  if (size == 1 || !connection.launcher.empty())
    return;
  connection.limits.stall_warning = connection.limits.stall_error; // its wait is nobody's loss
  Socket listening;
  Result<std::unique_ptr<World>> world = prepare(std::move(connection), rank, size, listening);
  if (!world)
    return;
  Rendezvous rendezvous((*world)->place(), rank, size, (*world)->settings.limits);
  rendezvous.decline(std::move(listening),
                     Error::make(TUTTI_INVALID_ARGUMENT, "rank ", rank, " failed: ", message));
}

MeetingPlace World::place() const {
  std::string file =
      settings.folder.empty() ? "" : text(settings.folder, "/", settings.prefix, ".rendezvous");
  return {file, settings.point, settings.launcher};
}

Error World::meet(tutti_context *context, Socket listening) {
  Rendezvous rendezvous(place(), own_rank, ranks, settings.limits);
  std::map<int32_t, Socket> made;
  Error error = rendezvous.meet(std::move(listening));
  addresses = rendezvous.addresses();
  connection_acceptor = rendezvous.take_acceptor();
  if (!error)
    error = connect_neighbours(rendezvous, made);
  if (!error)
    error = rendezvous.finish();
  if (error) {
    rendezvous.give_up(error);
    return error;
  }
  links = std::make_unique<NoteLinks>(plugin::NoteSpread(own_rank, ranks), std::move(made));
  links->start([=](int32_t dead) { tell_death(context, dead); });
  return Error::success();
}

Result<Socket> World::dial(int32_t peer, Purpose purpose, int64_t group) {
  constexpr std::chrono::seconds limit(5);
  Result<Socket> made = Socket::connect(addresses[size_t(peer)], limit);
  if (!made)
    return made.error();
  Hello hello;
  hello.secret = connection_acceptor->secret();
  hello.purpose = purpose;
  hello.rank = own_rank;
  hello.group = group;
  if (Error error = made->send(&hello, sizeof hello, limit))
    return error;
  return made;
}

Error World::connect_neighbours(Rendezvous &rendezvous, std::map<int32_t, Socket> &out_links) {
  const plugin::NoteSpread spread(own_rank, ranks);
  for (int32_t peer : spread.neighbours()) {
    Result<Socket> link = link_with(rendezvous, peer);
    if (!link)
      return link.error();
    out_links[peer] = std::move(*link);
  }
  return Error::success();
}

/// Of two ranks the larger one connects. While the other does not come, rank 0 may tell why.
Result<Socket> World::link_with(Rendezvous &rendezvous, int32_t peer) {
  constexpr std::chrono::milliseconds between_looks(20);
  constexpr int looks_for_reason = 100;
  if (peer < own_rank) {
    Result<Socket> made = dial(peer, Purpose::notes, 0);
    for (int look = 0; !made && look < looks_for_reason; ++look) {
      if (Error error = rendezvous.check())
        return error;
      usleep(useconds_t(std::chrono::microseconds(between_looks).count()));
    }
    if (!made)
      return Error::make(made.error().status, "rank ", own_rank, " of ", ranks,
                         " cannot reach rank ", peer, ": ", made.error().message);
    return made;
  }
  auto end = std::chrono::steady_clock::now() +
             std::chrono::milliseconds(int64_t(settings.limits.stall_error * 1000));
  while (std::chrono::steady_clock::now() < end) {
    if (std::optional<Socket> come =
            connection_acceptor->take(Purpose::notes, 0, peer, between_looks))
      return std::move(*come);
    if (Error error = rendezvous.check())
      return error;
  }
  return Error::make(TUTTI_STALLED, "rank ", own_rank, " waited ", settings.limits.stall_error,
                     " s for rank ", peer, " to connect");
}

/// Reports the dead rank to the peers first, then to the context, which stops this rank.
void World::tell_death(tutti_context *context, int32_t dead) {
  plugin::Note note;
  note.status = TUTTI_RANK_DIED;
  note.set_text(text("rank ", dead, " died, or its connections were lost"));
  post(note);
  char where[1024];
  tutti_context_where(context, -1, where, sizeof where);
  tutti_context_fail(context, TUTTI_RANK_DIED, text(note.text, "; stopped ", where).c_str());
}

void World::post(const plugin::Note &note) {
  if (links)
    links->post(note);
}

std::vector<plugin::Note> World::notes() {
  return links ? links->notes() : std::vector<plugin::Note>(size_t(ranks));
}

void World::fail(int32_t status, const char *message) {
  plugin::Note note;
  note.status = status;
  note.set_text(message);
  post(note);
}

} // namespace tutti::runtime::gloo_backend
