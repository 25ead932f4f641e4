// The kernel dialect, the text form of its operations and what their verifiers hold them to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/Kernel.h"
#include "dialects/interfaces/BytecodeVersion.h"
#include "dialects/interfaces/Determinism.h"
#include "dialects/interfaces/Inlining.h"
#include "dialects/kernel/KernelDetail.h"

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tutti::kernel;

/// Prints or parses `(input types) -> output types`; results follow from the outputs.
static ParseResult parseKernelTypes(OpAsmParser &parser, SmallVectorImpl<Type> &inputs,
                                    SmallVectorImpl<Type> &outputs,
                                    SmallVectorImpl<Type> &results) {
  FunctionType type;
  if (parser.parseType(type))
    return failure();
  llvm::append_range(inputs, type.getInputs());
  llvm::append_range(outputs, type.getResults());
  llvm::copy_if(outputs, std::back_inserter(results), llvm::IsaPred<TensorType>);
  return success();
}

static void printKernelTypes(OpAsmPrinter &printer, Operation *, TypeRange inputs,
                             TypeRange outputs, TypeRange) {
  printer.printFunctionalType(inputs, outputs);
}

#include "dialects/kernel/KernelDialect.cpp.inc"
#include "dialects/kernel/KernelEnums.cpp.inc"
#include "dialects/kernel/KernelInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/kernel/Kernel.cpp.inc"

void KernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/kernel/Kernel.cpp.inc"
      >();
  addInterfaces<tutti::UniformityDialectInterface, tutti::InlinesAnywhere>();
  addInterface<tutti::BytecodeVersion>(/*current=*/1);
}

std::string tutti::kernel::getEntryName(KernelOpInterface op) {
  return ("tutti_" + op->getName().stripDialect()).str();
}

LogicalResult tutti::kernel::detail::verifyKernel(KernelOpInterface op, unsigned fewest,
                                                  unsigned most, unsigned outputs) {
  auto style = cast<DestinationStyleOpInterface>(op.getOperation());
  unsigned given = style.getNumDpsInputs();
  if (outputs == kAsManyAsInputs)
    outputs = given;
  if (given < fewest || given > most || style.getNumDpsInits() != int64_t(outputs)) {
    InFlightDiagnostic error = op->emitOpError("kernel_c1: needs ") << fewest;
    if (most > fewest)
      error << " to " << most;
    return error << " inputs and " << outputs << " outputs, got " << given << " and "
                 << style.getNumDpsInits();
  }
  auto isTensor = [](Value value) { return isa<TensorType>(value.getType()); };
  if (llvm::any_of(op->getOperands(), isTensor) && !llvm::all_of(op->getOperands(), isTensor))
    return op->emitOpError("kernel_c2: buffers must be all tensors or all memrefs");
  return op.verifyParameters();
}
