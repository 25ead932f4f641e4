// Everything the compiler tools know: dialects, their interfaces' external models, passes and
// pipelines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_REGISTRATION_REGISTERALL_H
#define TUTTI_TOOLS_REGISTRATION_REGISTERALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tutti {

/// Registers Tutti's dialects and the upstream dialects that a program may be written in, with the
/// external models of interfaces that Tutti's passes ask for. May be called for several registries.
void registerAllTuttiDialects(mlir::DialectRegistry &registry);

/// Registers Tutti's passes and pipelines, and the upstream passes that go well with them, as
/// command line flags. Registering twice in one process is harmless.
void registerAllTuttiPasses();

} // namespace tutti

#endif // TUTTI_TOOLS_REGISTRATION_REGISTERALL_H
