// Tells MLIR bytecode, MLIR text and ONNX apart by content.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/InputFormat.h"

#include "lib/frontend/ForeignFiles.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace tutti::frontend;
using llvm::StringRef;

static constexpr StringRef bytecodeMagic("ML\xefR", 4);

namespace {

/// Walks the outermost fields of a protocol buffer; it needs no schema and allocates nothing.
class ModelProtoWalk {
public:
  explicit ModelProtoWalk(StringRef content) : rest(content) {}

  /// True when the whole content is a sequence of ModelProto fields with a graph among them.
  bool isWholeModel() {
    while (!rest.empty())
      if (!stepOver())
        return false;
    return sawGraph;
  }

  /// True when the first field is one that a ModelProto can have.
  bool startsLikeModel() { return !rest.empty() && readKnownKey().has_value(); }

private:
  /// The wire type that ModelProto gives to field `number`, or none if there is no such field.
  static std::optional<unsigned> wireTypeOf(uint64_t number) {
    switch (number) {
    case 1: // ir_version
    case 5: // model_version
      return 0;
    case 2:  // producer_name
    case 3:  // producer_version
    case 4:  // domain
    case 6:  // doc_string
    case 7:  // graph
    case 8:  // opset_import
    case 14: // metadata_props
    case 20: // training_info
    case 25: // functions
      return 2;
    default:
      return std::nullopt;
    }
  }

  std::optional<uint64_t> readVarint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
      uint8_t byte = rest.front();
      rest = rest.drop_front();
      value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        return value;
    }
    return std::nullopt;
  }

  std::optional<uint64_t> readKnownKey() {
    std::optional<uint64_t> key = readVarint();
    if (!key || wireTypeOf(*key >> 3) != std::optional<unsigned>(*key & 7))
      return std::nullopt;
    return *key >> 3;
  }

  bool stepOver() {
    std::optional<uint64_t> number = readKnownKey();
    if (!number)
      return false;
    sawGraph |= *number == 7;
    std::optional<uint64_t> value = readVarint();
    if (!value)
      return false;
    if (*wireTypeOf(*number) == 0)
      return true;
    if (*value > rest.size())
      return false;
    rest = rest.drop_front(*value);
    return true;
  }

  StringRef rest;
  bool sawGraph = false;
};

} // namespace

/// Offset of the first byte that no text has, or npos: text is UTF-8 whose only control characters
/// are white space.
static size_t findNonText(StringRef content) {
  for (auto [offset, character] : llvm::enumerate(content))
    if (static_cast<unsigned char>(character) < 0x20 && !llvm::isSpace(character))
      return offset;
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(content.begin());
  const llvm::UTF8 *position = begin;
  const auto *end = reinterpret_cast<const llvm::UTF8 *>(content.end());
  if (!llvm::isLegalUTF8String(&position, end))
    return position - begin;
  return StringRef::npos;
}

InputFormat tutti::frontend::detectInputFormat(StringRef content) {
  if (content.trim().empty())
    return InputFormat::Unknown;
  if (content.starts_with(bytecodeMagic))
    return InputFormat::MlirBytecode;
  if (ModelProtoWalk(content).isWholeModel())
    return InputFormat::Onnx;
  if (findNonText(content) == StringRef::npos)
    return nameForeignText(content).empty() ? InputFormat::MlirText : InputFormat::Unknown;
  return nameForeignBytes(content).empty() && ModelProtoWalk(content).startsLikeModel()
             ? InputFormat::Onnx
             : InputFormat::Unknown;
}

std::string tutti::frontend::explainUnknownFormat(StringRef content) {
  if (content.trim().empty())
    return "the file is empty; expected an ONNX model, MLIR text or MLIR bytecode";
  bool isText = findNonText(content) == StringRef::npos;
  std::string kind = isText ? nameForeignText(content) : nameForeignBytes(content);
  if (!kind.empty())
    return "the file is " + kind;
  std::string text;
  llvm::raw_string_ostream(text)
      << "the content is neither MLIR bytecode (it does not start with 'ML\\xEFR'), nor MLIR text "
         "(byte "
      << findNonText(content)
      << " is not text), nor an ONNX model (byte 0 starts no ModelProto field)";
  return text;
}
