// What compiled code checks of its data, and reports.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Door.h"
#include "runtime/engine/kernels/PrimitiveStore.h"
#include "runtime/support/Error.h"
#include "runtime/support/system/NodeName.h"
#include "tutti/kernels.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

using namespace tutti::runtime;
using namespace tutti::runtime::kernels;

namespace {

constexpr int64_t label_parameters = 6;

/// "node 'loss': ", or nothing for a node without a name.
std::string owner(const int64_t *words) {
  std::string name = node_name(words);
  return name.empty() ? "" : "node '" + name + "': ";
}

/// The parameters of tutti_check_labels.
struct Labels {
  int64_t count, bytes, classes, each, has_ignored, ignored;
};

[[noreturn]] void refuse(const Labels &labels, int64_t position, int64_t label,
                         const int64_t *name) {
  std::string place =
      labels.each > 1 ? text(" (label ", position % labels.each, " of the sample)") : std::string();
  throw std::out_of_range(text(owner(name), "sample ", position / std::max<int64_t>(labels.each, 1),
                               " of this rank's batch", place, " has label ", label, ", but the ",
                               labels.classes, " classes are numbered from 0 to ",
                               labels.classes - 1));
}

template <typename Label> void check(const Labels &labels, const Label *from, const int64_t *name) {
  for (int64_t i = 0; i < labels.count; ++i)
    if (uint64_t(from[i]) >= uint64_t(labels.classes) &&
        !(labels.has_ignored && from[i] == labels.ignored))
      refuse(labels, i, from[i], name);
}

} // namespace

void tutti::runtime::door::tutti_check_labels(tutti_context *context, void *const *buffers,
                                              const int64_t *parameters) {
  run_kernel(context, "tutti_check_labels", parameters, label_parameters, [&] {
    const int64_t *p = parameters;
    Labels labels = {p[0], p[1], p[2], p[3], p[4], p[5]};
    if (labels.count < 0 || (labels.bytes != 4 && labels.bytes != 8))
      throw std::invalid_argument(
          "a label is neither 4 nor 8 bytes long, or there are less than 0");
    std::memcpy(buffers[1], buffers[0], size_t(labels.count * labels.bytes));
    if (labels.bytes == 8)
      check(labels, static_cast<const int64_t *>(buffers[0]), p + label_parameters);
    else
      check(labels, static_cast<const int32_t *>(buffers[0]), p + label_parameters);
  });
}

void tutti::runtime::door::tutti_report(tutti_context *context, void *const *,
                                        const int64_t *parameters) {
  run_kernel(context, "tutti_report", parameters, 0, [&] {
    const int64_t *message = parameters + 1 + (parameters[0] + 7) / 8;
    throw std::domain_error(owner(parameters) + node_name(message));
  });
}
