// Why a process elsewhere does not answer, as far as this machine can tell.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_SYSTEM_REACHABILITY_H
#define TUTTI_RUNTIME_SUPPORT_SYSTEM_REACHABILITY_H

#include <string>

namespace tutti::runtime {

/// What becomes of a plain connection to `address`, "host:port": that its host's name is not known
/// here, that nobody listens at the port, that no answer comes within a second, or that somebody
/// listens; each with what to check. Takes at most a second beside the look-up of the name. "" of
/// an address of another form. Thread-safe.
std::string tell_reachability(const std::string &address);

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_SYSTEM_REACHABILITY_H
