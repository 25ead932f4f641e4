// Reductions by Gloo, in its own order. The mean is the sum, divided where it arrives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/Collectives.h"

#include "tutti/types.h"

#include <cstring>
#include <gloo/allreduce.h>
#include <gloo/reduce.h>
#include <type_traits>

namespace tutti::runtime::gloo_backend {
namespace {

template <typename T> T combine(int32_t reduction, T a, T b) {
  // Integers wrap; through 64 bits, because narrower types would become int.
  using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  switch (reduction) {
  case TUTTI_MIN:
    return (a != a || a < b) ? a : b;
  case TUTTI_MAX:
    return (a != a || a > b) ? a : b;
  case TUTTI_PROD:
    return T(Wide(a) * Wide(b));
  default:
    return T(Wide(a) + Wide(b));
  }
}

using Function = std::function<void(void *, const void *, const void *, size_t)>;

template <typename T> Function function_of(int32_t reduction) {
  auto loop = [](auto operation) {
    return [=](void *out, const void *a, const void *b, size_t count) {
      for (size_t i = 0; i < count; ++i)
        static_cast<T *>(out)[i] =
            operation(static_cast<const T *>(a)[i], static_cast<const T *>(b)[i]);
    };
  };
  if (reduction == TUTTI_SUM || reduction == TUTTI_MEAN)
    return loop([](T a, T b) { return combine(TUTTI_SUM, a, b); });
  return loop([=](T a, T b) { return combine(reduction, a, b); });
}

template <typename T> void divide_all(void *memory, int64_t elements, int32_t divisor) {
  T *values = static_cast<T *>(memory);
  for (int64_t i = 0; i < elements; ++i)
    values[i] = T(values[i] / T(divisor));
}

/// Calls use(T()) with the type of the elements of `call`; false if Gloo has no way to add them.
template <typename Use> bool with_type(const tutti_call &call, Use use) {
  switch (call.type) {
  case TUTTI_F32:
    return use(float()), true;
  case TUTTI_F64:
    return use(double()), true;
  case TUTTI_I8:
    return use(int8_t()), true;
  case TUTTI_U8:
    return use(uint8_t()), true;
  case TUTTI_I16:
    return use(int16_t()), true;
  case TUTTI_I32:
    return use(int32_t()), true;
  case TUTTI_I64:
    return use(int64_t()), true;
  default:
    return false;
  }
}

template <typename T>
int32_t all_reduce(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  Function function = function_of<T>(call.reduction);
  return communicator.run(context, call.plan_entry, [&](std::chrono::milliseconds limit) {
    for (int64_t i = 0; i < call.count; ++i) {
      if (call.elements[i] == 0)
        continue;
      T *source = const_cast<T *>(static_cast<const T *>(call.sources[i]));
      T *destination = static_cast<T *>(call.destinations[i]);
      ::gloo::AllreduceOptions options(communicator.context());
      if (source != destination)
        options.setInput(source, size_t(call.elements[i]));
      options.setOutput(destination, size_t(call.elements[i]));
      options.setReduceFunction(function);
      options.setTimeout(limit);
      ::gloo::allreduce(options);
      if (call.reduction == TUTTI_MEAN)
        divide_all<T>(destination, call.elements[i], communicator.size());
    }
  });
}

template <typename T>
int32_t reduce(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  bool is_root = communicator.rank() == call.peer;
  Function function = function_of<T>(call.reduction);
  return communicator.run(context, call.plan_entry, [&](std::chrono::milliseconds limit) {
    for (int64_t i = 0; i < call.count; ++i) {
      size_t elements = size_t(call.elements[i]);
      if (elements == 0)
        continue;
      // Gloo computes in the output of every rank, where ours keep their input.
      std::vector<T> scratch(is_root ? 0 : elements);
      T *source = const_cast<T *>(static_cast<const T *>(call.sources[i]));
      T *destination = static_cast<T *>(call.destinations[i]);
      T *output = is_root ? destination : scratch.data();
      ::gloo::ReduceOptions options(communicator.context());
      if (source != output)
        options.setInput(source, elements);
      options.setOutput(output, elements);
      options.setRoot(call.peer);
      options.setReduceFunction(function);
      options.setTimeout(limit);
      ::gloo::reduce(options);
      if (is_root && call.reduction == TUTTI_MEAN)
        divide_all<T>(destination, call.elements[i], communicator.size());
      if (!is_root && source != destination)
        std::memcpy(destination, source, elements * sizeof(T));
    }
  });
}

} // namespace

int32_t all_reduce(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  int32_t status = TUTTI_UNSUPPORTED;
  if (communicator.size() > 1)
    with_type(call,
              [&](auto zero) { status = all_reduce<decltype(zero)>(communicator, context, call); });
  return status;
}

int32_t reduce(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  int32_t status = TUTTI_UNSUPPORTED;
  if (communicator.size() > 1)
    with_type(call,
              [&](auto zero) { status = reduce<decltype(zero)>(communicator, context, call); });
  return status;
}

} // namespace tutti::runtime::gloo_backend
