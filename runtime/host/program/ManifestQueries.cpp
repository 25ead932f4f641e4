// What follows from a manifest: sizes, and the texts that ranks compare.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/Manifest.h"

#include "runtime/support/Names.h"

#include <limits>

namespace tutti::runtime::worker {

int64_t ServedTable::row_elements() const {
  int64_t elements = 1;
  for (int64_t dim : row_shape())
    elements *= dim;
  return elements;
}

int64_t ServedTable::row_bytes() const { return row_elements() * type_bytes(type); }

int64_t ServedTable::part_bytes(size_t part) const {
  return part > 0 && states[part - 1].is_per_row ? type_bytes(type) : row_bytes();
}

int64_t ServedTable::held_bytes() const {
  int64_t bytes = 0;
  for (size_t part = 0; part < parts(); ++part)
    bytes += part_bytes(part);
  return bytes;
}

const std::string &ServedTable::part_name(size_t part) const {
  return part == 0 ? name : states[part - 1].name;
}

std::vector<int64_t> ServedTable::part_shape(size_t part) const {
  return part > 0 && states[part - 1].is_per_row ? std::vector<int64_t>{rows()} : shape;
}

std::string Manifest::plan_text() const {
  std::string out;
  for (const DeclaredGroup &group : groups)
    out += group.line + "\n";
  for (const PlanEntry &entry : plan)
    out += entry.line + "\n";
  return out;
}

/// Without sizes: workers may have batches of two sizes.
std::string Manifest::exchange_text() const {
  std::string out;
  for (size_t number = 0; number < tables.size(); ++number)
    out += text("table ", number, ", ", tables[number].line, "\n");
  for (const PlanEntry &entry : plan)
    if (!entry.exchange.empty())
      out += text("plan entry ", entry.id, ", ", entry.exchange, "\n");
  return out;
}

int64_t Manifest::state_bytes() const {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  int64_t bytes = 0;
  for (const Variable &variable : variables)
    if (variable.use &&
        __builtin_add_overflow(bytes, *data::array_bytes(variable.type, variable.shape), &bytes))
      return most;
  return bytes;
}

int64_t Manifest::memory_bytes() const {
  constexpr int64_t least = 64; // the granularity of the allocator
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  int64_t bytes = 0;
  auto add_bytes = [&](int64_t more) { // more than can be counted is more than there is
    if (__builtin_add_overflow(bytes, more, &bytes))
      bytes = most;
  };
  add_bytes(largest_arena());
  add_bytes(least);
  auto add = [&](const std::vector<Tensor> &tensors) {
    for (const Tensor &tensor : tensors) {
      add_bytes(*data::array_bytes(tensor.type, tensor.shape));
      add_bytes(2 * least);
    }
  };
  for (const Variable &variable : variables)
    if (!variable.use)
      add({variable});
  add_bytes(window);
  constexpr int batches = 3; // of the step, of the next one, and one that is being loaded
  for (int batch = 0; batch < batches; ++batch)
    add(inputs);
  add(metrics);
  add(outputs);
  for (const Hyperparameter &parameter : hyperparameters)
    add({parameter.tensor});
  if (evaluation) {
    add(evaluation->inputs);
    add(evaluation->metrics);
  }
  return bytes;
}

} // namespace tutti::runtime::worker
