// The version of a dialect in bytecode, so that files of older releases can be read by newer ones,
// and files of newer ones are refused by name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_DIALECTS_INTERFACES_BYTECODEVERSION_H
#define TUTTI_DIALECTS_INTERFACES_BYTECODEVERSION_H

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace tutti {

/// Writes the number of a dialect's version into bytecode. A dialect's number grows by one when an
/// operation, attribute or type of it changes so that what was written before means something else;
/// whoever raises it says in `upgradeFromVersion` of a class of its own how older programs are
/// read.
class BytecodeVersion : public mlir::BytecodeDialectInterface {
public:
  /// What a file says.
  struct Number : mlir::DialectVersion {
    explicit Number(uint64_t value) : value(value) {}
    uint64_t value;
  };

  BytecodeVersion(mlir::Dialect *dialect, uint64_t current)
      : BytecodeDialectInterface(dialect), current(current) {}

  void writeVersion(mlir::DialectBytecodeWriter &writer) const override;

  /// Refuses files of a version that is newer than this one.
  std::unique_ptr<mlir::DialectVersion>
  readVersion(mlir::DialectBytecodeReader &reader) const override;

private:
  uint64_t current;
};

} // namespace tutti

#endif // TUTTI_DIALECTS_INTERFACES_BYTECODEVERSION_H
