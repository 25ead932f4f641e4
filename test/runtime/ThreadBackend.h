// A backend whose ranks are threads of one process. It has `exchange`, send and recv and nothing
// else, so that the generic algorithms do all the work.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_RUNTIME_THREADBACKEND_H
#define TUTTI_TEST_RUNTIME_THREADBACKEND_H

#include "tutti/context.h"

/// Static. Its ranks meet by tutti_meeting_create.
const tutti_backend *thread_backend();

#endif // TUTTI_TEST_RUNTIME_THREADBACKEND_H
