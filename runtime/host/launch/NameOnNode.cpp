// A hash of how a process was started.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/NameOnNode.h"

#include "runtime/support/Fnv1a.h"

#include <filesystem>
#include <unistd.h>

namespace tutti::runtime::worker {

std::string name_on_node(const std::string &purpose, const LaunchEnvironment &launched,
                         const std::vector<std::string> &words) {
  std::error_code none;
  std::string all = launched.launcher + '\n' + launched.size + '\n' + launched.run + '\n' +
                    std::filesystem::current_path(none).string() + '\n';
  for (const std::string &word : words)
    all += word + '\0';
  return text("tutti-", purpose, "-", getuid(), "-", fnv1a(all));
}

} // namespace tutti::runtime::worker
