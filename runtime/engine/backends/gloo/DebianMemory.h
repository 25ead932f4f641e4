// The layout of two classes that stand in Gloo's pairs: in place of gloo/common/memory.h, which
// Gloo's own headers include and Debian's package of it lacks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_DEBIANMEMORY_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_DEBIANMEMORY_H

#include <memory>

namespace gloo {

/// Gloo's library has the functions; here they are only members and parameters.
template <typename T> class WeakNonOwningPtr final { std::weak_ptr<T> pointer; };
template <typename T> class NonOwningPtr final { std::shared_ptr<T> pointer; };

} // namespace gloo

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_DEBIANMEMORY_H
