// Words that have numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_VOCABULARY_H
#define TUTTI_RUNTIME_HOST_DATA_VOCABULARY_H

#include "runtime/support/Error.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::runtime::data {

/// The words of one column: the number of a word is its place.
class Words {
public:
  explicit Words(std::vector<std::string> list);
  std::optional<int64_t> number_of(std::string_view word) const;
  const std::vector<std::string> &list() const { return words; }
  /// Equal for equal words with equal numbers.
  std::string fingerprint() const;

private:
  std::vector<std::string> words;
  std::map<std::string, int64_t, std::less<>> numbers;
};

/// Whether a file keeps this word as it is: it is UTF-8.
bool can_be_kept(const std::string &word);

/// The words of each column of categories.
using Vocabulary = std::map<std::string, std::shared_ptr<const Words>>;

/// What a file of them holds, which is JSON: {"tutti-vocabulary": 1, "columns": {"colour": ["blue",
/// "red"]}}. Errors name the file.
Result<Vocabulary> read_vocabulary(const std::string &path);

/// As such a file.
std::string to_json(const Vocabulary &vocabulary);

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_VOCABULARY_H
