// Arrays of .npz that are inflated once for all ranks of a launcher.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_INFLATEDARRAYS_H
#define TUTTI_RUNTIME_HOST_DATA_INFLATEDARRAYS_H

#include "runtime/host/data/Array.h"
#include "runtime/support/system/SealedMemory.h"

#include <functional>

namespace tutti::runtime::data {

/// One that a process inherits.
struct InflatedArray {
  std::string file;    ///< the .npz, by the path that the run names
  int64_t entry = 0;   ///< of its arrays
  int descriptor = -1; ///< of sealed memory with the .npy that is in the .npz
};

/// A process that has children inflates into memory that they inherit; they take what is there, and
/// inflate what is not for themselves. Used by one thread. Arrays may outlive it.
class InflatedArrays {
public:
  /// Of a process that inherits these.
  explicit InflatedArrays(std::vector<InflatedArray> inherited) : known(std::move(inherited)) {}
  /// What another process has inflated: the arrays, and the memory that they are in.
  struct Inherited {
    std::vector<InflatedArray> list;
    std::vector<SealedMemory> memory;
  };
  /// Of one that has children. What is read is kept for them until this object ends. `ask` is asked
  /// once for what others have, before anything is inflated.
  static InflatedArrays for_children(std::function<Inherited()> ask = nullptr);

  /// Array number `entry` of a .npz, which is called `name`.
  Result<Array> read(const std::string &file, int64_t entry, const std::string &name);
  /// What children are to inherit.
  const std::vector<InflatedArray> &list() const { return known; }

private:
  const InflatedArray *find(const std::string &file, int64_t entry);

  std::vector<InflatedArray> known;
  std::function<Inherited()> ask;
  bool has_children = false;
  std::vector<SealedMemory> kept;
};

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_INFLATEDARRAYS_H
