// One message for a mistake that every rank of a launcher meets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_HELDBACKERRORS_H
#define TUTTI_TOOLS_DISTRUN_HELDBACKERRORS_H

namespace tutti {

/// Until they train, all ranks do the same: they read the same command line and compile the same
/// program. Rank 0 says what is wrong with it, ends, and its launcher ends the others. So these
/// keep their standard error to themselves, and give it out only if they still run three seconds
/// after they failed: then it is theirs alone, or nobody has ended them.
class HeldBackErrors {
public:
  /// Does nothing unless `isHeld`. One at a time.
  explicit HeldBackErrors(bool isHeld);
  ~HeldBackErrors() { forget(); }
  HeldBackErrors(const HeldBackErrors &) = delete;

  /// Waits the second, then gives out what was held back.
  void giveOut();
  /// Standard error is what it was; what was held back, rank 0 has said.
  void forget();

private:
  int standardError = -1, held = -1;
};

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_HELDBACKERRORS_H
