// Putting events of many ranks into one file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/trace/TraceFile.h"

#include <array>
#include <cerrno>
#include <unistd.h>
#include <utility>

namespace tutti::runtime::trace {

static Error cannot_write(const std::string &path) {
  return Error::make(TUTTI_SYSTEM_ERROR, "cannot write the trace to '", path,
                     "': ", system_message(errno));
}

Result<TraceFile> TraceFile::create(const std::string &path) {
  TraceFile made;
  made.path = path;
  made.temporary = text(path, ".", getpid(), ".tmp");
  made.file.reset(std::fopen(made.temporary.c_str(), "we"));
  if (!made.file)
    return cannot_write(path);
  std::fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", made.file.get());
  return made;
}

TraceFile::TraceFile(TraceFile &&other) noexcept
    : path(std::move(other.path)), temporary(std::exchange(other.temporary, "")),
      file(std::move(other.file)), is_empty(other.is_empty) {}

TraceFile::~TraceFile() {
  if (!temporary.empty())
    unlink(temporary.c_str());
}

void TraceFile::add_rank() {
  if (!is_empty)
    std::fputs(",\n", file.get());
  is_empty = false;
}

void TraceFile::add_piece(const char *text, size_t bytes) {
  std::fwrite(text, 1, bytes, file.get());
}

bool TraceFile::add_part(const std::string &path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> part(std::fopen(path.c_str(), "re"),
                                                        std::fclose);
  if (!part)
    return false;
  add_rank();
  std::array<char, 1 << 16> piece;
  while (size_t bytes = std::fread(piece.data(), 1, piece.size(), part.get()))
    add_piece(piece.data(), bytes);
  return true;
}

Error TraceFile::commit(const std::string &about) {
  std::fprintf(file.get(), "\n],\"otherData\":%s}\n", about.c_str());
  bool is_written = std::fflush(file.get()) == 0 && !std::ferror(file.get());
  file.reset();
  if (!is_written || std::rename(temporary.c_str(), path.c_str()) != 0)
    return cannot_write(path);
  temporary.clear();
  return Error::success();
}

std::string part_path(const std::string &path, int64_t rank) {
  return text(path, ".rank", rank, ".part");
}

Error write_part(const std::string &path, const std::string &events) {
  // Only a whole part has the name that the launcher looks for.
  std::string temporary = path + ".tmp";
  std::FILE *file = std::fopen(temporary.c_str(), "we");
  if (!file)
    return cannot_write(path);
  bool is_written = std::fwrite(events.data(), 1, events.size(), file) == events.size();
  is_written = std::fclose(file) == 0 && is_written;
  if (is_written && std::rename(temporary.c_str(), path.c_str()) == 0)
    return Error::success();
  Error error = cannot_write(path);
  unlink(temporary.c_str());
  return error;
}

} // namespace tutti::runtime::trace
