// A call of a collective at the door: what all kinds check and count before it is carried out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_DOOR_CALL_H
#define TUTTI_RUNTIME_ENGINE_DOOR_CALL_H

#include "runtime/engine/core/Context.h"
#include "tutti/collectives.h"

namespace tutti::runtime {

/// One call on one context. The first thing that is wrong becomes the context's error, and the call
/// does nothing.
class Call {
public:
  /// Checks the group, the type and the buffers.
  Call(tutti_context *context, int64_t group_number, const tutti_call &call);

  /// Further checks, as the kind needs them.
  Call &reduces();
  Call &has_root();
  Call &has_peer();

  /// Carries the call out, or starts it between async_begin and async_end. Ranks outside the group
  /// do nothing.
  void run();

  /// Whether there is a valid call to go on with.
  bool takes_part() const { return context->ok() && group->is_member(); }
  int32_t size() const { return int32_t(group->members.size()); }
  int32_t rank() const { return group->rank; }
  tutti_call &fields() { return call; }
  /// Adds to the payload.
  void count_elements(int64_t elements);
  Call &refuse(int32_t status, const std::string &problem);

private:
  bool is_rank(int32_t number) const { return number >= 0 && number < size(); }
  void start();
  void check_buffers();
  void check_buffer(int64_t i);

  tutti_context *context;
  tutti_call call;
  Group *group = nullptr;
  int64_t bytes = 0;
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_ENGINE_DOOR_CALL_H
