// Registration of the onnx dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/BytecodeVersion.h"
#include "dialects/interfaces/Determinism.h"
#include "dialects/interfaces/Inlining.h"
#include "dialects/onnx/ExternalModels.h"
#include "dialects/onnx/Onnx.h"

using namespace mlir;
using namespace tutti::onnx;

#include "dialects/onnx/OnnxDialect.cpp.inc"

namespace {
/// The standard says what operators compute; of others nothing is known.
struct OnnxUniformity : tutti::UniformityDialectInterface {
  using UniformityDialectInterface::UniformityDialectInterface;
  bool isDeterministic(Operation *op) const override { return !isa<CustomOp>(op); }
};
} // namespace

void OnnxDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/onnx/Onnx.cpp.inc"
      >();
  addInterfaces<OnnxUniformity, tutti::InlinesAnywhere>();
  addInterface<tutti::BytecodeVersion>(/*current=*/1);
  attachExternalModels(getContext());
}

Operation *OnnxDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}
