// Reading connection texts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/plugin/Settings.h"

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
  while (!text.empty()) {
    size_t end = text.find(';');
    std::string item(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    size_t equals = item.find('=');
    std::string key = item.substr(0, equals);
    if (equals == std::string::npos || std::find(known.begin(), known.end(), key) == known.end())
      return Error::make(TUTTI_INVALID_ARGUMENT, "'", item, "' is not a setting of backend '",
                         backend, "' (", known.empty() ? "it has none" : joined(known), ")");
    settings.values[key] = item.substr(equals + 1);
  }
  return settings;
}

std::string Settings::get(const std::string &key) const {
  auto found = values.find(key);
  return found == values.end() ? "" : found->second;
}

} // namespace tutti::runtime::plugin
