// dist-worker CONFIG.json: the process of one rank. Started by the launcher; a single rank also
// runs by hand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/MappedFile.h"
#include "runtime/worker/CalibrationSession.h"
#include "runtime/worker/FaultSignals.h"
#include "runtime/worker/Session.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace tutti::runtime;

namespace {

constexpr char usage[] =
    "usage: dist-worker CONFIG.json\n\n"
    "Runs one rank of a compiled program. CONFIG.json has the fields of RunConfig and "
    "WorkerConfig\n"
    "(runtime/worker/RunConfig.h). dist-run writes it and starts one worker a rank.\n";

Result<worker::WorkerConfig> read_config(const char *path) {
  std::ifstream file(path);
  if (!file)
    return Error::make(TUTTI_INVALID_ARGUMENT, "cannot read the configuration '", path, "'");
  std::string json{std::istreambuf_iterator<char>(file), {}};
  return worker::worker_config_from_json(json);
}

Error run(const char *path) {
  Result<worker::WorkerConfig> config = read_config(path);
  if (!config)
    return config.error();
  int64_t rank = config->rank;
  worker::report_faults(rank);
  std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error of the write
  // Ctrl-C reaches every process of the terminal; the launcher alone decides, so that ranks end in
  // order.
  if (config->shared_descriptor >= 0)
    std::signal(SIGINT, SIG_IGN);
  bool trains = config->run.calibrate.empty();
  Error error =
      trains ? worker::Session(std::move(*config)).run() : worker::run_calibration(*config);
  return error ? Error::make(error.status, "rank ", rank, ": ", error.message) : error;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2 || std::strcmp(argv[1], "--help") == 0) {
    bool is_asked = argc == 2;
    std::fputs(usage, is_asked ? stdout : stderr);
    return is_asked ? 0 : 2;
  }
  if (Error error = run(argv[1])) {
    std::fprintf(stderr, "error: %s\n", error.message.c_str());
    return 1;
  }
  return 0;
}
