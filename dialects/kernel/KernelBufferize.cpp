// What the kernel dialect does to memory, before and after bufferization.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/Kernel.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace tutti::kernel;

void CallOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isOutput = isDpsInit(&operand);
    if (!isOutput || getAccumulates())
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isOutput)
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

bool CallOp::bufferizesToMemoryRead(OpOperand &operand, const AnalysisState &) {
  return !isDpsInit(&operand) || getAccumulates();
}

bool CallOp::bufferizesToMemoryWrite(OpOperand &operand, const AnalysisState &) {
  return isDpsInit(&operand);
}

AliasingValueList CallOp::getAliasingValues(OpOperand &operand, const AnalysisState &) {
  if (!isDpsInit(&operand))
    return {};
  return {{getTiedOpResult(&operand), BufferRelation::Equivalent}};
}

LogicalResult CallOp::bufferize(RewriterBase &rewriter, const BufferizationOptions &options,
                                BufferizationState &state) {
  SmallVector<Value> inputs, outputs;
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    FailureOr<Value> buffer = getBuffer(rewriter, operand.get(), options, state);
    if (failed(buffer))
      return failure();
    (isDpsInit(&operand) ? outputs : inputs).push_back(*buffer);
  }
  CallOp::create(rewriter, getLoc(), getCallee(), inputs, outputs, getParameters(),
                 getAccumulates());
  replaceOpWithBufferizedValues(rewriter, *this, outputs);
  return success();
}
