// ONNX types as MLIR types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/ElementTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti::frontend;

Type tutti::frontend::elementType(int32_t type, MLIRContext *context) {
  Builder builder(context);
  auto unsignedType = [&](unsigned width) {
    return builder.getIntegerType(width, /*isSigned=*/false);
  };
  switch (type) {
  case proto::TensorProto::FLOAT:
    return builder.getF32Type();
  case proto::TensorProto::DOUBLE:
    return builder.getF64Type();
  case proto::TensorProto::FLOAT16:
    return builder.getF16Type();
  case proto::TensorProto::BFLOAT16:
    return builder.getBF16Type();
  case proto::TensorProto::BOOL:
    return builder.getI1Type();
  case proto::TensorProto::INT8:
    return builder.getIntegerType(8);
  case proto::TensorProto::INT16:
    return builder.getIntegerType(16);
  case proto::TensorProto::INT32:
    return builder.getI32Type();
  case proto::TensorProto::INT64:
    return builder.getI64Type();
  case proto::TensorProto::UINT8:
    return unsignedType(8);
  case proto::TensorProto::UINT16:
    return unsignedType(16);
  case proto::TensorProto::UINT32:
    return unsignedType(32);
  case proto::TensorProto::UINT64:
    return unsignedType(64);
  case proto::TensorProto::COMPLEX64:
    return ComplexType::get(builder.getF32Type());
  case proto::TensorProto::COMPLEX128:
    return ComplexType::get(builder.getF64Type());
  default:
    return nullptr;
  }
}

/// Types that are younger than this libonnx.
static StringRef youngTypeName(int32_t type) {
  static constexpr StringRef names[] = {"FLOAT8E4M3FN",   "FLOAT8E4M3FNUZ", "FLOAT8E5M2",
                                        "FLOAT8E5M2FNUZ", "UINT4",          "INT4",
                                        "FLOAT4E2M1",     "FLOAT8E8M0"};
  constexpr int32_t first = 17;
  bool isOne = type >= first && type - first < static_cast<int32_t>(std::size(names));
  return isOne ? names[type - first] : StringRef();
}

std::string tutti::frontend::elementTypeName(int32_t type) {
  if (StringRef young = youngTypeName(type); !young.empty())
    return young.str();
  if (proto::TensorProto_DataType_IsValid(type))
    return proto::TensorProto_DataType_Name(static_cast<proto::TensorProto_DataType>(type));
  return "data type " + std::to_string(type);
}

/// Declared size of one dimension: dynamic if symbolic, absent, or -1, as paddle2onnx writes it.
static FailureOr<int64_t> readDimension(const proto::TensorShapeProto::Dimension &dimension) {
  if (!dimension.has_dim_value() || dimension.dim_value() == -1)
    return ShapedType::kDynamic;
  if (dimension.dim_value() < 0)
    return failure();
  return dimension.dim_value();
}

RankedTensorType tutti::frontend::readTensorType(const proto::ValueInfoProto &value, StringRef what,
                                                 Location location) {
  auto error = [&]() { return emitError(location) << what << " '" << value.name() << "' "; };
  if (!value.has_type() || !value.type().has_tensor_type())
    return error() << "is not a tensor; sequences, maps, optionals and sparse tensors are not "
                      "supported",
           nullptr;
  const proto::TypeProto::Tensor &tensor = value.type().tensor_type();
  Type element = elementType(tensor.elem_type(), location->getContext());
  if (!element)
    return error() << "has elements of unsupported type " << elementTypeName(tensor.elem_type())
                   << "; turn them into numbers in front of the model",
           nullptr;
  if (!tensor.has_shape())
    return error() << "has no shape; declare it, with names for the dimensions that vary", nullptr;
  if (tensor.shape().dim_size() > largestRank)
    return error() << "has " << tensor.shape().dim_size() << " dimensions; at most " << largestRank
                   << " are supported",
           nullptr;
  SmallVector<int64_t> shape;
  for (const auto &dimension : tensor.shape().dim()) {
    FailureOr<int64_t> size = readDimension(dimension);
    if (failed(size))
      return error() << "has a negative dimension, " << dimension.dim_value()
                     << "; one that varies has a name, or is -1",
             nullptr;
    shape.push_back(*size);
  }
  return RankedTensorType::get(shape, element);
}

/// The reverse of elementType; UNDEFINED for types that ONNX does not have.
static int32_t numberOf(Type type) {
  for (int32_t number = 1; number <= proto::TensorProto::DataType_MAX; ++number)
    if (elementType(number, type.getContext()) == type)
      return number;
  return proto::TensorProto::UNDEFINED;
}

proto::TypeProto tutti::frontend::writeTensorType(RankedTensorType type) {
  proto::TypeProto written;
  proto::TypeProto::Tensor &tensor = *written.mutable_tensor_type();
  tensor.set_elem_type(numberOf(type.getElementType()));
  tensor.mutable_shape();
  for (int64_t size : type.getShape()) {
    auto *dimension = tensor.mutable_shape()->add_dim();
    if (!ShapedType::isDynamic(size))
      dimension->set_dim_value(size);
  }
  return written;
}
