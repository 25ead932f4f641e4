// The kernel dialect, the text form of its operation and what the verifier holds it to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/Kernel.h"
#include "dialects/interfaces/Determinism.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti::kernel;

namespace {

/// Prints or parses `(input types) -> output types`; results follow from the outputs.
ParseResult parseCallTypes(OpAsmParser &parser, SmallVectorImpl<Type> &inputs,
                           SmallVectorImpl<Type> &outputs, SmallVectorImpl<Type> &results) {
  FunctionType type;
  if (parser.parseType(type))
    return failure();
  llvm::append_range(inputs, type.getInputs());
  llvm::append_range(outputs, type.getResults());
  llvm::copy_if(outputs, std::back_inserter(results), llvm::IsaPred<TensorType>);
  return success();
}

void printCallTypes(OpAsmPrinter &printer, CallOp, TypeRange inputs, TypeRange outputs, TypeRange) {
  printer.printFunctionalType(inputs, outputs);
}

} // namespace

#include "dialects/kernel/KernelOpsDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/kernel/KernelOps.cpp.inc"

void KernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/kernel/KernelOps.cpp.inc"
      >();
  addInterfaces<tutti::UniformityDialectInterface>();
}

ArrayRef<StringRef> tutti::kernel::getKernelNames() {
  static constexpr StringRef names[] = {
#define TUTTI_KERNEL_ENTRY(name, spelling, parameters, arguments) #name,
#include "tutti/abi.def"
  };
  return names;
}

void CallOp::build(OpBuilder &builder, OperationState &state, StringRef callee, ValueRange inputs,
                   ValueRange outputs, ArrayRef<int64_t> parameters, bool accumulates) {
  SmallVector<Type> results;
  llvm::copy_if(outputs.getTypes(), std::back_inserter(results), llvm::IsaPred<TensorType>);
  build(builder, state, results, builder.getStringAttr(callee), inputs, outputs,
        builder.getDenseI64ArrayAttr(parameters), accumulates ? builder.getUnitAttr() : UnitAttr());
}

/// call_c1: the callee is a kernel of abi.def; call_c2: one kind of buffer; call_c4: an output.
/// (C3) is what DestinationStyleOpInterface verifies.
LogicalResult CallOp::verify() {
  if (!llvm::is_contained(getKernelNames(), getCallee()))
    return emitOpError("call_c1: '")
           << getCallee() << "' is not a kernel of the runtime; there are "
           << llvm::join(getKernelNames(), ", ");
  auto isTensor = [](Value value) { return isa<TensorType>(value.getType()); };
  if (llvm::any_of(getOperands(), isTensor) && !llvm::all_of(getOperands(), isTensor))
    return emitOpError("call_c2: buffers must be all tensors or all memrefs");
  if (getOutputs().empty())
    return emitOpError("call_c4: needs at least one output");
  return success();
}
