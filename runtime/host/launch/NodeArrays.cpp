// The first of a node has the name, the others ask by it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/NodeArrays.h"

#include "runtime/host/launch/NameOnNode.h"

#include <sys/stat.h>
#include <unistd.h>

namespace tutti::runtime::worker {
namespace {

/// A file that is replaced is another one, by the same path.
std::string identity_of(const std::string &path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0)
    return path;
  return text(path, " ", status.st_dev, " ", status.st_ino, " ", status.st_size, " ",
              status.st_mtim.tv_sec, " ", status.st_mtim.tv_nsec);
}

std::vector<std::string> identities_of(const std::vector<std::string> &files) {
  std::vector<std::string> all;
  for (const std::string &file : files)
    all.push_back(identity_of(file));
  return all;
}

} // namespace

NodeArrays::NodeArrays(const LaunchEnvironment &launched, const std::vector<std::string> &datasets,
                       double timeout)
    : name(name_on_node("data", launched, identities_of(datasets))), has_others(launched.ranks > 1),
      timeout(timeout), listening(SOCK_SEQPACKET) {}

data::InflatedArrays::Inherited NodeArrays::take() {
  constexpr int tries = 20; // the first may have the name, and not listen yet
  constexpr useconds_t pause = 1000;
  for (int i = 0; i < tries && has_others; ++i) {
    if (is_first = listening.listen(name); is_first)
      return {};
    LocalSocket asking(SOCK_SEQPACKET);
    if (asking.connect(name))
      return asking.is_of_own_user() ? data::receive_arrays(asking.descriptor(), timeout)
                                     : data::InflatedArrays::Inherited();
    usleep(pause);
  }
  return {};
}

} // namespace tutti::runtime::worker
