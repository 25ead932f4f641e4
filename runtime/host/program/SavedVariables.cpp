// What becomes of the parts of a variable in a file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/SavedVariables.h"

namespace tutti::runtime::worker {

static bool is_float(int32_t type) {
  return type == TUTTI_F16 || type == TUTTI_BF16 || type == TUTTI_F32 || type == TUTTI_F64;
}

bool is_averaged(const Variable &variable) {
  return variable.placement == Placement::per_rank && variable.kind != "state" &&
         is_float(variable.type);
}

bool has_row_per_rank(const Variable &variable) {
  return variable.placement == Placement::per_rank && !is_averaged(variable);
}

std::vector<int64_t> shape_in_file(const Variable &variable, int64_t ranks) {
  if (variable.placement == Placement::shard)
    return variable.whole;
  std::vector<int64_t> shape = variable.shape;
  if (has_row_per_rank(variable))
    shape.insert(shape.begin(), ranks);
  return shape;
}

} // namespace tutti::runtime::worker
