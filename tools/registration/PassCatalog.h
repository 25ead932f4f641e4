// The passes and pipelines of Tutti as people look for them: by stage, with their keys.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_REGISTRATION_PASSCATALOG_H
#define TUTTI_TOOLS_REGISTRATION_PASSCATALOG_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

namespace tutti {

/// The passes of one folder of passes/, by name.
struct Stage {
  llvm::StringRef name;
  llvm::SmallVector<llvm::StringRef> passes;
};

/// In the order in which a program goes through them.
llvm::SmallVector<Stage> passesByStage();

/// The pipelines, in the order in which they are used.
llvm::ArrayRef<llvm::StringRef> pipelineNames();

/// What `name`, a registered pass or pipeline, does, in a line; empty if there is no such.
llvm::StringRef describePass(llvm::StringRef name);

/// Prints what the pass or pipeline `name` does and every key with type, default and text. False if
/// Tutti has no such.
bool printKeysOf(llvm::StringRef name, llvm::raw_ostream &out);

/// Which of "train", "distribute" and "read" has the key `name`, also by the name that others have
/// for it; empty if none does.
llvm::StringRef holderOfKey(llvm::StringRef name);

} // namespace tutti

#endif // TUTTI_TOOLS_REGISTRATION_PASSCATALOG_H
