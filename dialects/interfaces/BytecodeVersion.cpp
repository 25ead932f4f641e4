// Writes and reads versions of dialects.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/BytecodeVersion.h"

using namespace mlir;

void tutti::BytecodeVersion::writeVersion(DialectBytecodeWriter &writer) const {
  writer.writeVarInt(current);
}

std::unique_ptr<DialectVersion>
tutti::BytecodeVersion::readVersion(DialectBytecodeReader &reader) const {
  uint64_t number = 0;
  if (failed(reader.readVarInt(number)))
    return nullptr;
  if (number <= current)
    return std::make_unique<Number>(number);
  reader.emitError() << "this file has version " << number << " of the dialect '"
                     << getDialect()->getNamespace() << "'; this release reads versions up to "
                     << current << ": use a newer release, or write the file as text there";
  return nullptr;
}
