// Whether this library and MLIR's mean the same by a trait.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_BINDINGS_C_IDENTITIES_H
#define TUTTI_BINDINGS_C_IDENTITIES_H

namespace tutti::bindings {

/// MLIR tells a trait by the address of a variable of which each library has a copy, and the
/// dynamic linker makes one of all copies that it sees together. False where it has not: then this
/// library finds no trait in any operation of MLIR. docs/decisions/0024-c-api.md has the whole
/// story.
bool sharesIdentities();

} // namespace tutti::bindings

#endif // TUTTI_BINDINGS_C_IDENTITIES_H
