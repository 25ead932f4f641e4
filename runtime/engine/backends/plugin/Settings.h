// The connection text of a plug-in, "key=value;key=value", with every key named that is known.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_PLUGIN_SETTINGS_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_PLUGIN_SETTINGS_H

#include "runtime/support/Error.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::runtime::plugin {

class Settings {
public:
  /// Fails on an item that is not key=value with one of the `known` keys. `backend` is for
  /// messages.
  static Result<Settings> parse(const char *backend, std::string_view text,
                                const std::vector<std::string> &known);

  /// The value of a key; "" if it is not set.
  std::string get(const std::string &key) const;

private:
  std::map<std::string, std::string> values;
};

} // namespace tutti::runtime::plugin

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_PLUGIN_SETTINGS_H
