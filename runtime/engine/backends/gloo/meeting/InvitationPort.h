// The port at which rank 0 hands its invitation out, where ranks share no folder. Who asks and who
// answers prove to each other that they have the token of the run, and mean the same run:
//
//   rank -> rank 0   "tuttip1\n", challenge
//   rank 0 -> rank   challenge, code of both under the token
//   rank -> rank 0   another code of both
//   rank 0 -> rank   bytes, invitation
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MEETING_INVITATIONPORT_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MEETING_INVITATIONPORT_H

#include "runtime/engine/backends/gloo/meeting/Socket.h"

#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace tutti::runtime::gloo_backend {

struct Invitation;

/// Where ranks of a run meet. All have equal texts.
struct MeetingPoint {
  std::string host, port;
  std::string run;   ///< its name
  std::string token; ///< the secret itself

  std::string text() const { return host + ":" + port; }
  /// Of "HOST:PORT", where a host with colons stands in brackets; `token` is a file.
  static Result<MeetingPoint> parse(const std::string &text, const std::string &run,
                                    const std::string &token);
  /// The address of this machine from which it reaches the point.
  Result<std::string> own_address() const;
};

/// Rank 0's side. Answers on a thread of its own, one rank after another, until it is destroyed.
class InvitationPort {
public:
  static Result<std::unique_ptr<InvitationPort>> open(const MeetingPoint &point,
                                                      const Invitation &invitation);
  InvitationPort(const InvitationPort &) = delete;
  ~InvitationPort();

private:
  InvitationPort(const MeetingPoint &point, std::string invitation, Socket listening);
  void run();
  void answer(const Socket &rank) const;

  MeetingPoint point;
  std::string invitation;
  Socket listening;
  int ending;
  std::thread thread;
};

/// What rank 0 hands out at `point`. Nothing if nobody answers there, or somebody who knows nothing
/// of this: rank 0 may still come. An error if who answers has another token, or is of another run.
Result<std::optional<Invitation>> ask_for_invitation(const MeetingPoint &point);

} // namespace tutti::runtime::gloo_backend

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_MEETING_INVITATIONPORT_H
