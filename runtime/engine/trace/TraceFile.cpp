// Putting events of many ranks into one file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/trace/TraceFile.h"

#include "runtime/engine/trace/analysis/CriticalPath.h"

#include <array>
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace tutti::runtime::trace {

/// Of all ranks; some hundred bytes each.
constexpr size_t most_spans_of_path = 500'000;

TraceFile::TraceFile(output::OutputFile file) : file(std::move(file)), reader(most_spans_of_path) {}

static Error with_subject(const Error &error) {
  return error ? Error::make(error.status, "the trace: ", error.message) : error;
}

Result<TraceFile> TraceFile::create(const std::string &path) {
  Result<output::OutputFile> file = output::OutputFile::open(path);
  if (!file)
    return with_subject(file.error());
  TraceFile made(std::move(*file));
  made.file.write("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
  return Result<TraceFile>(std::move(made));
}

void TraceFile::add_rank() {
  constexpr char between[] = ",\n";
  if (!is_empty)
    add_piece(between, sizeof between - 1);
  is_empty = false;
}

void TraceFile::add_piece(const char *text, size_t bytes) {
  file.write(text, bytes);
  reader.add(text, bytes);
}

bool TraceFile::add_part(int descriptor) {
  int64_t bytes = 0;
  struct stat status;
  if (pread(descriptor, &bytes, sizeof bytes, 0) != sizeof bytes || bytes <= 0 ||
      fstat(descriptor, &status) != 0 || status.st_size - int64_t(sizeof bytes) < bytes)
    return false;
  add_rank();
  std::array<char, 1 << 16> piece;
  for (int64_t done = 0; done < bytes;) {
    ssize_t read = pread(descriptor, piece.data(), piece.size(), off_t(sizeof bytes) + done);
    if (read <= 0)
      return false;
    add_piece(piece.data(), size_t(read));
    done += read;
  }
  return true;
}

Error TraceFile::commit(const std::string &about) {
  if (std::string path = analysis::events_of_path(reader.finish()); !path.empty())
    file.write(",\n" + path);
  file.write("\n],\"otherData\":" + about + "}\n");
  return with_subject(file.commit());
}

static bool write_all(int descriptor, const void *data, size_t bytes, off_t place) {
  for (size_t done = 0; done < bytes;) {
    ssize_t written = pwrite(descriptor, static_cast<const char *>(data) + done, bytes - done,
                             place + off_t(done));
    if (written < 0 && errno != EINTR)
      return false;
    done += size_t(written < 0 ? 0 : written);
  }
  return true;
}

Error write_part(int descriptor, const std::string &events) {
  // A rank that dies meanwhile leaves no number of bytes, and so no part.
  int64_t bytes = int64_t(events.size());
  if (write_all(descriptor, events.data(), events.size(), sizeof bytes) &&
      write_all(descriptor, &bytes, sizeof bytes, 0))
    return Error::success();
  return Error::make(TUTTI_SYSTEM_ERROR,
                     "the trace: cannot leave it to the launcher: ", system_message(errno));
}

} // namespace tutti::runtime::trace
