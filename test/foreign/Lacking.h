// The dialect lacking of the tests: what is said of a dialect that forgets an interface.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_FOREIGN_LACKING_H
#define TUTTI_TEST_FOREIGN_LACKING_H

#include "dialects/interfaces/All.h"

#include "test/foreign/LackingDialect.h.inc"

#define GET_OP_CLASSES
#include "test/foreign/Lacking.h.inc"

#endif
