// Running the update of rows, block by block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/RowUpdate.h"

#include "runtime/support/Names.h"

#include <algorithm>
#include <cstring>

namespace tutti::runtime::servers {

using worker::Tensor;

static int64_t bytes_of(const Tensor &tensor) {
  return *data::array_bytes(tensor.type, tensor.shape); // checked with the manifest
}

static int64_t rounded(int64_t bytes) { return (bytes + 7) / 8 * 8; }

Result<RowUpdate> RowUpdate::load(const std::string &path, const worker::ServedTable &table) {
  RowUpdate update;
  Result<worker::Program> program = worker::Program::load(path, {}, /*ranks=*/1);
  if (!program)
    return program.error();
  update.program = std::move(*program);
  if (Error error = update.check(table))
    return error;
  tutti_context_options options = {};
  options.struct_bytes = sizeof options;
  options.backend = tutti_backend_self();
  options.size = 1;
  tutti_context *made = nullptr;
  tutti_context_create(&options, &made);
  update.context.reset(made);
  update.buffers = worker::Buffers::allocate(made, update.program.manifest);
  if (Error error = update.context_error())
    return error;
  return update;
}

/// The program comes with the table, but from a file.
Error RowUpdate::check(const worker::ServedTable &table) {
  const worker::Manifest &manifest = program.manifest;
  size_t held = table.parts();
  auto is_block = [&](const Tensor &tensor, size_t part) {
    std::vector<int64_t> row = table.row_shape();
    if (part > 0 && table.states[part - 1].is_per_row)
      row.clear();
    return tensor.type == table.type && !tensor.shape.empty() && tensor.shape[0] > 0 &&
           tensor.shape[0] == manifest.inputs[0].shape[0] &&
           std::equal(tensor.shape.begin() + 1, tensor.shape.end(), row.begin(), row.end());
  };
  bool fits = manifest.inputs.size() == held + 1 && manifest.outputs.size() == held &&
              manifest.metrics.empty() && manifest.hyperparameters.empty() &&
              manifest.tables.empty() && is_block(manifest.inputs[held], 0);
  for (size_t part = 0; fits && part < held; ++part)
    fits = is_block(manifest.inputs[part], part) && is_block(manifest.outputs[part], part);
  for (size_t part = 0; fits && part < held; ++part)
    part_bytes.push_back(table.part_bytes(part));
  if (fits)
    return Error::success();
  return Error::make(TUTTI_BAD_PROGRAM, "program '", manifest.program,
                     "' is no update of rows of table '", table.name, "'");
}

Error RowUpdate::context_error() const {
  int32_t status = tutti_context_status(context.get());
  return status == TUTTI_OK ? Error::success()
                            : Error::make(status, tutti_context_message(context.get()));
}

int64_t RowUpdate::scalar_bytes() const {
  int64_t bytes = 0;
  for (const worker::Variable &scalar : program.manifest.variables)
    bytes += rounded(bytes_of(scalar));
  return bytes;
}

Error RowUpdate::apply(RowStore &store, int64_t step, const std::vector<int64_t> &rows,
                       const char *gradients, std::string_view scalars) {
  if (int64_t(scalars.size()) != scalar_bytes())
    return Error::make(TUTTI_INVALID_ARGUMENT, "a push brings ", scalars.size(),
                       " bytes of scalars, the update takes ", scalar_bytes());
  const std::vector<worker::Variable> &wanted = program.manifest.variables;
  for (size_t i = 0, begin = 0; i < wanted.size(); begin += rounded(bytes_of(wanted[i])), ++i)
    std::memcpy(buffers.variables[i], scalars.data() + begin, bytes_of(wanted[i]));
  size_t block = std::min<size_t>(program.manifest.inputs[0].shape[0], store.most_rows());
  for (size_t begin = 0; begin < rows.size(); begin += block) {
    size_t count = std::min(block, rows.size() - begin);
    if (Error error = apply_block(store, step, rows.data() + begin, count,
                                  gradients + begin * store.row_bytes()))
      return error;
  }
  return store.end_step(step);
}

/// Rows that the store does not keep yet are left out.
Error RowUpdate::apply_block(RowStore &store, int64_t step, const int64_t *rows, size_t count,
                             const char *gradients) {
  size_t held = part_bytes.size(), kept = 0;
  places.resize(count);
  if (Error error = store.open(step, rows, int64_t(count), places.data()))
    return error;
  auto input = [&](size_t part, size_t bytes) {
    return static_cast<char *>(buffers.inputs[part]) + kept * bytes;
  };
  for (size_t i = 0; i < count; ++i) {
    if (!places[i])
      continue;
    const char *from = places[i];
    for (size_t part = 0; part < held; from += part_bytes[part++])
      std::memcpy(input(part, part_bytes[part]), from, part_bytes[part]);
    std::memcpy(input(held, part_bytes[0]), gradients + i * part_bytes[0], part_bytes[0]);
    places[kept++] = places[i];
  }
  if (kept == 0)
    return Error::success();
  program.step(context.get(), buffers.variables.data(), buffers.inputs.data(),
               buffers.results.data(), buffers.arena);
  if (Error error = context_error())
    return error;
  for (size_t i = 0; i < kept; ++i) {
    char *to = places[i];
    for (size_t part = 0; part < held; to += part_bytes[part++])
      std::memcpy(to, static_cast<char *>(buffers.results[part]) + i * part_bytes[part],
                  part_bytes[part]);
  }
  return Error::success();
}

} // namespace tutti::runtime::servers
