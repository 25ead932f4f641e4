// Distances between words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/Spelling.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace tutti::runtime {
namespace {

std::string in_small_letters(std::string word) {
  for (char &letter : word)
    letter = char(std::tolower(static_cast<unsigned char>(letter)));
  return word;
}

/// "label" and "labels", "x" and "x_train".
bool extends(const std::string &longer, const std::string &shorter) {
  size_t tail = longer.size() - std::min(longer.size(), shorter.size());
  return !shorter.empty() && longer.size() > shorter.size() &&
         (longer.compare(0, shorter.size(), shorter) == 0 ||
          longer.compare(tail, shorter.size(), shorter) == 0);
}

} // namespace

size_t edit_distance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string nearest_name(const std::string &word, const std::vector<std::string> &known) {
  constexpr size_t longest = 256; // what is longer is no name that anybody typed
  std::string nearest, wanted = in_small_letters(word);
  size_t least = longest;
  for (const std::string &name : known) {
    std::string candidate = in_small_letters(name);
    if (wanted.size() > longest || candidate.size() > longest)
      continue;
    bool is_part = extends(candidate, wanted) || extends(wanted, candidate);
    size_t distance = is_part ? 1 : edit_distance(wanted, candidate);
    bool is_near = is_part || distance <= (wanted.size() + 1) / 3;
    if (is_near && distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
}

std::string join_names(const std::vector<std::string> &names) {
  std::string joined;
  for (const std::string &name : names)
    joined += (joined.empty() ? "" : ", ") + name;
  return joined.empty() ? "nothing" : joined;
}

} // namespace tutti::runtime
