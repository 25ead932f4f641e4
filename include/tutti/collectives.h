/* Collectives that compiled code calls. They return nothing: the first error stays in the context,
   and every later call on that context does nothing. Call from one thread per context. Texts:
   abi.def. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TUTTI_COLLECTIVES_H
#define TUTTI_COLLECTIVES_H

#include "tutti/context.h"
#include "tutti/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUTTI_COLLECTIVE_ENTRY(name, spelling, parameters, arguments)                              \
  TUTTI_EXPORT void name parameters;
#define TUTTI_QUERY_ENTRY(name, spelling, parameters, arguments)                                   \
  TUTTI_EXPORT int64_t name parameters;
#include "tutti/abi.def"

#ifdef __cplusplus
}
#endif

#endif /* TUTTI_COLLECTIVES_H */
