// Files that people take for a model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_FOREIGNFILES_H
#define TUTTI_LIB_FRONTEND_FOREIGNFILES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tutti::frontend {

/// What a file is that is no program, and what to do about it, as the end of a sentence that begins
/// with "the file is"; empty if its contents tell nothing. Looks at its beginning and its end only.
std::string nameForeignBytes(llvm::StringRef content);

/// The same of a text; empty if it may be a program in MLIR.
std::string nameForeignText(llvm::StringRef content);

/// The same of the folder at `path`.
std::string nameFolder(llvm::StringRef path);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_FOREIGNFILES_H
