// Vocabularies, and their files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Vocabulary.h"

#include "runtime/support/Crc32c.h"
#include "runtime/support/Json.h"
#include "runtime/support/system/MappedFile.h"

#include <nlohmann/json.hpp>
#include <set>

namespace tutti::runtime::data {
namespace {

using nlohmann::json;

constexpr const char *mark = "tutti-vocabulary";

/// Each word once.
std::optional<std::vector<std::string>> words_of(const json &list) {
  std::vector<std::string> words;
  std::set<std::string> seen;
  if (!list.is_array())
    return std::nullopt;
  for (const json &word : list) {
    if (!word.is_string() || !seen.insert(word.get<std::string>()).second)
      return std::nullopt;
    words.push_back(word);
  }
  return words;
}

} // namespace

Words::Words(std::vector<std::string> list) : words(std::move(list)) {
  for (size_t i = 0; i < words.size(); ++i)
    numbers.emplace(words[i], int64_t(i));
}

std::optional<int64_t> Words::number_of(std::string_view word) const {
  auto found = numbers.find(word);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

std::string Words::fingerprint() const {
  Crc32c sum;
  for (const std::string &word : words) {
    sum.add(word);
    sum.add(std::string_view("\0", 1));
  }
  return text(words.size(), " words ", sum.value());
}

bool can_be_kept(const std::string &word) {
  std::string kept = json(word).dump(-1, ' ', false, json::error_handler_t::ignore);
  return json::parse(kept).get<std::string>() == word;
}

Result<Vocabulary> read_vocabulary(const std::string &path) {
  auto refuse = [&](auto... parts) {
    return Error::make(TUTTI_BAD_DATA, "vocabulary '", path, "': ", parts...);
  };
  Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file.error();
  Result<json> parsed = parse_json_object((*file)->bytes(), TUTTI_BAD_DATA);
  if (!parsed)
    return refuse(parsed.error().message);
  json columns = parsed->value("columns", json());
  if (parsed->value(mark, json()) != 1 || !columns.is_object())
    return refuse("expected is {\"", mark, "\": 1, \"columns\": {\"NAME\": [\"WORD\", ...]}}");
  Vocabulary vocabulary;
  for (const auto &[name, list] : columns.items()) {
    std::optional<std::vector<std::string>> words = words_of(list);
    if (!words)
      return refuse("column '", name, "' is not a list of words, each of which stands there once");
    vocabulary[name] = std::make_shared<Words>(std::move(*words));
  }
  return vocabulary;
}

std::string to_json(const Vocabulary &vocabulary) {
  json columns = json::object();
  for (const auto &[name, words] : vocabulary)
    columns[name] = words->list();
  return json({{mark, 1}, {"columns", columns}}).dump(1) + "\n";
}

} // namespace tutti::runtime::data
