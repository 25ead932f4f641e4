// Parsing JSON that may be hostile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_JSON_H
#define TUTTI_RUNTIME_SUPPORT_JSON_H

#include "runtime/support/Error.h"
#include "tutti/status.h"

#include <nlohmann/json.hpp>
#include <string_view>

namespace tutti::runtime {

/// How deep objects and lists may nest: deeper than in any of our files, and shallow enough for the
/// stack of code that copies or prints a value by recursion.
constexpr int deepest_json = 64;

/// The object that `text` is. `watch(depth, event, value)` sees each part as it is parsed. The
/// error, of status `status`, says what is wrong without naming the text.
template <typename Watch>
Result<nlohmann::json> parse_json_object(std::string_view text, int32_t status, Watch watch) {
  using nlohmann::json;
  bool is_too_deep = false;
  auto limit = [&](int depth, json::parse_event_t event, json &value) {
    is_too_deep |= depth > deepest_json;
    if (!is_too_deep)
      watch(depth, event, value);
    return !is_too_deep; // what is refused here is not kept
  };
  json parsed = json::parse(text.begin(), text.end(), limit, /*allow_exceptions=*/false);
  if (is_too_deep)
    return Error::make(status, "its JSON nests more than ", deepest_json, " objects and lists");
  if (parsed.is_discarded() || !parsed.is_object())
    return Error::make(status, "it is not a JSON object");
  return parsed;
}

inline Result<nlohmann::json> parse_json_object(std::string_view text, int32_t status) {
  return parse_json_object(text, status,
                           [](int, nlohmann::json::parse_event_t, nlohmann::json &) {});
}

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_JSON_H
