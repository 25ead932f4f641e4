// What all operations of the kernel dialect do alike; for their generated definitions only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_DIALECTS_KERNEL_KERNELDETAIL_H
#define TUTTI_DIALECTS_KERNEL_KERNELDETAIL_H

#include "dialects/kernel/Kernel.h"

namespace tutti::kernel::detail {

constexpr unsigned kAsManyAsInputs = -1;

/// kernel_c1: `fewest` to `most` inputs, `outputs` outputs; kernel_c2: one kind of buffer. (C3) is
/// what DestinationStyleOpInterface verifies.
llvm::LogicalResult verifyKernel(KernelOpInterface op, unsigned fewest, unsigned most,
                                 unsigned outputs);

/// Memrefs are read as inputs and written as outputs.
void getKernelEffects(KernelOpInterface op,
                      llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &effects);

/// The same operation on buffers; its results are the buffers of its outputs.
llvm::LogicalResult bufferizeKernel(KernelOpInterface op, mlir::RewriterBase &rewriter,
                                    const mlir::bufferization::BufferizationOptions &options,
                                    mlir::bufferization::BufferizationState &state);

} // namespace tutti::kernel::detail

#endif // TUTTI_DIALECTS_KERNEL_KERNELDETAIL_H
