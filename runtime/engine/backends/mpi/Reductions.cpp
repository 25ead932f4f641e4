// Reductions by the MPI library, in its own order. The mean is the sum, divided where it arrives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/mpi/Collectives.h"

#include "tutti/types.h"

#include <algorithm>
#include <climits>
#include <cstring>

namespace tutti::runtime::mpi {
namespace {

constexpr int64_t largest_piece = int64_t(1) << 30; // elements
// Buckets up to this size are copied into one buffer: a call costs more than the copy.
constexpr int64_t largest_packed_bytes = 1 << 16;

/// Null for narrow integers too: OpenMPI 4.1 saturates their sums in its vector loops, and
/// MPICH 4.0 takes u8 for signed.
MPI_Datatype datatype_of(int32_t type) {
  switch (type) {
  case TUTTI_F32:
    return MPI_FLOAT;
  case TUTTI_F64:
    return MPI_DOUBLE;
  case TUTTI_I32:
    return MPI_INT32_T;
  case TUTTI_I64:
    return MPI_INT64_T;
  default:
    return MPI_DATATYPE_NULL;
  }
}

MPI_Op operation_of(int32_t reduction) {
  switch (reduction) {
  case TUTTI_MIN:
    return MPI_MIN;
  case TUTTI_MAX:
    return MPI_MAX;
  case TUTTI_PROD:
    return MPI_PROD;
  default:
    return MPI_SUM;
  }
}

/// What a reduction is to MPI.
struct Reduction {
  MPI_Datatype type;
  MPI_Op operation;

  explicit Reduction(const tutti_call &call)
      : type(datatype_of(call.type)), operation(operation_of(call.reduction)) {
    bool is_float = call.type == TUTTI_F32 || call.type == TUTTI_F64;
    if (is_float && (call.reduction == TUTTI_MIN || call.reduction == TUTTI_MAX))
      type = MPI_DATATYPE_NULL;
  }
  bool is_known() const { return type != MPI_DATATYPE_NULL; }
};

template <typename T> void divide_all(void *memory, int64_t elements, int32_t divisor) {
  T *values = static_cast<T *>(memory);
  for (int64_t i = 0; i < elements; ++i)
    values[i] /= T(divisor);
}

void finish_mean(const tutti_call &call, void *memory, int64_t elements, int32_t ranks) {
  if (call.reduction != TUTTI_MEAN)
    return;
  if (call.type == TUTTI_F32)
    divide_all<float>(memory, elements, ranks);
  else
    divide_all<double>(memory, elements, ranks);
}

int32_t refuse(tutti_context *context, const Error &error) {
  tutti_context_fail(context, error.status, error.message.c_str());
  return error.status;
}

/// One buffer of a call, or all of a small bucket in one.
struct Operand {
  const void *source;
  void *destination;
  int64_t elements;
};

/// A bucket as few buffers. How it is packed depends on sizes only, so that all ranks do the same.
class Packing {
public:
  Packing(const tutti_call &call, int64_t width) : call(call), width(width) {
    int64_t bytes = 0;
    for (int64_t i = 0; i < call.count; ++i)
      bytes += call.elements[i] * width;
    is_packed = call.count > 1 && bytes <= largest_packed_bytes;
    if (is_packed)
      memory.resize(size_t(bytes));
    for_each_buffer([&](int64_t i, char *packed, size_t size) {
      if (size > 0)
        std::memcpy(packed, call.sources[i], size);
    });
  }

  std::vector<Operand> operands() {
    if (is_packed)
      return {{memory.data(), memory.data(), int64_t(memory.size()) / width}};
    std::vector<Operand> all;
    for (int64_t i = 0; i < call.count; ++i)
      all.push_back({call.sources[i], call.destinations[i], call.elements[i]});
    return all;
  }

  void unpack() {
    for_each_buffer([&](int64_t i, const char *packed, size_t size) {
      if (size > 0)
        std::memcpy(call.destinations[i], packed, size);
    });
  }

private:
  template <typename Use> void for_each_buffer(Use use) {
    if (!is_packed)
      return;
    char *packed = memory.data();
    for (int64_t i = 0; i < call.count; ++i) {
      size_t size = size_t(call.elements[i] * width);
      use(i, packed, size);
      packed += size;
    }
  }

  const tutti_call &call;
  int64_t width;
  bool is_packed = false;
  std::vector<char> memory;
};

} // namespace

int32_t all_reduce(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  Reduction reduction(call);
  if (!reduction.is_known())
    return TUTTI_UNSUPPORTED;
  int64_t width = tutti_type_bytes(call.type);
  Operations operations;
  auto packing = operations.keep(std::make_shared<Packing>(call, width));
  std::vector<Operand> operands = packing->operands();
  for (const Operand &operand : operands)
    for (int64_t done = 0; done < operand.elements; done += largest_piece) {
      const char *source = static_cast<const char *>(operand.source) + done * width;
      char *destination = static_cast<char *>(operand.destination) + done * width;
      int count = int(std::min(largest_piece, operand.elements - done));
      const void *given = source == destination ? MPI_IN_PLACE : source;
      if (Error error =
              check("MPI_Iallreduce",
                    MPI_Iallreduce(given, destination, count, reduction.type, reduction.operation,
                                   communicator.handle(), operations.start())))
        return refuse(context, error);
    }
  if (int32_t status = communicator.wait(context, call.plan_entry, operations))
    return status;
  for (const Operand &operand : operands)
    finish_mean(call, operand.destination, operand.elements, communicator.size());
  packing->unpack();
  return TUTTI_OK;
}

int32_t reduce(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  Reduction reduction(call);
  if (!reduction.is_known())
    return TUTTI_UNSUPPORTED;
  int64_t width = tutti_type_bytes(call.type);
  bool is_root = communicator.rank() == call.peer;
  Operations operations;
  for (int64_t i = 0; i < call.count; ++i)
    for (int64_t done = 0; done < call.elements[i]; done += largest_piece) {
      const char *source = static_cast<const char *>(call.sources[i]) + done * width;
      char *destination = static_cast<char *>(call.destinations[i]) + done * width;
      int count = int(std::min(largest_piece, call.elements[i] - done));
      const void *given = is_root && source == destination ? MPI_IN_PLACE : source;
      if (Error error =
              check("MPI_Ireduce", MPI_Ireduce(given, is_root ? destination : nullptr, count,
                                               reduction.type, reduction.operation, call.peer,
                                               communicator.handle(), operations.start())))
        return refuse(context, error);
    }
  if (int32_t status = communicator.wait(context, call.plan_entry, operations))
    return status;
  for (int64_t i = 0; i < call.count; ++i)
    if (is_root)
      finish_mean(call, call.destinations[i], call.elements[i], communicator.size());
    else if (call.sources[i] != call.destinations[i] && call.elements[i] > 0)
      std::memcpy(call.destinations[i], call.sources[i], size_t(call.elements[i] * width));
  return TUTTI_OK;
}

int32_t reduce_scatter(Communicator &communicator, tutti_context *context, const tutti_call &call) {
  Reduction reduction(call);
  for (int64_t i = 0; i < call.count; ++i)
    if (call.elements[i] > INT_MAX)
      return TUTTI_UNSUPPORTED;
  if (!reduction.is_known())
    return TUTTI_UNSUPPORTED;
  Operations operations;
  for (int64_t i = 0; i < call.count; ++i) {
    if (call.elements[i] == 0)
      continue;
    const void *source = call.sources[i] == call.destinations[i] ? MPI_IN_PLACE : call.sources[i];
    if (Error error = check("MPI_Ireduce_scatter_block",
                            MPI_Ireduce_scatter_block(
                                source, call.destinations[i], int(call.elements[i]), reduction.type,
                                reduction.operation, communicator.handle(), operations.start())))
      return refuse(context, error);
  }
  if (int32_t status = communicator.wait(context, call.plan_entry, operations))
    return status;
  for (int64_t i = 0; i < call.count; ++i)
    finish_mean(call, call.destinations[i], call.elements[i], communicator.size());
  return TUTTI_OK;
}

} // namespace tutti::runtime::mpi
