// The reverse of TensorReader and AttributeReader.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/TensorWriter.h"

#include "lib/frontend/model/ElementTypes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace tutti::frontend;
using proto::AttributeProto;

int32_t tutti::frontend::writeElementType(Type type) {
  return writeTensorType(RankedTensorType::get({}, type)).tensor_type().elem_type();
}

/// bool is one bit in MLIR, as far as the type goes, and one byte in ONNX.
static std::string bytesOf(DenseElementsAttr content) {
  std::string bytes;
  if (content.getElementType().isInteger(1)) {
    for (bool value : content.getValues<bool>())
      bytes.push_back(value ? 1 : 0);
    return bytes;
  }
  ArrayRef<char> raw = content.getRawData();
  int64_t repeats = content.isSplat() ? content.getNumElements() : 1;
  bytes.reserve(raw.size() * repeats);
  for (int64_t i = 0; i < repeats; ++i)
    bytes.append(raw.data(), raw.size());
  return bytes;
}

FailureOr<proto::TensorProto> tutti::frontend::writeTensor(ElementsAttr content, StringRef name,
                                                           Location location) {
  auto type = dyn_cast<RankedTensorType>(content.getType());
  int32_t element = type ? writeElementType(type.getElementType()) : proto::TensorProto::UNDEFINED;
  if (element == proto::TensorProto::UNDEFINED)
    return emitError(location) << "ONNX has no tensors of type " << content.getType();
  proto::TensorProto tensor;
  tensor.set_name(name.str());
  tensor.set_data_type(element);
  for (int64_t size : type.getShape())
    tensor.add_dims(size);
  if (auto dense = dyn_cast<DenseElementsAttr>(content)) {
    tensor.set_raw_data(bytesOf(dense));
    return tensor;
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(content);
  AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return emitError(location) << "the values of '" << name << "' are not there";
  tensor.set_raw_data(std::string(blob->getData().data(), blob->getData().size()));
  return tensor;
}

proto::TensorProto tutti::frontend::writeIntegers(ArrayRef<int64_t> values, StringRef name) {
  proto::TensorProto tensor;
  tensor.set_name(name.str());
  tensor.set_data_type(proto::TensorProto::INT64);
  tensor.add_dims(static_cast<int64_t>(values.size()));
  for (int64_t value : values)
    tensor.add_int64_data(value);
  return tensor;
}

/// A list of equal kind: of strings or of tensors.
static LogicalResult writeList(ArrayAttr list, AttributeProto &written, Location location) {
  for (Attribute element : list) {
    if (auto string = dyn_cast<StringAttr>(element)) {
      written.set_type(AttributeProto::STRINGS);
      written.add_strings(string.str());
    } else if (auto content = dyn_cast<ElementsAttr>(element)) {
      FailureOr<proto::TensorProto> tensor = writeTensor(content, "", location);
      if (failed(tensor))
        return failure();
      written.set_type(AttributeProto::TENSORS);
      *written.add_tensors() = std::move(*tensor);
    } else {
      return failure();
    }
  }
  return success();
}

/// Arrays are contents of tensors too, as far as MLIR's interfaces go; they come first.
static LogicalResult writeValue(Attribute value, AttributeProto &written, Location location) {
  if (auto number = dyn_cast<FloatAttr>(value)) {
    written.set_type(AttributeProto::FLOAT);
    written.set_f(static_cast<float>(number.getValueAsDouble()));
  } else if (auto number = dyn_cast<IntegerAttr>(value)) {
    written.set_type(AttributeProto::INT);
    written.set_i(number.getInt());
  } else if (auto string = dyn_cast<StringAttr>(value)) {
    written.set_type(AttributeProto::STRING);
    written.set_s(string.str());
  } else if (auto type = dyn_cast<TypeAttr>(value)) {
    written.set_type(AttributeProto::INT);
    written.set_i(writeElementType(type.getValue()));
  } else if (auto numbers = dyn_cast<DenseI64ArrayAttr>(value)) {
    written.set_type(AttributeProto::INTS);
    for (int64_t number : numbers.asArrayRef())
      written.add_ints(number);
  } else if (auto numbers = dyn_cast<DenseF32ArrayAttr>(value)) {
    written.set_type(AttributeProto::FLOATS);
    for (float number : numbers.asArrayRef())
      written.add_floats(number);
  } else if (auto content = dyn_cast<ElementsAttr>(value)) {
    FailureOr<proto::TensorProto> tensor = writeTensor(content, "", location);
    if (failed(tensor))
      return failure();
    written.set_type(AttributeProto::TENSOR);
    *written.mutable_t() = std::move(*tensor);
  } else if (auto list = dyn_cast<ArrayAttr>(value)) {
    return writeList(list, written, location);
  } else {
    return failure();
  }
  return success();
}

FailureOr<AttributeProto> tutti::frontend::writeAttribute(NamedAttribute attribute,
                                                          Location location) {
  AttributeProto written;
  written.set_name(attribute.getName().str());
  if (succeeded(writeValue(attribute.getValue(), written, location)))
    return written;
  return emitError(location) << "ONNX has no attribute as '" << attribute.getName().getValue()
                             << "' is: " << attribute.getValue();
}
