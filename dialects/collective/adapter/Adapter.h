// How passes see the dialect, which know its operations by interfaces only: a private part of the
// dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_DIALECTS_COLLECTIVE_ADAPTER_ADAPTER_H
#define TUTTI_DIALECTS_COLLECTIVE_ADAPTER_ADAPTER_H

namespace tutti::collective {
class CollectiveDialect;

/// Attaches the interfaces of dialects/interfaces/ranks/Communication.h to the operations of
/// `dialect`, which are registered already, and its factory to itself.
void attachCommunication(CollectiveDialect &dialect);

/// The second half of that: its `CommunicationDialectInterface`.
void addFactory(CollectiveDialect &dialect);

} // namespace tutti::collective

#endif // TUTTI_DIALECTS_COLLECTIVE_ADAPTER_ADAPTER_H
