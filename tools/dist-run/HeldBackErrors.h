// One message for a mistake that every rank of a launcher meets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_HELDBACKERRORS_H
#define TUTTI_TOOLS_DISTRUN_HELDBACKERRORS_H

#include "runtime/host/launch/LaunchEnvironment.h"

#include <optional>
#include <string>

namespace tutti {

/// Where the ranks of one machine ask rank 0 whether it has failed and told why: a socket without a
/// file, whose name only those have who were started alike: by one user, in one folder, with equal
/// arguments, as ranks of one run. What makes such ranks fail before they train, makes all of them
/// fail, unless their machines differ.
class Telling {
public:
  Telling(const runtime::worker::LaunchEnvironment &launched, int argc, char **argv);

  /// On rank 0, which has told its failure: answers those who ask, until all other ranks of the
  /// machine have, and at most for `seconds`.
  void answer(double seconds) const;
  /// On another rank: whether rank 0 says within `seconds` that it has told its failure.
  bool isTold(double seconds) const;

private:
  std::string name;
  int64_t others; ///< ranks of this machine but one; of all machines if nobody tells how many
};

/// Until they train, all ranks do the same: they read the same command line and compile the same
/// program. Rank 0 says what is wrong with it. The others keep their standard error to themselves,
/// and give it out only if rank 0 has not told them within three seconds of their failure that it
/// has failed too, and their launcher has not ended them: then it is theirs alone.
class HeldBackErrors {
public:
  /// Holds the errors of a rank that `launched` tells of, if it is not rank 0. One at a time.
  HeldBackErrors(const std::optional<runtime::worker::LaunchEnvironment> &launched, int argc,
                 char **argv);
  ~HeldBackErrors() { forget(); }
  HeldBackErrors(const HeldBackErrors &) = delete;

  /// This rank has failed and ends with `status`. Rank 0 tells the others so; they wait up to three
  /// seconds for it, then give out what was held back. Who has told a failure has the launcher end
  /// the ranks that have not failed.
  void giveOut(int status);
  /// Standard error is what it was; what was held back, rank 0 has said.
  void forget();

private:
  void hold();

  std::optional<Telling> telling; ///< if there are other ranks
  bool isFirst = true;            ///< rank 0
  int standardError = -1, held = -1;
};

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_HELDBACKERRORS_H
