// Places where ranks of one machine meet: the door's functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Door.h"
#include "runtime/support/Error.h"

#include <new>

using namespace tutti::runtime;

struct tutti_meeting {
  const tutti_backend *backend = nullptr;
  void *place = nullptr;
  const char *connection = "";
  std::string message;
};

int32_t door::tutti_meeting_create(const tutti_backend *backend, int32_t size, int64_t shared_bytes,
                                   tutti_meeting **out_meeting) {
  if (!out_meeting)
    return TUTTI_INVALID_ARGUMENT;
  tutti_meeting *meeting = *out_meeting = new (std::nothrow) tutti_meeting;
  if (!meeting)
    return TUTTI_OUT_OF_MEMORY;
  if (!backend || backend->version != TUTTI_BACKEND_VERSION || !backend->host) {
    meeting->message =
        text("backend '", backend ? backend->name : "null",
             "' has no meeting place of its own; its launcher brings ranks together");
    return TUTTI_UNSUPPORTED;
  }
  char message[512] = {};
  int32_t status = backend->host(size, shared_bytes, &meeting->place, &meeting->connection, message,
                                 sizeof message);
  meeting->message = message;
  if (status == TUTTI_OK)
    meeting->backend = backend;
  return status;
}

const char *door::tutti_meeting_connection(const tutti_meeting *meeting) {
  return meeting->connection;
}

void door::set_message(tutti_meeting *meeting, const std::string &message) {
  meeting->message = message;
}

const char *door::tutti_meeting_message(const tutti_meeting *meeting) {
  return meeting->message.c_str();
}

void door::tutti_meeting_destroy(tutti_meeting *meeting) {
  if (meeting && meeting->backend)
    meeting->backend->unhost(meeting->place);
  delete meeting;
}
