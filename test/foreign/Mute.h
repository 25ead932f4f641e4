// The dialect mute of the tests: collectives that no pass can make more of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_FOREIGN_MUTE_H
#define TUTTI_TEST_FOREIGN_MUTE_H

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/ranks/Communication.h"

#include "test/foreign/MuteDialect.h.inc"

#define GET_OP_CLASSES
#include "test/foreign/Mute.h.inc"

#endif
