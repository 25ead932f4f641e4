// The one entry of the shared object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/serving/Serving.h"

extern "C" __attribute__((visibility("default"))) const tutti::runtime::worker::Serving *
tutti_serving() {
  using namespace tutti::runtime::worker;
  static constexpr Serving all = {TUTTI_VERSION,    run_server,  connect_to_servers,
                                  connect_to_parts, ask_servers, tell_who_waits};
  return &all;
}
