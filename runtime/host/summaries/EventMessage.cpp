// The few fields that events of scalars have, encoded by hand: libprotobuf in every rank would be
// megabytes of memory and a startup of its own for them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/summaries/EventMessage.h"

#include <cstring>
#include <string_view>

namespace tutti::runtime::summaries {
namespace {

// Field numbers of TensorFlow's event.proto and summary.proto.
enum EventField { wall_time_field = 1, step_field = 2, version_field = 3, summary_field = 5 };
constexpr int session_log_field = 7;
constexpr int session_status_field = 1, session_start = 1;
constexpr int summary_value_field = 1, tag_field = 1, simple_value_field = 2;

enum WireType { varint_type = 0, fixed64_type = 1, bytes_type = 2, fixed32_type = 5 };

class Message {
public:
  Message &add_varint(int field, uint64_t value) {
    begin(field, varint_type);
    put_varint(value);
    return *this;
  }
  Message &add_double(int field, double value) {
    begin(field, fixed64_type);
    return put(&value, sizeof value);
  }
  Message &add_float(int field, float value) {
    begin(field, fixed32_type);
    return put(&value, sizeof value);
  }
  Message &add_bytes(int field, std::string_view value) {
    begin(field, bytes_type);
    put_varint(value.size());
    return put(value.data(), value.size());
  }
  const std::string &bytes() const { return content; }

private:
  void begin(int field, WireType type) { put_varint(uint64_t(field) << 3 | type); }
  void put_varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      content += char(value | 0x80);
    content += char(value);
  }
  Message &put(const void *data, size_t bytes) {
    content.append(static_cast<const char *>(data), bytes);
    return *this;
  }

  std::string content;
};

} // namespace

std::string version_event(double wall_time) {
  return Message()
      .add_double(wall_time_field, wall_time)
      .add_bytes(version_field, "brain.Event:2")
      .bytes();
}

std::string start_event(double wall_time, int64_t step) {
  Message log;
  log.add_varint(session_status_field, session_start);
  return Message()
      .add_double(wall_time_field, wall_time)
      .add_varint(step_field, uint64_t(step))
      .add_bytes(session_log_field, log.bytes())
      .bytes();
}

std::string scalar_event(double wall_time, int64_t step, const Scalars &scalars) {
  Message summary;
  for (const auto &[name, value] : scalars) {
    Message scalar;
    scalar.add_bytes(tag_field, name).add_float(simple_value_field, float(value));
    summary.add_bytes(summary_value_field, scalar.bytes());
  }
  return Message()
      .add_double(wall_time_field, wall_time)
      .add_varint(step_field, uint64_t(step))
      .add_bytes(summary_field, summary.bytes())
      .bytes();
}

} // namespace tutti::runtime::summaries
