// Which contexts are quiet, and whose errors are whose.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/diagnostics/QuietDiagnostics.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Threading.h"

#include <mutex>

using namespace mlir;
using namespace tutti::diagnostics;

namespace {
struct QuietContexts {
  std::mutex mutex;
  llvm::DenseMap<MLIRContext *, int> depths;
};
} // namespace

static QuietContexts &quietContexts() {
  static QuietContexts contexts;
  return contexts;
}

QuietRemarks::QuietRemarks(MLIRContext *context) : context(context) {
  QuietContexts &quiet = quietContexts();
  std::lock_guard<std::mutex> lock(quiet.mutex);
  ++quiet.depths[context];
}

QuietRemarks::~QuietRemarks() {
  QuietContexts &quiet = quietContexts();
  std::lock_guard<std::mutex> lock(quiet.mutex);
  if (--quiet.depths[context] == 0)
    quiet.depths.erase(context);
}

bool QuietRemarks::isQuiet(MLIRContext *context) {
  QuietContexts &quiet = quietContexts();
  std::lock_guard<std::mutex> lock(quiet.mutex);
  return quiet.depths.contains(context);
}

QuietDiagnostics::QuietDiagnostics(MLIRContext *context, std::string *firstError)
    : handler(context,
              [thread = llvm::get_threadid(), firstError](Diagnostic &diagnostic) {
                if (llvm::get_threadid() != thread)
                  return failure(); // of another copy
                if (firstError && firstError->empty() &&
                    diagnostic.getSeverity() == DiagnosticSeverity::Error)
                  *firstError = diagnostic.str();
                return success();
              }),
      remarks(context) {}
