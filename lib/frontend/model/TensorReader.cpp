// Decodes tensors into dense attributes and resource blobs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/TensorReader.h"

#include "lib/frontend/model/ElementTypes.h"
#include "lib/frontend/model/MissingData.h"
#include "lib/frontend/model/TypedFields.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tutti::frontend;

static InFlightDiagnostic errorAbout(const proto::TensorProto &tensor, Location location) {
  InFlightDiagnostic error = emitError(location) << "tensor";
  if (!tensor.name().empty())
    error << " '" << tensor.name() << "'";
  error << ": ";
  return error;
}

/// Bytes of one element as ONNX stores it: bool takes one.
static uint64_t elementBytes(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * elementBytes(complex.getElementType());
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// Bytes of a whole tensor, or none when they do not fit into 63 bits.
static std::optional<uint64_t> contentBytes(RankedTensorType type) {
  int64_t bytes = elementBytes(type.getElementType());
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  return bytes;
}

RankedTensorType TensorReader::readType(const proto::TensorProto &tensor, Location location) {
  Type element = elementType(tensor.data_type(), location->getContext());
  if (!element)
    return errorAbout(tensor, location)
               << "elements of type " << elementTypeName(tensor.data_type())
               << " are not supported",
           nullptr;
  if (tensor.dims_size() > largestRank)
    return errorAbout(tensor, location)
               << "it has " << tensor.dims_size() << " dimensions; at most " << largestRank
               << " are supported",
           nullptr;
  SmallVector<int64_t> shape(tensor.dims().begin(), tensor.dims().end());
  for (int64_t size : shape)
    if (size < 0)
      return errorAbout(tensor, location) << "its dimension " << size << " is negative", nullptr;
  auto type = RankedTensorType::get(shape, element);
  if (!contentBytes(type))
    return errorAbout(tensor, location)
               << "its shape [" << shape << "] has more elements than memory can hold",
           nullptr;
  return type;
}

uint64_t TensorReader::storedBytes(RankedTensorType type) { return *contentBytes(type); }

static bool isRepeated(ArrayRef<char> bytes, uint64_t period) {
  return bytes.size() > period && bytes.drop_front(period) == bytes.drop_back(period);
}

/// bool is one byte in ONNX and one bit, as far as the type goes, in MLIR.
static DenseElementsAttr inlineBools(RankedTensorType type, ArrayRef<char> bytes) {
  SmallVector<bool> values(llvm::map_range(bytes, [](char byte) { return byte != 0; }));
  return DenseElementsAttr::get(type, values);
}

static DenseElementsAttr inlineElements(RankedTensorType type, ArrayRef<char> bytes) {
  if (bytes.empty())
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  uint64_t period = elementBytes(type.getElementType());
  bool repeated = isRepeated(bytes, period);
  if (type.getElementType().isInteger(1))
    return inlineBools(type, repeated ? bytes.take_front(1) : bytes);
  return DenseElementsAttr::getFromRawBuffer(type, repeated ? bytes.take_front(period) : bytes);
}

static ElementsAttr makeResource(RankedTensorType type, StringRef name, AsmResourceBlob blob) {
  return DenseResourceElementsAttr::get(type, name.empty() ? "tensor" : name, std::move(blob));
}

static bool isInline(RankedTensorType type, ArrayRef<char> bytes) {
  return bytes.size() <= TensorReader::largestInlineBytes || type.getElementType().isInteger(1) ||
         isRepeated(bytes, elementBytes(type.getElementType()));
}

/// What blobs are aligned to when they are read again from text or bytecode.
static constexpr uint64_t kAlignment = 64;

static ElementsAttr readBytes(RankedTensorType type, StringRef name, ArrayRef<char> bytes) {
  if (isInline(type, bytes))
    return inlineElements(type, bytes);
  return makeResource(type, name, HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, kAlignment));
}

/// Points into the mapped file.
static ElementsAttr readMapped(RankedTensorType type, StringRef name, MappedBytes mapped) {
  if (isInline(type, mapped.bytes))
    return inlineElements(type, mapped.bytes);
  auto keepMapped = [owner = mapped.owner](void *, size_t, size_t) mutable { owner.reset(); };
  return makeResource(type, name,
                      AsmResourceBlob(mapped.bytes, kAlignment, std::move(keepMapped),
                                      /*dataIsMutable=*/false));
}

ElementsAttr TensorReader::readMapped(RankedTensorType type, StringRef name, MappedBytes mapped,
                                      Location location) {
  uint64_t size = *contentBytes(type);
  if (mapped.bytes.size() != size)
    return emitError(location) << "tensor '" << name << "': its type " << type << " needs " << size
                               << " bytes, but there are " << mapped.bytes.size(),
           nullptr;
  return ::readMapped(type, name, std::move(mapped));
}

ElementsAttr TensorReader::read(const proto::TensorProto &tensor, Location location) {
  RankedTensorType type = readType(tensor, location);
  if (!type)
    return nullptr;
  ElementsAttr content = readContent(tensor, type, location);
  if (content || !isSurvey || isa<ComplexType>(type.getElementType()))
    return content;
  return DenseElementsAttr::get(type,
                                Builder(type.getContext()).getZeroAttr(type.getElementType()));
}

static LogicalResult checkRawBytes(const proto::TensorProto &tensor, uint64_t bytes,
                                   RankedTensorType type, Location location) {
  if (bytes == *contentBytes(type))
    return success();
  return errorAbout(tensor, location) << "its type " << type << " needs " << *contentBytes(type)
                                      << " bytes, but there are " << bytes;
}

ElementsAttr TensorReader::readContent(const proto::TensorProto &tensor, RankedTensorType type,
                                       Location location) {
  uint64_t size = *contentBytes(type);
  if (tensor.has_segment())
    return errorAbout(tensor, location) << "it is stored in segments, which are not supported",
           nullptr;
  if (std::optional<MappedBytes> mapped = file.rawData(tensor)) {
    if (failed(checkRawBytes(tensor, mapped->bytes.size(), type, location)))
      return nullptr;
    return ::readMapped(type, tensor.name(), std::move(*mapped));
  }
  if (tensor.data_location() == proto::TensorProto::EXTERNAL) {
    FailureOr<MappedBytes> mapped = external.find(tensor, size, location);
    if (failed(mapped))
      return nullptr;
    if (mapped->missingFile.empty())
      return ::readMapped(type, tensor.name(), *mapped);
    missing.push_back(makeMissingData(type, mapped->missingFile, mapped->offset));
    return missing.back();
  }
  if (tensor.has_raw_data()) {
    if (failed(checkRawBytes(tensor, tensor.raw_data().size(), type, location)))
      return nullptr;
    return readBytes(type, tensor.name(), ArrayRef<char>(tensor.raw_data().data(), size));
  }
  FailureOr<std::vector<char>> packed = packTypedFields(tensor, type.getNumElements());
  if (failed(packed))
    return errorAbout(tensor, location) << "its type " << type << " needs " << type.getNumElements()
                                        << " elements, but " << describeTypedFields(tensor),
           nullptr;
  return readBytes(type, tensor.name(), *packed);
}

void TensorReader::reportMissing(Location location) const {
  if (!missing.empty())
    emitWarning(location) << describeMissingData(missing)
                          << "; the program can be rewritten and planned, but not run, but for "
                             "tables of servers with serve-initial";
}
