// A small driver for machines without libFuzzer: mutates seeds by a fixed rule, so that equal
// arguments give equal inputs on every machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/formats/Mutator.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <unistd.h>

using namespace tutti::fuzz;
namespace fs = std::filesystem;

namespace {

constexpr char usage[] =
    "usage: PROGRAM [--inputs N] [--seconds N] [--seed N] [--timeout SECONDS] [--crash FILE] "
    "SEED-FILE-OR-FOLDER...\n\n"
    "Feeds each seed as it is, then mutated seeds, until one of the limits is reached. An input "
    "that ends the\n"
    "program, or takes longer than the timeout (10), is written to FILE; without it, to "
    "crash-PROGRAM in TMPDIR.\n";

/// What the handlers of signals need.
std::string current;
std::string crash_file;
unsigned timeout = 10;

/// Keeps the input that ends the program; only calls that are allowed in a handler.
void keep_input() {
  FILE *file = std::fopen(crash_file.c_str(), "wb"); // the program ends in any case
  if (!file)
    return;
  std::fwrite(current.data(), 1, current.size(), file);
  std::fclose(file);
  std::fprintf(stderr, "the input is in '%s'\n", crash_file.c_str());
}

void on_signal(int signal) {
  std::fprintf(stderr, "ended by signal %d (%s)\n", signal,
               signal == SIGALRM ? "too slow" : "crash");
  keep_input();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

std::string read_file(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Sorted, so that a seed's number does not depend on the file system.
std::vector<std::string> read_seeds(const std::vector<std::string> &places) {
  std::vector<fs::path> paths;
  for (const std::string &place : places)
    if (fs::is_directory(place))
      for (const fs::directory_entry &entry : fs::directory_iterator(place))
        paths.push_back(entry.path());
    else
      paths.push_back(place);
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const fs::path &path : paths)
    seeds.push_back(read_file(path));
  return seeds;
}

void feed(std::string input) {
  current = std::move(input);
  alarm(timeout);
  // A block of exactly this size, so that a byte read after its end is seen.
  std::vector<uint8_t> exact(current.begin(), current.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

} // namespace

// Only the sanitizers' libraries define it.
extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

int main(int argc, char **argv) {
  uint64_t inputs = 100000, seed = 1;
  double seconds = std::numeric_limits<double>::infinity();
  std::error_code none;
  fs::path temporary = fs::temp_directory_path(none);
  crash_file = (temporary / ("crash-" + fs::path(argv[0]).filename().string())).string();
  std::vector<std::string> places;
  for (int i = 1; i < argc; ++i) {
    auto is = [&](const char *name) { return std::strcmp(argv[i], name) == 0 && i + 1 < argc; };
    if (is("--inputs"))
      inputs = std::strtoull(argv[++i], nullptr, 10);
    else if (is("--seconds"))
      seconds = std::strtod(argv[++i], nullptr);
    else if (is("--seed"))
      seed = std::strtoull(argv[++i], nullptr, 10);
    else if (is("--timeout"))
      timeout = unsigned(std::strtoul(argv[++i], nullptr, 10));
    else if (is("--crash"))
      crash_file = argv[++i];
    else
      places.push_back(argv[i]);
  }
  std::vector<std::string> seeds = read_seeds(places);
  if (seeds.empty()) {
    std::fputs(usage, stderr);
    return 2;
  }
  for (int signal : {SIGALRM, SIGABRT, SIGFPE, SIGILL})
    std::signal(signal, on_signal);
  if (__sanitizer_set_death_callback)
    __sanitizer_set_death_callback(keep_input);
  else
    std::signal(SIGSEGV, on_signal), std::signal(SIGBUS, on_signal);

  for (const std::string &whole : seeds)
    feed(whole);
  auto begin = std::chrono::steady_clock::now();
  uint64_t count = 0;
  for (Mutator mutator(seeds, seed); count < inputs; ++count) {
    std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    if (passed.count() >= seconds)
      break;
    feed(mutator.next());
  }
  alarm(0);
  std::printf("%llu inputs of %zu seeds, begun with %llu\n", (unsigned long long)count,
              seeds.size(), (unsigned long long)seed);
  return 0;
}
