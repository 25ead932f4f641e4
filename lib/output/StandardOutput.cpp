// Ends standard output.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/output/StandardOutput.h"

#include "llvm/Support/raw_ostream.h"

int tutti::finishStandardOutput(int status) {
  auto &output = llvm::outs();
  output.flush();
  if (!output.has_error())
    return status;
  llvm::errs() << "error: standard output cannot be written: " << output.error().message() << "\n";
  output.clear_error();
  return 1;
}
