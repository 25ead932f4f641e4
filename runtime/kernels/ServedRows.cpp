// Rows that the host's row service has: pulled, and their gradients pushed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/Door.h"
#include "runtime/core/WaitReporter.h"
#include "runtime/kernels/PrimitiveStore.h"
#include "runtime/kernels/RowIndices.h"
#include "runtime/support/NodeName.h"

#include <cstring>
#include <stdexcept>

using namespace tutti::runtime;
using namespace tutti::runtime::kernels;

namespace {

constexpr int64_t pull_parameters = 6, push_parameters = 7;
constexpr int64_t message_bytes = 1024;

const tutti_row_service &service_of(tutti_context *context) {
  if (!context->rows)
    throw std::runtime_error("the program uses tables that servers hold, but the host gave the "
                             "context no row service (tutti_context_set_rows)");
  return *context->rows;
}

/// Where an entry is used, its position and its row.
struct UsedRows {
  std::vector<int64_t> positions, indices;

  UsedRows(const RowIndices &list) {
    positions.reserve(list.size());
    indices.reserve(list.size());
    for (int64_t i = 0; i < list.size(); ++i)
      if (int64_t row = list[i]; row != list.unused()) {
        positions.push_back(i);
        indices.push_back(row);
      }
  }
};

tutti_row_list list_of(const tutti_context *context, int64_t table, const UsedRows &used) {
  return {table, context->step, int64_t(used.indices.size()), used.indices.data()};
}

/// Fails the context with what the service said, and the node and the entry of the plan that asked.
void check(tutti_context *context, int32_t status, const char *message, const int64_t *name,
           int64_t plan_entry) {
  if (status == TUTTI_OK)
    return;
  std::string node = node_name(name);
  std::string where = plan_entry < 0 ? "" : " (" + context->where(plan_entry) + ")";
  context->fail(status, text(node.empty() ? "" : "node '" + node + "': ", message, where));
}

/// The scalars one behind the other, each at a multiple of 8 bytes.
std::vector<char> pack(void *const *scalars, const int64_t *bytes, int64_t count) {
  std::vector<char> packed;
  for (int64_t i = 0; i < count; ++i) {
    size_t begin = packed.size();
    packed.resize(begin + (bytes[i] + 7) / 8 * 8);
    std::memcpy(packed.data() + begin, scalars[i], bytes[i]);
  }
  return packed;
}

} // namespace

void door::tutti_pull_rows(tutti_context *context, void *const *buffers,
                           const int64_t *parameters) {
  run_kernel(context, "tutti_pull_rows", parameters, pull_parameters, [&] {
    const int64_t *p = parameters, *name = p + pull_parameters;
    const tutti_row_service &service = service_of(context);
    UsedRows used(RowIndices(buffers[0], p[3], p[4], p[1], /*may_be_unused=*/false, name));
    tutti_row_list list = list_of(context, p[0], used);
    char message[message_bytes] = "";
    WaitReporter::Scope waiting(context->waits.get(), WaitReporter::caller,
                                WaitReporter::Kind::pull, p[5]);
    int32_t status = service.pull(service.self, &list, buffers[1], message, message_bytes);
    check(context, status, message, name, p[5]);
  });
}

void door::tutti_push_rows(tutti_context *context, void *const *buffers,
                           const int64_t *parameters) {
  // The bytes of the scalars are parameters, too.
  run_kernel(context, "tutti_push_rows", parameters, push_parameters + parameters[6], [&] {
    const int64_t *p = parameters, *name = p + push_parameters + p[6];
    int64_t row_bytes = p[2];
    const tutti_row_service &service = service_of(context);
    UsedRows used(RowIndices(buffers[0], p[3], p[4], p[1], /*may_be_unused=*/true, name));
    const char *rows = static_cast<const char *>(buffers[1]);
    std::vector<char> gradients(used.indices.size() * row_bytes);
    for (size_t i = 0; i < used.positions.size(); ++i)
      std::memcpy(gradients.data() + i * row_bytes, rows + used.positions[i] * row_bytes,
                  row_bytes);
    std::vector<char> scalars = pack(buffers + 2, p + push_parameters, p[6]);
    tutti_row_list list = list_of(context, p[0], used);
    char message[message_bytes] = "";
    int32_t status = service.push(service.self, &list, gradients.data(), scalars.data(),
                                  scalars.size(), message, message_bytes);
    check(context, status, message, name, p[5]);
  });
}
