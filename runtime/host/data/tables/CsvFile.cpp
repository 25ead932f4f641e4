// Arrays of a file of values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Dataset.h"
#include "runtime/host/data/Vocabulary.h"
#include "runtime/host/data/tables/CsvKeys.h"
#include "runtime/host/data/tables/CsvNumber.h"
#include "runtime/support/Names.h"
#include "runtime/support/Numbers.h"

#include <filesystem>
#include <set>

namespace tutti::runtime::data {
namespace {

/// What a field becomes.
struct CsvPart {
  size_t column = 0;
  std::shared_ptr<const Words> words = nullptr; ///< of a category
  int64_t buckets = 0;                          ///< of a field that is hashed
};

/// 64-bit FNV-1a.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : text)
    hash = (hash ^ uint8_t(c)) * 0x100000001b3u;
  return hash;
}

Error bad_field(const CsvTable &table, int64_t row, size_t column, const std::string &what) {
  return Error::make(TUTTI_BAD_DATA, "line ", table.line_of(row), ", column '",
                     table.names()[column], "': ", what);
}

/// A field with `missing` in place of nothing.
Result<std::string_view> given_text(const CsvTable &table, int64_t row, size_t column,
                                    const CsvFields &fields, const std::string &missing) {
  std::string_view text = fields.texts[column];
  if (!text.empty())
    return text;
  if (missing.empty())
    return bad_field(table, row, column,
                     "there is no value; if another may stand in its place: "
                     "--read=\"missing=0\"");
  return std::string_view(missing);
}

/// A file, and what --read says of it.
class CsvFile {
public:
  static Result<std::shared_ptr<CsvFile>> open(const std::string &path, const ReadOptions &options);
  Result<CsvPart> part_of(size_t column);
  /// The words of all columns of categories.
  Result<const Vocabulary *> vocabulary();

  std::shared_ptr<const CsvTable> table;
  ReadOptions options;
  CsvKeys keys;

private:
  Result<Vocabulary> find_words() const;
  Result<Vocabulary> words_of_training() const;

  std::string path;
  std::optional<Vocabulary> words; ///< once somebody has asked
};

Result<std::shared_ptr<CsvFile>> CsvFile::open(const std::string &path,
                                               const ReadOptions &options) {
  auto file = std::make_shared<CsvFile>();
  Result<std::shared_ptr<const CsvTable>> table =
      CsvTable::open(path, csv_separator(options, path), options.header);
  if (!table)
    return table.error();
  Result<CsvKeys> keys = parse_csv_keys(options, (*table)->names());
  if (!keys)
    return Error::make(keys.error().status, "dataset '", path, "': ", keys.error().message);
  file->table = *table, file->keys = *keys;
  file->options = options, file->path = path;
  return file;
}

/// Each word of a column of categories once, in the order of their bytes.
Result<Vocabulary> CsvFile::find_words() const {
  std::vector<std::set<std::string, std::less<>>> found(keys.categories.size());
  CsvCursor cursor;
  CsvFields fields;
  for (int64_t row = 0; row < table->rows(); ++row) {
    if (Error error = table->read(row, cursor, fields))
      return error;
    for (size_t i = 0; i < found.size(); ++i) {
      size_t column = keys.categories[i];
      Result<std::string_view> word = given_text(*table, row, column, fields, options.missing);
      if (!word)
        return word.error();
      if (found[i].find(*word) != found[i].end())
        continue;
      auto [added, is_new] = found[i].emplace(*word);
      if (!can_be_kept(*added))
        return bad_field(*table, row, column, "this is no UTF-8");
    }
  }
  Vocabulary vocabulary;
  for (size_t i = 0; i < found.size(); ++i)
    vocabulary[table->names()[keys.categories[i]]] =
        std::make_shared<Words>(std::vector<std::string>(found[i].begin(), found[i].end()));
  return vocabulary;
}

/// Where nobody keeps words, those of the training data have numbers.
Result<Vocabulary> CsvFile::words_of_training() const {
  if (options.training == path)
    return find_words();
  if (!is_table_file(options.training))
    return Error::make(TUTTI_BAD_DATA, "the numbers of categories are those that the words of the "
                                       "training data have: say where they are kept, such as "
                                       "--read=\"vocabulary=run/vocabulary.json\"");
  Result<std::shared_ptr<CsvFile>> training = open(options.training, options);
  return training ? (*training)->find_words() : Result<Vocabulary>(training.error());
}

Result<const Vocabulary *> CsvFile::vocabulary() {
  std::error_code none;
  if (!words) {
    bool is_kept = !options.vocabulary.empty() && std::filesystem::exists(options.vocabulary, none);
    Result<Vocabulary> found = is_kept ? read_vocabulary(options.vocabulary) : words_of_training();
    if (!found)
      return found.error();
    words = std::move(*found);
  }
  return &*words;
}

Result<CsvPart> CsvFile::part_of(size_t column) {
  CsvPart part{column};
  auto hashed = keys.buckets.find(column);
  if (hashed != keys.buckets.end())
    part.buckets = hashed->second;
  if (std::find(keys.categories.begin(), keys.categories.end(), column) == keys.categories.end())
    return part;
  Result<const Vocabulary *> known = vocabulary();
  if (!known)
    return known.error();
  const std::string &name = table->names()[column];
  auto found = (*known)->find(name);
  if (found == (*known)->end())
    return Error::make(TUTTI_BAD_DATA, "vocabulary '", options.vocabulary,
                       "' has no words of column '", name, "'; is it that of other data?");
  part.words = found->second;
  return part;
}

/// Parses fields into elements of one type, when they are asked for.
class CsvSource : public SampleSource {
public:
  CsvSource(std::shared_ptr<const CsvFile> file, std::vector<CsvPart> parts, int32_t type,
            std::string input)
      : file(std::move(file)), parts(std::move(parts)), type(type), input(std::move(input)) {}

  Error read(int64_t /*epoch*/, const std::vector<int64_t> &rows,
             std::vector<const char *> &out_columns) override {
    size_t width = size_t(type_bytes(type));
    values.resize(rows.size() * parts.size() * width);
    char *to = values.data();
    for (int64_t row : rows) {
      if (Error error = file->table->read(row, cursor, fields))
        return error;
      for (const CsvPart &part : parts) {
        if (Error error = take(row, part, to))
          return error;
        to += width;
      }
    }
    out_columns = {values.data()};
    return Error::success();
  }
  bool is_stored() const override { return true; }
  std::string place_of(int64_t row) const override {
    return text("line ", file->table->line_of(row));
  }

private:
  Error take(int64_t row, const CsvPart &part, char *to) const;
  Error refuse_text(int64_t row, size_t column, std::string_view given) const;

  std::shared_ptr<const CsvFile> file;
  std::vector<CsvPart> parts;
  int32_t type;
  std::string input; ///< its name, for messages
  CsvCursor cursor;
  CsvFields fields;
  std::vector<char> values;
};

Error CsvSource::refuse_text(int64_t row, size_t column, std::string_view given) const {
  const std::string &name = file->table->names()[column];
  return bad_field(*file->table, row, column,
                   text("'", given, "' is ", why_no_number(given, type), ", and input '", input,
                        "' is ", type_name(type), "; words have numbers by --read=\"categories=",
                        name, "\" or \"hash=", name, ":1000\""));
}

Error CsvSource::take(int64_t row, const CsvPart &part, char *to) const {
  const CsvTable &table = *file->table;
  Result<std::string_view> given =
      given_text(table, row, part.column, fields, file->options.missing);
  if (!given)
    return given.error();
  if (!part.words && !part.buckets)
    return parse_number(*given, type, to) ? Error::success()
                                          : refuse_text(row, part.column, *given);
  std::optional<int64_t> number =
      part.words ? part.words->number_of(*given)
                 : std::optional(int64_t(hash_of(*given) % uint64_t(part.buckets)));
  if (!number)
    return bad_field(table, row, part.column,
                     text("'", *given, "' is not among the ", part.words->list().size(),
                          " words of the vocabulary",
                          file->options.vocabulary.empty() ? " of the training data"
                                                           : " " + file->options.vocabulary));
  if (!store_number(*number, type, to))
    return bad_field(table, row, part.column,
                     text("'", *given, "' has the number ", *number, ", which input '", input,
                          "' of type ", type_name(type), " does not hold"));
  return Error::success();
}

/// The shape of an input, where one sample of it has as many elements as there are columns.
std::vector<int64_t> shape_for(int64_t rows, int64_t columns, const InputSpec *input) {
  std::vector<int64_t> shape{rows}, sample;
  if (input && !input->shape.empty()) {
    sample = input->shape;
    sample.erase(sample.begin() + std::min<int64_t>(input->axis, int64_t(sample.size()) - 1));
    int64_t elements = 1, unknown = 0;
    for (int64_t &size : sample) {
      unknown += size < 0;
      size = size < 0 && unknown == 1 && sample.size() == 1 ? columns : size;
      elements = size < 0 || __builtin_mul_overflow(elements, size, &elements) ? -1 : elements;
    }
    if (elements == columns) {
      shape.insert(shape.end(), sample.begin(), sample.end());
      return shape;
    }
  }
  if (columns > 1)
    shape.push_back(columns);
  return shape;
}

Result<Array> make_array(const std::shared_ptr<CsvFile> &file, const CsvGroup &group,
                         const InputSpec *input) {
  std::vector<CsvPart> parts;
  Array array{group.name, input ? input->type : TUTTI_F32,
              shape_for(file->table->rows(), int64_t(group.columns.size()), input)};
  for (size_t column : group.columns) {
    if (!input) { // asked for its shape
      parts.push_back({column});
      continue;
    }
    Result<CsvPart> part = file->part_of(column);
    if (!part)
      return part.error();
    if (part->words)
      array.words += (array.words.empty() ? "" : ", ") + part->words->fingerprint();
    parts.push_back(std::move(*part));
  }
  array.source = std::make_shared<CsvSource>(file, std::move(parts), array.type,
                                             input ? input->name : group.name);
  return array;
}

Column column_of(const std::string &path, const std::shared_ptr<CsvFile> &file,
                 const CsvGroup &group) {
  return {group.name, path, [file, group] { return make_array(file, group, nullptr); },
          [file, group](const InputSpec &input) { return make_array(file, group, &input); }};
}

} // namespace

Result<Columns> open_csv(const std::string &path, const Opening &opening) {
  Result<std::shared_ptr<CsvFile>> file = CsvFile::open(path, opening.options);
  if (!file)
    return file.error();
  Columns columns;
  std::set<std::string> taken;
  for (const CsvGroup &group : (*file)->keys.groups) {
    columns.push_back(column_of(path, *file, group));
    taken.insert(group.name);
  }
  const std::vector<std::string> &names = (*file)->table->names();
  for (size_t i = 0; i < names.size(); ++i)
    if (!taken.count(names[i]))
      columns.push_back(column_of(path, *file, {names[i], {i}}));
  return columns;
}

Result<Vocabulary> words_of_table(const ReadOptions &options) {
  Result<std::shared_ptr<CsvFile>> file = CsvFile::open(options.training, options);
  if (!file)
    return file.error();
  Result<const Vocabulary *> vocabulary = (*file)->vocabulary();
  return vocabulary ? Result<Vocabulary>(**vocabulary) : vocabulary.error();
}

} // namespace tutti::runtime::data
