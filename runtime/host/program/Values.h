// The values of a program that are not in its shared object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_PROGRAM_VALUES_H
#define TUTTI_RUNTIME_HOST_PROGRAM_VALUES_H

#include "runtime/host/program/Manifest.h"
#include "runtime/support/system/MappedFile.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tutti::runtime::worker {

/// Where a value lies: `offset` bytes into the file `path`.
struct ValuePlace {
  std::string path;
  int64_t offset = 0;
};

/// By name.
using ValuePlaces = std::map<std::string, ValuePlace>;

/// Values, mapped from files: all ranks of a machine share their memory.
class Values {
public:
  /// Maps what `manifest` lists, and writes where it is into `table`, an array of one pointer each.
  static Result<Values> map(const Manifest &manifest, const ValuePlaces &places,
                            const void **table);

  /// Unmaps what has only initial values. From then on they are in variables.
  void let_go_of_initial() { initial.clear(); }

private:
  std::vector<std::shared_ptr<const MappedFile>> initial, lasting;
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_PROGRAM_VALUES_H
