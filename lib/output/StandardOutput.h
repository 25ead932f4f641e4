// Standard output as a stream of LLVM, which a program closes before it ends.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_OUTPUT_STANDARDOUTPUT_H
#define TUTTI_LIB_OUTPUT_STANDARDOUTPUT_H

namespace tutti {

/// Writes what `llvm::outs()` still holds. Gives `status`, that with which the program ends; or 1,
/// with an error on standard error, if not all that was printed could be written. Without it LLVM
/// reports such a failure as a fault of its own.
int finishStandardOutput(int status);

} // namespace tutti

#endif // TUTTI_LIB_OUTPUT_STANDARDOUTPUT_H
