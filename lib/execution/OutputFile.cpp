// Temporary file plus rename.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/OutputFile.h"

using namespace tutti;
using namespace llvm;

/// True for what a rename would replace by a file: standard output, devices, pipes.
static bool isWrittenDirectly(StringRef path) {
  sys::fs::file_status status;
  return path == "-" || (!sys::fs::status(path, status) && !sys::fs::is_regular_file(status) &&
                         !sys::fs::is_directory(status));
}

Expected<OutputFile> OutputFile::open(StringRef path) {
  OutputFile file;
  file.path = path.str();
  if (sys::fs::is_directory(path))
    return createFileError(path, make_error_code(std::errc::is_a_directory));
  if (isWrittenDirectly(path)) {
    std::error_code error;
    file.out = std::make_unique<raw_fd_ostream>(path, error, sys::fs::OF_None);
    if (error)
      return createFileError(path, error);
    return file;
  }
  if (sys::fs::exists(path) && !sys::fs::can_write(path))
    return createFileError(path, make_error_code(std::errc::permission_denied));
  Expected<sys::fs::TempFile> temporary = sys::fs::TempFile::create(path + ".tmp-%%%%%%%%");
  if (!temporary)
    return createFileError(path, temporary.takeError());
  file.temporary.emplace(std::move(*temporary));
  file.out = std::make_unique<raw_fd_ostream>(file.temporary->FD, /*shouldClose=*/false);
  return file;
}

Error OutputFile::commit() {
  out->flush();
  std::error_code error = out->error();
  out->clear_error();
  if (error)
    return createFileError(path, error);
  out.reset();
  if (!temporary)
    return Error::success();
  sys::fs::TempFile complete = std::move(*temporary);
  temporary.reset();
  return complete.keep(path);
}

OutputFile::~OutputFile() {
  if (out) {
    out->flush();
    out->clear_error();
  }
  out.reset();
  if (temporary)
    consumeError(temporary->discard());
}
