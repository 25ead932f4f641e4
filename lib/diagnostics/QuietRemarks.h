// Drops remarks of passes that run on a trial copy of a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_DIAGNOSTICS_QUIETREMARKS_H
#define TUTTI_LIB_DIAGNOSTICS_QUIETREMARKS_H

namespace tutti::diagnostics {

/// While one lives, RemarkPrinter drops what passes of this thread remark: they run on a program
/// that is only tried. Passes run in one thread wherever a RemarkPrinter is attached.
class QuietRemarks {
public:
  QuietRemarks() { ++depth; }
  ~QuietRemarks() { --depth; }
  QuietRemarks(const QuietRemarks &) = delete;
  QuietRemarks &operator=(const QuietRemarks &) = delete;

  static bool isQuiet() { return depth > 0; }

private:
  inline static thread_local int depth = 0;
};

} // namespace tutti::diagnostics

#endif // TUTTI_LIB_DIAGNOSTICS_QUIETREMARKS_H
