// What processes do that hold tables or use those of others: a shared object that is loaded for
// that, so that ranks without tables start without gRPC and RocksDB.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_SERVING_SERVING_H
#define TUTTI_RUNTIME_HOST_SERVING_SERVING_H

#include "runtime/host/serving/RankServers.h"
#include "runtime/host/serving/ServerProcess.h"

namespace tutti::runtime::worker {

/// The functions of RankServers.h and ServerProcess.h. Of this version of Tutti only: what they
/// take and give are its classes.
struct Serving {
  const char *version; ///< first in every version
  decltype(&worker::run_server) run_server;
  decltype(&worker::connect_to_servers) connect_to_servers;
  decltype(&worker::connect_to_parts) connect_to_parts;
  decltype(&worker::ask_servers) ask_servers;
  decltype(&worker::tell_who_waits) tell_who_waits;
};

constexpr const char *serving_file = "libtutti_serving.so";
constexpr const char *serving_entry = "tutti_serving"; ///< a ServingEntry
using ServingEntry = const Serving *(*)();

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_SERVING_SERVING_H
