// Framing and naming.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/summaries/EventFile.h"

#include "runtime/support/Crc32c.h"

#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace tutti::runtime::summaries {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// As TFRecord stores sums: turned, and moved by a number, so that the sum of data that have sums
/// in them means something.
uint32_t masked_sum(const std::string &data) {
  uint32_t sum = crc32c(data);
  return (sum >> 15 | sum << 17) + 0xa282ead8u;
}

template <typename Number> std::string bytes_of(Number number) {
  return {reinterpret_cast<const char *>(&number), sizeof number};
}

std::string file_name(double seconds) {
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) != 0 || host[0] == 0)
    std::snprintf(host, sizeof host, "localhost");
  char name[400];
  std::snprintf(name, sizeof name, "events.out.tfevents.%010lld.%s.%d",
                static_cast<long long>(seconds), host, int(getpid()));
  return name;
}

} // namespace

std::string record_of(const std::string &event) {
  std::string length = bytes_of(uint64_t(event.size()));
  return length + bytes_of(masked_sum(length)) + event + bytes_of(masked_sum(event));
}

Result<EventFile> EventFile::open(const std::string &folder, int64_t step) {
  Result<output::OutputFile> file = output::OutputFile::open(folder + "/" + file_name(now()));
  if (!file)
    return file.error();
  return EventFile(std::move(*file), step);
}

EventFile::EventFile(output::OutputFile opened, int64_t step)
    : file(std::move(opened)), head(record_of(version_event(now()))) {
  if (step > 0)
    head += record_of(start_event(now(), step + 1));
}

void EventFile::write(int64_t step, const Scalars &scalars) {
  file.write(head + record_of(scalar_event(now(), step, scalars)));
  if (!head.empty())
    file.appear();
  head.clear();
}

Error EventFile::close() { return head.empty() ? file.commit() : Error::success(); }

} // namespace tutti::runtime::summaries
