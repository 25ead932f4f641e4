// Starting ranks as forks, as threads, or as what a launcher has started.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/conformance/World.h"

#include "test/runtime/Fork.h"
#include "test/runtime/ThreadBackend.h"

#include <cstdlib>
#include <memory>
#include <thread>

using namespace tutti::runtime;

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool sees_threads_only = true;
#else
constexpr bool sees_threads_only = false;
#endif

using Context = std::unique_ptr<tutti_context, void (*)(tutti_context *)>;

const tutti_backend *find_backend(const std::string &name, std::string *message) {
  if (name.rfind("generic", 0) == 0)
    return thread_backend();
  const tutti_backend *backend = nullptr;
  char text[1024] = {};
  tutti_backend_load(name.substr(0, name.find('_')).c_str(), &backend, text, sizeof text);
  *message = text;
  return backend;
}

int32_t order_of(const World &world) {
  return world.uses_native_reductions ? int32_t(TUTTI_ORDER_NATIVE) : world.reduction_order;
}

std::string run_rank(const World &world, const tutti_backend *backend,
                     const std::string &connection, int32_t rank, const RankBody &body) {
  tutti_context_options options = {};
  options.struct_bytes = sizeof options;
  options.backend = backend;
  options.connection = connection.c_str();
  options.rank = rank;
  options.size = world.ranks;
  options.reduction_order = order_of(world);
  options.one_backend = world.nodes == 0;
  std::string node = world.nodes ? text(rank * world.nodes / world.ranks) : "";
  options.node = node.c_str();
  tutti_context *made = nullptr;
  tutti_context_create(&options, &made);
  Context context(made, tutti_context_destroy);
  return tutti_context_status(made) ? tutti_context_message(made) : body(made, rank);
}

std::string with_number(int32_t rank, const std::string &complaint) {
  return complaint.empty() ? "" : text("rank ", rank, ": ", complaint, "\n");
}

std::string run_threads(const World &world, const tutti_backend *backend,
                        const std::string &connection, const RankBody &body) {
  std::vector<std::string> complaints(world.ranks);
  std::vector<std::thread> threads;
  for (int32_t rank = 0; rank < world.ranks; ++rank)
    threads.emplace_back(
        [&, rank] { complaints[rank] = run_rank(world, backend, connection, rank, body); });
  std::string all;
  for (int32_t rank = 0; rank < world.ranks; ++rank) {
    threads[rank].join();
    all += with_number(rank, complaints[rank]);
  }
  return all;
}

std::string run_forks(const World &world, const tutti_backend *backend,
                      const std::string &connection, const RankBody &body) {
  std::vector<Fork> forks;
  for (int32_t rank = 0; rank < world.ranks; ++rank)
    forks.push_back(start_fork([&] { return run_rank(world, backend, connection, rank, body); }));
  std::string all;
  for (int32_t rank = 0; rank < world.ranks; ++rank)
    all += with_number(rank, finish_fork(forks[rank]));
  return all;
}

/// The one context of a process that a launcher started: MPI is entered and left once.
struct Launched : testing::Environment {
  void TearDown() override { context.reset(); }
  Context context = {nullptr, tutti_context_destroy};
};
Launched *const launched = new Launched;
[[maybe_unused]] testing::Environment *const registered =
    testing::AddGlobalTestEnvironment(launched); // which then owns it

std::string run_launched(const World &world, const tutti_backend *backend, const RankBody &body) {
  Context &context = launched->context;
  if (!context) {
    tutti_context_options options = {};
    options.struct_bytes = sizeof options;
    options.backend = backend;
    const char *rank = std::getenv("OMPI_COMM_WORLD_RANK");
    options.rank = std::atoi(rank ? rank : std::getenv("PMI_RANK"));
    options.size = world.ranks;
    options.reduction_order = order_of(world);
    options.one_backend = world.nodes == 0;
    std::string node = world.nodes ? text(options.rank * world.nodes / options.size) : "";
    options.node = node.c_str();
    tutti_context *made = nullptr;
    tutti_context_create(&options, &made);
    context.reset(made);
  }
  if (tutti_context_status(context.get()) != TUTTI_OK)
    return tutti_context_message(context.get());
  int32_t rank = tutti_context_rank(context.get());
  return with_number(rank, body(context.get(), rank));
}

std::vector<World> launched_worlds(const std::string &backend) {
  const char *openmpi = std::getenv("OMPI_COMM_WORLD_SIZE");
  const char *size = openmpi ? openmpi : std::getenv("PMI_SIZE");
  World world = {backend, size ? std::atoi(size) : 1, Start::launcher};
  world.uses_native_reductions = std::getenv("TUTTI_CONFORMANCE_NATIVE") != nullptr;
  if (const char *nodes = std::getenv("TUTTI_CONFORMANCE_NODES"))
    world.nodes = std::atoi(nodes);
  return {world};
}

} // namespace

std::string World::run(const RankBody &body) const {
  std::string message;
  const tutti_backend *backend = find_backend(name, &message);
  if (!backend)
    return message;
  if (start == Start::launcher)
    return run_launched(*this, backend, body);
  tutti_meeting *made = nullptr;
  bool needs_meeting = backend->host && tutti_meeting_create(backend, ranks, shared_bytes, &made);
  std::unique_ptr<tutti_meeting, void (*)(tutti_meeting *)> meeting(made, tutti_meeting_destroy);
  if (needs_meeting)
    return tutti_meeting_message(made);
  std::string connection = made ? tutti_meeting_connection(made) : "";
  if (is_staged)
    connection += ";staged=1";
  return start == Start::threads ? run_threads(*this, backend, connection, body)
                                 : run_forks(*this, backend, connection, body);
}

std::vector<World> worlds() {
  if (const char *backend = std::getenv("TUTTI_CONFORMANCE_BACKEND"))
    return launched_worlds(backend);
  if (const char *ranks = std::getenv("TUTTI_CONFORMANCE_RANKS"))
    return {{"shm_threads", std::atoi(ranks), Start::threads}};
  std::vector<World> all = {{"self", 1}};
  for (int32_t ranks : {1, 2, 3, 4, 8}) {
    all.push_back({"generic", ranks, Start::threads});
    all.push_back({"shm_threads", ranks, Start::threads});
    if (!sees_threads_only)
      all.push_back({"shm", ranks});
  }
  // Private buffers are read where they lie, as the system lets them be, or staged.
  all.push_back({"shm_threads", 5, Start::threads});
  if (!sees_threads_only)
    all.push_back({"shm", 5});
  for (int32_t ranks : {2, 3, 4, 5}) {
    all.push_back({"shm_threads_staged", ranks, Start::threads});
    if (!sees_threads_only)
      all.push_back({"shm_staged", ranks});
  }
  for (World &world : all)
    world.is_staged = world.name.find("_staged") != std::string::npos;
  std::string absent;
  if (!sees_threads_only && find_backend("gloo", &absent))
    for (int32_t ranks : {1, 2, 3, 4, 8})
      all.push_back({"gloo", ranks});
  return all;
}
