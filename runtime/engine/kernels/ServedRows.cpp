// Rows that the host's row service has: pulled, and their gradients pushed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Door.h"
#include "runtime/engine/core/WaitReporter.h"
#include "runtime/engine/kernels/PrimitiveStore.h"
#include "runtime/engine/kernels/RowIndices.h"
#include "runtime/support/system/NodeName.h"

#include <cstring>
#include <stdexcept>

using namespace tutti::runtime;
using namespace tutti::runtime::kernels;

namespace {

constexpr int64_t push_parameters = 7;
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

  explicit UsedRows(const RowIndices &list) {
    positions.reserve(list.size());
    indices.reserve(list.size());
    for (int64_t i = 0; i < list.size(); ++i)
      if (int64_t row = list[i]; row != list.unused()) {
        positions.push_back(i);
        indices.push_back(row);
      }
  }

  /// Their rows, one after the other: where they lie, if they do so there, else in `moved`.
  const char *gather(const char *rows, int64_t row_bytes, std::vector<char> &moved) const {
    bool are_first = positions.empty() || positions.back() == int64_t(positions.size()) - 1;
    if (are_first) // as train.merge_rows has them
      return rows;
    moved.resize(positions.size() * size_t(row_bytes));
    for (size_t i = 0; i < positions.size(); ++i)
      std::memcpy(moved.data() + int64_t(i) * row_bytes, rows + positions[i] * row_bytes,
                  row_bytes);
    return moved.data();
  }
};

/// Lists of rows as parameters describe them, see abi.def.
class RowLists {
public:
  explicit RowLists(const int64_t *parameters) : parameters(parameters) {}

  int64_t count() const { return parameters[0]; }
  /// Of all parameters.
  int64_t words() const { return 2 + parameters[1]; }
  /// That of the first list in the plan; one report tells of all.
  int64_t first_entry() const { return count() > 0 ? parameters[2 + 5] : -1; }
  /// Reads the indices of all lists. With `are_hints` a list that asks for rows that do not exist
  /// is left out.
  void read(void *const *buffers, int64_t step, bool are_hints) {
    const int64_t *p = parameters + 2;
    for (int64_t number = 0; number < count(); ++number) {
      const int64_t *name = p + 6;
      try {
        used.emplace_back(RowIndices(buffers[number], p[3], p[4], p[1], false, name));
        lists.push_back({p[0], step, int64_t(used.back().indices.size()), nullptr});
      } catch (const std::out_of_range &) {
        if (!are_hints)
          throw;
      }
      p = name + 1 + (name[0] + 7) / 8;
    }
    for (size_t number = 0; number < lists.size(); ++number)
      lists[number].indices = used[number].indices.data();
  }

  std::vector<tutti_row_list> lists;

private:
  const int64_t *parameters;
  std::vector<UsedRows> used;
};

/// Fails the context with what the service said, and the node and the entry of the plan that asked.
void check(tutti_context *context, int32_t status, const char *message, const int64_t *name,
           int64_t plan_entry) {
  if (status == TUTTI_OK)
    return;
  std::string node = node_name(name);
  std::string where = plan_entry < 0 ? "" : " (" + context->where(plan_entry) + ")";
  context->fail(status, text(node.empty() ? "" : "node '" + node + "': ", message, where));
}

/// The scalars one after the other, each at a multiple of 8 bytes.
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
  RowLists asked(parameters);
  run_kernel(context, "tutti_pull_rows", parameters, asked.words(), [&] {
    const tutti_row_service &service = service_of(context);
    asked.read(buffers, context->step, /*are_hints=*/false);
    char message[message_bytes] = "";
    WaitReporter::Scope waiting(context->waits.get(), WaitReporter::caller,
                                WaitReporter::Kind::pull, asked.first_entry());
    int32_t status = service.pull(service.self, asked.lists.data(), asked.count(),
                                  buffers + asked.count(), message, message_bytes);
    check(context, status, message, parameters + asked.words(), asked.first_entry());
  });
}

void door::tutti_prefetch_rows(tutti_context *context, void *const *buffers,
                               const int64_t *parameters) {
  RowLists asked(parameters);
  run_kernel(context, "tutti_prefetch_rows", parameters, asked.words(), [&] {
    const tutti_row_service &service = service_of(context);
    if (!service.prefetch)
      return;
    asked.read(buffers, context->step + 1, /*are_hints=*/true);
    char message[message_bytes] = "";
    int32_t status = service.prefetch(service.self, asked.lists.data(), int64_t(asked.lists.size()),
                                      message, message_bytes);
    check(context, status, message, parameters + asked.words(), /*plan_entry=*/-1);
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
    std::vector<char> moved;
    const char *gradients = used.gather(static_cast<const char *>(buffers[1]), row_bytes, moved);
    std::vector<char> scalars = pack(buffers + 2, p + push_parameters, p[6]);
    tutti_row_list list = {p[0], context->step, int64_t(used.indices.size()), used.indices.data()};
    char message[message_bytes] = "";
    int32_t status = service.push(service.self, &list, gradients, scalars.data(), scalars.size(),
                                  message, message_bytes);
    check(context, status, message, name, p[5]);
  });
}
