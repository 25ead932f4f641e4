// The C API: registration and contexts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bindings/c/Identities.h"
#include "bindings/c/Listener.h"
#include "tools/registration/RegisterAll.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"

#include <mutex>

using namespace mlir;
using namespace tutti;
using bindings::Listener;

MlirStringRef tuttiVersion(void) { return wrap(StringRef(TUTTI_VERSION)); }

static LogicalResult verifyIdentities(const Listener &listener) {
  if (bindings::sharesIdentities())
    return success();
  return listener.refuse(
      "this process has loaded MLIR's library before libTuttiC.so and apart from it (dlopen "
      "without RTLD_GLOBAL), so that the two do not know each other's traits; load libTuttiC.so "
      "first, or libMLIR.so with RTLD_GLOBAL");
}

static LogicalResult registerDialects(DialectRegistry &registry, const Listener &listener) {
  if (failed(verifyIdentities(listener)))
    return failure();
  registerAllTuttiDialects(registry);
  return success();
}

MlirLogicalResult tuttiRegisterDialects(MlirDialectRegistry registry, TuttiDiagnosticCallback tell,
                                        void *userData) {
  Listener listener(tell, userData);
  if (!registry.ptr)
    return wrap(listener.refuse("tuttiRegisterDialects needs a registry; this one is null"));
  return wrap(registerDialects(*unwrap(registry), listener));
}

void tuttiRegisterPasses(void) {
  static std::once_flag once;
  std::call_once(once, registerAllTuttiPasses);
}

MlirContext tuttiContextCreate(bool threads, TuttiDiagnosticCallback tell, void *userData) {
  DialectRegistry registry;
  if (failed(registerDialects(registry, Listener(tell, userData))))
    return {nullptr};
  auto threading = threads ? MLIRContext::Threading::ENABLED : MLIRContext::Threading::DISABLED;
  auto context = std::make_unique<MLIRContext>(registry, threading);
  context->printOpOnDiagnostic(false); // a diagnostic is a line or two, not a function
  return wrap(context.release());
}

void tuttiContextDestroy(MlirContext context) { delete unwrap(context); }
