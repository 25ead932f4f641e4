// The keys of --read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_REGISTRATION_READKEYS_H
#define TUTTI_TOOLS_REGISTRATION_READKEYS_H

#include "lib/options/KeyTable.h"
#include "runtime/host/data/ReadOptions.h"

namespace tutti {

/// Bound to the fields of `options`, which outlive the table.
options::KeyTable readKeys(runtime::data::ReadOptions &options);

/// What a key is for: "tokens", "values" or "pictures"; "words" of the last two.
llvm::StringRef dataOfReadKey(llvm::StringRef key);

} // namespace tutti

#endif // TUTTI_TOOLS_REGISTRATION_READKEYS_H
