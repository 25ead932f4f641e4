// The collectives of the MPI library, as the table of a backend has them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_MPI_COLLECTIVES_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_MPI_COLLECTIVES_H

#include "runtime/engine/backends/mpi/Communicator.h"

namespace tutti::runtime::mpi {

/// Reductions. They answer TUTTI_UNSUPPORTED and record nothing for what the library has no type or
/// another meaning for: f16, bf16, integers of 8 and 16 bits, and min and max of floats, where a
/// NaN has to stay.
int32_t all_reduce(Communicator &communicator, tutti_context *context, const tutti_call &call);
int32_t reduce_scatter(Communicator &communicator, tutti_context *context, const tutti_call &call);
int32_t reduce(Communicator &communicator, tutti_context *context, const tutti_call &call);

/// Movement of data. They answer TUTTI_UNSUPPORTED for buffers of more elements than MPI can count.
/// all_to_all_v is not among them: whether its counts fit differs between ranks, which have to
/// agree.
int32_t broadcast(Communicator &communicator, tutti_context *context, const tutti_call &call);
int32_t all_gather(Communicator &communicator, tutti_context *context, const tutti_call &call);
int32_t gather(Communicator &communicator, tutti_context *context, const tutti_call &call);
int32_t scatter(Communicator &communicator, tutti_context *context, const tutti_call &call);
int32_t all_to_all(Communicator &communicator, tutti_context *context, const tutti_call &call);
int32_t barrier(Communicator &communicator, tutti_context *context, const tutti_call &call);

/// Messages between two members, on tags of their own.
int32_t send(Communicator &communicator, tutti_context *context, const tutti_call &call);
int32_t receive(Communicator &communicator, tutti_context *context, const tutti_call &call);

} // namespace tutti::runtime::mpi

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_MPI_COLLECTIVES_H
