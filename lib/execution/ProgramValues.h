// The values of a compiled program that are not in it, see tutti_values in include/tutti/program.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_PROGRAMVALUES_H
#define TUTTI_LIB_EXECUTION_PROGRAMVALUES_H

#include "lib/execution/files/Descriptor.h"
#include "lib/execution/files/MemoryFile.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tutti::execution {

/// Where a value lies.
struct ValuePlace {
  std::string path;
  uint64_t offset; ///< bytes
};

/// Files that ranks map. Copies share them.
class ProgramValues {
public:
  /// Those that `manifest` lists, which are resources of `module`. Initial values stay in the file
  /// that they were mapped from, if it is still there and they are aligned in it; the others are
  /// copied into memory, so that a program that runs for days does not depend on a file of which
  /// nobody knows that it is in use.
  static llvm::Expected<ProgramValues> find(llvm::StringRef manifest, mlir::ModuleOp module);

  /// The values of one constant, under `name`: in the file that they were mapped from, if they are
  /// aligned in it, or a copy. Booleans and constants of one number are not taken.
  static llvm::Expected<ProgramValues> place(llvm::StringRef name, mlir::ElementsAttr values);

  /// By name. For this process and for those that it starts or becomes, as long as this object
  /// lives.
  const std::map<std::string, ValuePlace> &places() const { return placeOf; }

private:
  struct Wanted;
  static llvm::Expected<ProgramValues> place(llvm::ArrayRef<Wanted> wanted);

  std::map<std::string, ValuePlace> placeOf;
  std::vector<std::shared_ptr<const Descriptor>> files;
  std::shared_ptr<const MemoryFile> copies; ///< null without any
};

} // namespace tutti::execution

#endif // TUTTI_LIB_EXECUTION_PROGRAMVALUES_H
