// Walks and writes the fields of protocol buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/WireFormat.h"

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/wire_format_lite.h"

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using llvm::StringRef;

/// Goes after the field that starts with `tag`; what it holds, if it has a length.
static bool stepOver(CodedInputStream &stream, uint32_t tag, StringRef message,
                     std::optional<StringRef> &content) {
  if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED)
    return WireFormatLite::SkipField(&stream, tag);
  int length = 0;
  if (!stream.ReadVarintSizeAsInt(&length))
    return false;
  content = message.substr(stream.CurrentPosition(), length);
  return stream.Skip(length);
}

bool tutti::frontend::forEachWireField(StringRef message,
                                       llvm::function_ref<bool(const WireField &)> use) {
  CodedInputStream stream(reinterpret_cast<const uint8_t *>(message.data()),
                          static_cast<int>(message.size()));
  int start = 0;
  while (uint32_t tag = stream.ReadTag()) {
    WireField field{WireFormatLite::GetTagFieldNumber(tag), {}, std::nullopt};
    if (!stepOver(stream, tag, message, field.content))
      return false;
    field.whole = message.slice(start, stream.CurrentPosition());
    start = stream.CurrentPosition();
    if (!use(field))
      return false;
  }
  return stream.ConsumedEntireMessage();
}

void tutti::frontend::appendWireField(std::string &message, int number, StringRef content) {
  uint8_t head[10]; // a tag and a length take up to 5 bytes each
  uint8_t *end = CodedOutputStream::WriteVarint32ToArray(
      WireFormatLite::MakeTag(number, WireFormatLite::WIRETYPE_LENGTH_DELIMITED), head);
  end = CodedOutputStream::WriteVarint32ToArray(static_cast<uint32_t>(content.size()), end);
  message.append(reinterpret_cast<const char *>(head), end - head);
  message.append(content.data(), content.size());
}
