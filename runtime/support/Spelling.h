// The known name that an unknown one resembles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_SPELLING_H
#define TUTTI_RUNTIME_SUPPORT_SPELLING_H

#include <string>
#include <vector>

namespace tutti::runtime {

/// How many characters must be inserted, removed or replaced to turn one text into the other.
size_t edit_distance(const std::string &a, const std::string &b);

/// The one of `known` that `word` is most likely a misspelling of: equal but for capitals, or for a
/// third of its characters, or a beginning or an end of it. Empty if none is near.
std::string nearest_name(const std::string &word, const std::vector<std::string> &known);

/// The names, with commas between them; "nothing" if there are none.
std::string join_names(const std::vector<std::string> &names);

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_SPELLING_H
