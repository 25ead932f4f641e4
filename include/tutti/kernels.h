/* Kernels that compiled code calls: what does not come from its own loops. Errors and threads as in
   collectives.h; a kernel may use OpenMP threads of its own. Texts: abi.def.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TUTTI_KERNELS_H
#define TUTTI_KERNELS_H

#include "tutti/context.h"
#include "tutti/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUTTI_KERNEL_ENTRY(name, spelling, parameters, arguments) TUTTI_EXPORT void name parameters;
#include "tutti/abi.def"

#ifdef __cplusplus
}
#endif

#endif /* TUTTI_KERNELS_H */
