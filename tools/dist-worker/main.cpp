// dist-worker CONFIG.json: the process of one rank. Started by the launcher; a single rank also
// runs by hand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/calibration/CalibrationSession.h"
#include "runtime/host/run/FaultSignals.h"
#include "runtime/host/run/StopSignals.h"
#include "runtime/host/serving/Serving.h"
#include "runtime/host/worker/Absence.h"
#include "runtime/host/worker/Servers.h"
#include "runtime/host/worker/Session.h"
#include "runtime/output/StandardStreams.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <malloc.h>
#include <thread>

using namespace tutti::runtime;

namespace {

constexpr char usage[] =
    "usage: dist-worker CONFIG.json\n\n"
    "Runs one rank of a compiled program. CONFIG.json has the fields of RunConfig and "
    "WorkerConfig\n"
    "(runtime/host/run/RunConfig.h). dist-run writes it and starts one worker a rank.\n";

Result<worker::WorkerConfig> read_config(const char *path) {
  std::ifstream file(path);
  if (!file)
    return Error::make(TUTTI_INVALID_ARGUMENT, "cannot read the configuration '", path, "'");
  std::string json{std::istreambuf_iterator<char>(file), {}};
  return worker::worker_config_from_json(json);
}

/// Steps free what the next one asks for again: batches of rows and messages, a MiB or more each,
/// which glibc would give back to the system and get as new pages.
void keep_freed_memory() {
  constexpr int kept = 64 << 20, large = 32 << 20;
  mallopt(M_TRIM_THRESHOLD, kept);
  mallopt(M_MMAP_THRESHOLD, large);
}

/// What the process ends with.
struct Outcome {
  Error error;
  int status = 0;
  bool is_told = false; ///< to our launcher
};

/// Of a cluster, whose processes have nobody else who says it.
void say_that_it_ends(const std::string &role, const worker::RankSummary &summary,
                      const Error &error) {
  if (!role.empty() && !error)
    output::print(text(role, ": ends after step ", summary.steps, "\n"));
}

/// Under our launcher the status tells only of failures; other launchers have nothing else.
Outcome train(worker::WorkerConfig config) {
  bool has_launcher = config.shared_descriptor >= 0;
  std::string role = config.role;
  worker::Session session(std::move(config));
  Error error = session.run();
  say_that_it_ends(role, session.summary(), error);
  int signal = int(session.summary().interrupted_by);
  return {error,
          error                          ? 1
          : signal != 0 && !has_launcher ? 128 + signal
                                         : 0,
          session.has_told_launcher()};
}

/// Our launcher ends a server when the ranks have ended, and says who ended before.
Outcome serve(const worker::WorkerConfig &config) {
  Result<const worker::Serving *> serving = worker::load_serving();
  Result<int> signal = serving ? (*serving)->run_server(config) : Result<int>(serving.error());
  if (signal)
    return {Error::success(), *signal != 0 ? 128 + *signal : 0};
  Error error = signal.error();
  error.message = config.role.empty() ? text("server ", config.server, ": ", error.message)
                                      : text(config.role, ": ", error.message);
  return {error, 1};
}

Outcome run(const char *path) {
  Result<worker::WorkerConfig> config = read_config(path);
  if (!config)
    return {config.error(), 1};
  if (!config->absence.empty()) {
    worker::tell_own_absence(*config);
    return {Error::success(), config->absence_status};
  }
  bool has_launcher = config->shared_descriptor >= 0;
  // Ctrl-C and the end of a terminal reach every process of it; the launcher alone decides, so that
  // ranks end in order.
  for (int signal : worker::terminal_signals)
    if (has_launcher)
      std::signal(signal, SIG_IGN);
  if (config->server >= 0)
    return serve(*config);
  int64_t rank = config->rank;
  std::string role = config->role;
  worker::report_faults(rank);
  Outcome outcome;
  if (config->run.calibrate.empty())
    outcome = train(std::move(*config));
  else if ((outcome.error = worker::run_calibration(*config)))
    outcome.status = 1, outcome.is_told = true;
  // Our launcher says what went wrong, once for all ranks. Under others that rank does which failed
  // first; the rest leave it a second for that, because launchers end all ranks with the first.
  bool is_anothers = outcome.error.status == TUTTI_PEER_FAILED && !has_launcher;
  if (is_anothers)
    std::this_thread::sleep_for(std::chrono::seconds(1));
  if ((has_launcher && outcome.is_told) || is_anothers)
    outcome.error = Error::success();
  else if (outcome.error)
    outcome.error.message =
        text(role.empty() ? text("rank ", rank) : role, ": ", outcome.error.message);
  return outcome;
}

} // namespace

int main(int argc, char **argv) {
  output::secure_standard_streams();
  output::ignore_write_signals();
  if (argc != 2 || std::strcmp(argv[1], "--help") == 0) {
    bool is_asked = argc == 2;
    std::fputs(usage, is_asked ? stdout : stderr);
    return is_asked ? 0 : 2;
  }
  keep_freed_memory();
  Outcome outcome = run(argv[1]);
  if (outcome.error)
    std::fprintf(stderr, "dist-run: error: %s\n", outcome.error.message.c_str());
  return outcome.status;
}
