// Allocating once, at the start.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/Buffers.h"

#include "runtime/host/program/StateFile.h"
#include "runtime/support/HalfPrecision.h"
#include "runtime/support/Names.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace tutti::runtime::worker {
namespace {

void *allocate_bytes(tutti_context *context, int64_t bytes) {
  void *memory = nullptr;
  (void)tutti_context_alloc(context, bytes, &memory);
  return memory;
}

void *allocate_one(tutti_context *context, const Tensor &tensor) {
  return allocate_bytes(context, *data::array_bytes(tensor.type, tensor.shape));
}

template <typename Tensors>
void allocate_all(tutti_context *context, const Tensors &tensors, std::vector<void *> &out) {
  for (const Tensor &tensor : tensors)
    out.push_back(allocate_one(context, tensor));
}

} // namespace

Buffers Buffers::allocate(tutti_context *context, const Manifest &manifest,
                          const StateFile *states) {
  Buffers buffers;
  buffers.states = states;
  for (size_t i = 0; i < manifest.variables.size(); ++i) {
    void *in_file = states ? states->address(i) : nullptr;
    buffers.variables.push_back(in_file ? in_file : allocate_one(context, manifest.variables[i]));
  }
  allocate_all(context, manifest.inputs, buffers.inputs);
  for (const Hyperparameter &parameter : manifest.hyperparameters)
    allocate_all(context, std::vector<Tensor>{parameter.tensor}, buffers.inputs);
  allocate_all(context, manifest.metrics, buffers.results);
  allocate_all(context, manifest.outputs, buffers.results);
  if (manifest.evaluation) {
    for (int64_t index : manifest.evaluation->variables)
      buffers.evaluation_variables.push_back(buffers.variables[index]);
    allocate_all(context, manifest.evaluation->inputs, buffers.evaluation_inputs);
    allocate_all(context, manifest.evaluation->metrics, buffers.evaluation_results);
  }
  buffers.arena = allocate_bytes(context, manifest.largest_arena());
  return buffers;
}

void Buffers::let_go(size_t variable) const {
  if (states)
    states->let_go(variable);
}

Error Buffers::set_hyperparameters(const Manifest &manifest,
                                   const std::map<std::string, double> &overrides) {
  std::map<std::string, double> left = overrides;
  for (size_t i = 0; i < manifest.hyperparameters.size(); ++i) {
    const Hyperparameter &parameter = manifest.hyperparameters[i];
    auto replaced = left.extract(parameter.tensor.name);
    double value = replaced ? replaced.mapped() : parameter.value;
    if (!write_number(parameter.tensor.type, inputs[manifest.inputs.size() + i], value))
      return Error::make(TUTTI_BAD_PROGRAM, "hyperparameter '", parameter.tensor.name, "' is ",
                         type_name(parameter.tensor.type), ", which cannot hold ", value);
  }
  if (!left.empty())
    return Error::make(TUTTI_INVALID_ARGUMENT, "the program has no hyperparameter '",
                       left.begin()->first, "'");
  return Error::success();
}

double read_number(int32_t type, const void *memory, int64_t index) {
  auto element = [&](auto zero) { return static_cast<const decltype(zero) *>(memory)[index]; };
  switch (type) {
  case TUTTI_F16:
    return element(Float16()).load();
  case TUTTI_BF16:
    return element(BFloat16()).load();
  case TUTTI_F32:
    return element(0.0f);
  case TUTTI_F64:
    return element(0.0);
  case TUTTI_I8:
    return element(int8_t());
  case TUTTI_U8:
  case TUTTI_BOOL:
    return element(uint8_t());
  case TUTTI_I16:
    return element(int16_t());
  case TUTTI_I32:
    return element(int32_t());
  case TUTTI_I64:
    return double(element(int64_t()));
  }
  return 0;
}

template <typename Integer> static bool write_integer(void *memory, double value) {
  // As doubles, the limits are exact or one beyond.
  if (!(value >= double(std::numeric_limits<Integer>::min()) &&
        value < -double(std::numeric_limits<Integer>::min())) ||
      value != std::trunc(value))
    return false;
  *static_cast<Integer *>(memory) = Integer(value);
  return true;
}

bool write_number(int32_t type, void *memory, double value) {
  // What is a number of its own must not become infinite.
  auto is_kept = [&](float stored) { return std::isfinite(stored) == std::isfinite(value); };
  auto write = [&](auto stored, float read_back) {
    std::memcpy(memory, &stored, sizeof stored);
    return is_kept(read_back);
  };
  switch (type) {
  case TUTTI_F16:
    return write(Float16::store(float(value)), Float16::store(float(value)).load());
  case TUTTI_BF16:
    return write(BFloat16::store(float(value)), BFloat16::store(float(value)).load());
  case TUTTI_F32:
    return write(float(value), float(value));
  case TUTTI_F64:
    *static_cast<double *>(memory) = value;
    return true;
  case TUTTI_I32:
    return write_integer<int32_t>(memory, value);
  case TUTTI_I64:
    return write_integer<int64_t>(memory, value);
  }
  return false;
}

} // namespace tutti::runtime::worker
