// One variable of one file, checked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/SavedPiece.h"

#include "runtime/host/checkpoint/TypeNames.h"

namespace tutti::runtime::rundir {

using worker::Placement;
using worker::Variable;
using Shape = std::vector<int64_t>;

int64_t bytes_of(int32_t type, const Shape &shape) { return *data::array_bytes(type, shape); }

const Shape &whole_of(const Variable &variable) {
  return variable.placement == Placement::shard ? variable.whole : variable.shape;
}

static std::string describe(const std::string &type, const Shape &shape) {
  std::string out = type + " [";
  for (size_t i = 0; i < shape.size(); ++i)
    out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

Error of_another_program(const std::string &what) {
  return Error::make(TUTTI_BAD_DATA, "it is of another program: ", what);
}

Result<std::string_view> saved_piece(const WholeCheckpoint &checkpoint, const Variable &variable,
                                     const SavedPlacement &how, int64_t file) {
  Result<const WholeCheckpoint::Part *> part = checkpoint.file(file);
  if (!part)
    return part.error();
  const auto &tensors = (*part)->stored.tensors;
  auto tensor = tensors.find(variable.name);
  if (tensor == tensors.end())
    return of_another_program(
        text("variable '", variable.name, "' is not in the file of rank ", file));
  Shape shape = how.placement == Placement::shard ? how.whole : tensor->second.shape;
  std::string type = checkpoint::saved_type_name(variable.type);
  if (tensor->second.type != type || shape != whole_of(variable))
    return of_another_program(text("variable '", variable.name, "' is ",
                                   describe(type, whole_of(variable)), " in the program, ",
                                   describe(tensor->second.type, shape), " in the checkpoint"));
  Result<int64_t> expected = data::array_bytes(variable.type, tensor->second.shape);
  if (!expected || *expected != int64_t(tensor->second.data.size()))
    return of_another_program(text("variable '", variable.name, "' has ",
                                   tensor->second.data.size(),
                                   " bytes, which do not fit its shape"));
  return tensor->second.data;
}

} // namespace tutti::runtime::rundir
