// Arrays that one process has inflated, passed to others of the same machine and user.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_PASSEDARRAYS_H
#define TUTTI_RUNTIME_HOST_DATA_PASSEDARRAYS_H

#include "runtime/host/data/InflatedArrays.h"
#include "runtime/support/system/LocalSocket.h"

#include <thread>

namespace tutti::runtime::data {

/// Passes sealed memory with `arrays` to each process of this user that asks by connecting with a
/// listening socket of packets, `given`, on a thread of its own, until it ends.
class ArrayDoor {
public:
  ArrayDoor(LocalSocket given, std::vector<InflatedArray> arrays);
  ArrayDoor(const ArrayDoor &) = delete;
  ~ArrayDoor();

private:
  void run();

  LocalSocket listening;
  std::vector<InflatedArray> arrays;
  int ending;
  std::thread thread;
};

/// All arrays that the other side of a connection passes within `seconds`, or none.
InflatedArrays::Inherited receive_arrays(int socket, double seconds);

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_PASSEDARRAYS_H
