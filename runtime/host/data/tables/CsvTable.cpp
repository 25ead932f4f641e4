// Finding rows and fields.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/tables/CsvTable.h"

#include "runtime/host/data/tables/TextFile.h"

#include <algorithm>

namespace tutti::runtime::data {
namespace {

constexpr int64_t rows_a_place = 16;

/// Why text that begins so cannot be read.
const char *foreign_beginning(std::string_view bytes) {
  if (bytes.substr(0, 2) == "\xff\xfe" || bytes.substr(0, 2) == "\xfe\xff")
    return "it is text in UTF-16; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)";
  return nullptr;
}

std::string with_single_quotes(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    i += text[i] == '"'; // they stand in pairs
  }
  return out;
}

} // namespace

Result<std::shared_ptr<const CsvTable>> CsvTable::open(const std::string &path, char separator,
                                                       bool has_header) {
  Result<std::shared_ptr<const MappedFile>> file = map_text(path);
  if (!file)
    return file.error();
  std::shared_ptr<CsvTable> table(new CsvTable(*file, separator));
  if (Error error = table->find_rows(has_header))
    return Error::make(error.status, "dataset '", path, "': ", error.message);
  return std::shared_ptr<const CsvTable>(table);
}

Error CsvTable::find_rows(bool has_header) {
  bytes = file->bytes();
  if (const char *problem = foreign_beginning(bytes))
    return Error::make(TUTTI_BAD_DATA, problem);
  if (bytes.substr(0, 3) == "\xef\xbb\xbf")
    bytes.remove_prefix(3);
  size_t last = bytes.find_last_not_of("\r\n");
  bytes = bytes.substr(0, last == bytes.npos ? 0 : last + 1);
  if (bytes.empty())
    return Error::make(TUTTI_BAD_DATA, "it is empty");
  CsvFields first;
  Result<size_t> end = take_row(0, &first);
  if (!end)
    return end.error();
  for (size_t i = 0; i < first.texts.size(); ++i)
    columns.push_back(has_header ? std::string(first.texts[i]) : std::to_string(i + 1));
  for (size_t at = has_header ? *end : 0; at < bytes.size(); ++row_count) {
    if (row_count % rows_a_place == 0)
      places.push_back(at);
    Result<size_t> next = next_row(at);
    if (!next)
      return next.error();
    at = *next;
  }
  if (row_count == 0)
    return Error::make(TUTTI_BAD_DATA, "it has a header, and no rows; if its first line is one: "
                                       "--read=\"header=false\"");
  return Error::success();
}

/// Where the row after that at `at` begins. A line without quotes is a row.
Result<size_t> CsvTable::next_row(size_t at) const {
  size_t end = std::min(bytes.find('\n', at), bytes.size());
  if (bytes.substr(at, end - at).find('"') != bytes.npos)
    return take_row(at, nullptr);
  return std::min(end + 1, bytes.size());
}

/// The field at `at`, which is moved to its separator, to the end of its line, or of the file.
std::string_view CsvTable::take_field(size_t &at, CsvFields *out, Error &error) const {
  size_t begin = at, size = bytes.size();
  if (at == size || bytes[at] != '"') {
    while (at < size && bytes[at] != separator && bytes[at] != '\n')
      ++at;
    bool has_return = at > begin && bytes[at - 1] == '\r' && (at == size || bytes[at] == '\n');
    return bytes.substr(begin, at - begin - has_return);
  }
  bool is_doubled = false;
  size_t quote = bytes.find('"', begin + 1);
  for (; quote != bytes.npos && bytes.substr(quote, 2) == "\"\""; is_doubled = true)
    quote = bytes.find('"', quote + 2);
  if (quote == bytes.npos) {
    error = Error::make(TUTTI_BAD_DATA, "line ", line_at(begin), ": a quote is not closed");
    return {};
  }
  std::string_view text = bytes.substr(begin + 1, quote - begin - 1);
  at = quote + 1;
  if (at + 1 < size && bytes[at] == '\r' && bytes[at + 1] == '\n')
    ++at;
  if (at < size && bytes[at] != separator && bytes[at] != '\n')
    error = Error::make(TUTTI_BAD_DATA, "line ", line_at(at), ": text follows the end of a quote; ",
                        "in a quoted field a quote stands twice: \"\"");
  if (!is_doubled || !out)
    return text;
  return out->unquoted.emplace_back(with_single_quotes(text));
}

/// Where the row after that at `at` begins; its fields, if `out` is there.
Result<size_t> CsvTable::take_row(size_t at, CsvFields *out) const {
  Error error;
  for (;; ++at) {
    std::string_view text = take_field(at, out, error);
    if (error)
      return error;
    if (out)
      out->texts.push_back(text);
    if (at >= bytes.size())
      return bytes.size();
    if (bytes[at] == '\n')
      return at + 1;
  }
}

Error CsvTable::read(int64_t row, CsvCursor &cursor, CsvFields &out) const {
  int64_t from = row / rows_a_place * rows_a_place;
  if (cursor.at == 0 || cursor.next > row || cursor.next < from)
    cursor = {from, places[size_t(row / rows_a_place)]};
  for (; cursor.next < row; ++cursor.next) {
    Result<size_t> next = next_row(cursor.at);
    if (!next)
      return next.error(); // the file has changed
    cursor.at = *next;
  }
  out.texts.clear();
  out.unquoted.clear();
  Result<size_t> next = take_row(cursor.at, &out);
  if (!next)
    return next.error();
  cursor = {row + 1, *next};
  if (out.texts.size() == columns.size())
    return Error::success();
  return Error::make(TUTTI_BAD_DATA, "line ", line_of(row), " has ", out.texts.size(),
                     " fields; the first line has ", columns.size());
}

int64_t CsvTable::line_at(size_t at) const {
  return 1 + std::count(bytes.begin(), bytes.begin() + int64_t(at), '\n');
}

int64_t CsvTable::line_of(int64_t row) const {
  size_t at = places[size_t(row / rows_a_place)];
  for (int64_t i = row / rows_a_place * rows_a_place; i < row; ++i) {
    Result<size_t> next = next_row(at);
    if (!next)
      break;
    at = *next;
  }
  return line_at(at);
}

} // namespace tutti::runtime::data
