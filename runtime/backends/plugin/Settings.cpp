// Reading connection texts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/plugin/Settings.h"

#include <algorithm>
#include <cstdlib>

namespace tutti::runtime::plugin {
namespace {

std::string joined(const std::vector<std::string> &words) {
  std::string all;
  for (const std::string &word : words)
    all += (all.empty() ? "" : ", ") + word;
  return all;
}

} // namespace

Result<Settings> Settings::parse(const char *backend, std::string_view text,
                                 const std::vector<std::string> &known) {
  Settings settings;
  settings.backend = backend;
  while (!text.empty()) {
    size_t end = text.find(';');
    std::string item(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    size_t equals = item.find('=');
    std::string key = item.substr(0, equals);
    if (equals == std::string::npos || std::find(known.begin(), known.end(), key) == known.end())
      return Error::make(TUTTI_INVALID_ARGUMENT, "'", item, "' is not a setting of backend '",
                         backend, "' (", joined(known), ")");
    settings.values[key] = item.substr(equals + 1);
  }
  return settings;
}

std::string Settings::get(const std::string &key) const {
  auto found = values.find(key);
  return found == values.end() ? "" : found->second;
}

Result<StallLimits> Settings::stall_limits() const {
  StallLimits limits;
  for (auto [key, limit] : {std::pair<const char *, double *>{"stall_warning", &limits.warning},
                            {"stall_error", &limits.error}}) {
    std::string value = get(key);
    if (value.empty())
      continue;
    char *end = nullptr;
    *limit = std::strtod(value.c_str(), &end);
    if (*end != 0 || !(*limit > 0 && *limit < 1e9))
      return Error::make(TUTTI_INVALID_ARGUMENT, "'", key, "=", value, "' of backend '", backend,
                         "' is not a number of seconds above 0");
  }
  return limits;
}

} // namespace tutti::runtime::plugin
