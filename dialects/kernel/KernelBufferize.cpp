// What the kernel dialect does to memory, before and after bufferization.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/ranks/ContiguousBuffer.h"
#include "dialects/kernel/KernelDetail.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace tutti::kernel;

void tutti::kernel::detail::getKernelEffects(
    KernelOpInterface op, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  auto style = cast<DestinationStyleOpInterface>(op.getOperation());
  if (op.readsTables())
    effects.emplace_back(MemoryEffects::Read::get(), TablesResource::get());
  if (op.writesTables())
    effects.emplace_back(MemoryEffects::Write::get(), TablesResource::get());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isOutput = style.isDpsInit(&operand);
    if (!isOutput || op.readsOutputs())
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isOutput)
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

LogicalResult tutti::kernel::detail::bufferizeKernel(KernelOpInterface op, RewriterBase &rewriter,
                                                     const BufferizationOptions &options,
                                                     BufferizationState &state) {
  auto style = cast<DestinationStyleOpInterface>(op.getOperation());
  SmallVector<Value> buffers, outputs;
  for (OpOperand &operand : op->getOpOperands()) {
    FailureOr<Value> buffer = tutti::getContiguousBuffer(operand.get(), rewriter, options, state);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
    if (style.isDpsInit(&operand))
      outputs.push_back(*buffer);
  }
  OperationState onBuffers(op->getLoc(), op->getName(), buffers, TypeRange(), op->getAttrs());
  rewriter.create(onBuffers);
  replaceOpWithBufferizedValues(rewriter, op, outputs);
  return success();
}
