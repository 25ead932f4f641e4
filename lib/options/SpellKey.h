// Writes a key as the parser of KEY=VALUE lists takes it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_OPTIONS_SPELLKEY_H
#define TUTTI_LIB_OPTIONS_SPELLKEY_H

#include "lib/options/KeyText.h"

namespace tutti::options {

/// `key` as splitKeys takes it apart again: "name=value", in quotes where the value needs them.
std::string spellKey(const GivenKey &key);

} // namespace tutti::options

#endif // TUTTI_LIB_OPTIONS_SPELLKEY_H
