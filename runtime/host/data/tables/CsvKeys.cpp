// Parsing what is said of columns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/tables/CsvKeys.h"

#include "runtime/host/data/tables/TextFile.h"

#include "runtime/support/Numbers.h"
#include "runtime/support/Spelling.h"

#include <algorithm>

namespace tutti::runtime::data {
namespace {

Error bad(const char *key, const std::string &what) {
  return Error::make(TUTTI_INVALID_ARGUMENT, "--read: ", key, ": ", what);
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return text.empty() ? std::vector<std::string>() : parts;
}

Result<size_t> find(const char *key, const std::string &name,
                    const std::vector<std::string> &columns) {
  auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) {
    std::string nearest = nearest_name(name, columns);
    return bad(key, text("there is no column '", name, "'",
                         nearest.empty() ? "" : "; did you mean '" + nearest + "'?",
                         " The file has: ", join_names(columns)));
  }
  if (std::find(found + 1, columns.end(), name) != columns.end())
    return bad(key, text("two columns are called '", name, "'"));
  return size_t(found - columns.begin());
}

/// "a,b,d..f".
Error take_columns(const char *key, const std::string &list,
                   const std::vector<std::string> &columns, std::vector<size_t> &out) {
  for (const std::string &part : split(list, ',')) {
    size_t dots = part.find("..");
    bool is_range =
        dots != part.npos && std::find(columns.begin(), columns.end(), part) == columns.end();
    Result<size_t> first = find(key, is_range ? part.substr(0, dots) : part, columns);
    if (!first)
      return first.error();
    Result<size_t> last = is_range ? find(key, part.substr(dots + 2), columns) : *first;
    if (!last)
      return last.error();
    if (*last < *first)
      return bad(key, text("of '", part, "' the last column comes before the first"));
    for (size_t i = *first; i <= *last; ++i)
      out.push_back(i);
  }
  return Error::success();
}

Error take_groups(const ReadOptions &options, const std::vector<std::string> &columns,
                  std::vector<CsvGroup> &out) {
  for (const std::string &part : split(options.columns, ';')) {
    size_t colon = part.find(':');
    if (colon == 0 || colon == part.npos || colon + 1 == part.size())
      return bad("columns", text("'", part,
                                 "' is not INPUT:COLUMN,COLUMN; several inputs are "
                                 "written as x:age,height;y:label"));
    CsvGroup group{part.substr(0, colon), {}};
    if (Error error = take_columns("columns", part.substr(colon + 1), columns, group.columns))
      return error;
    for (const CsvGroup &other : out)
      if (other.name == group.name)
        return bad("columns", text("'", group.name, "' is there twice"));
    out.push_back(std::move(group));
  }
  return Error::success();
}

Error take_buckets(const ReadOptions &options, const std::vector<std::string> &columns,
                   std::map<size_t, int64_t> &out) {
  for (const std::string &part : split(options.hash, ',')) {
    size_t colon = std::min(part.rfind(':'), part.size());
    Result<size_t> column = find("hash", part.substr(0, colon), columns);
    if (!column)
      return column.error();
    std::string number = colon < part.size() ? part.substr(colon + 1) : "";
    Result<int64_t> buckets = parse_integer<int64_t>(number, 1, INT32_MAX);
    if (!buckets)
      return bad("hash", text("'", part, "' is not COLUMN:BUCKETS, such as user:1000"));
    out[*column] = *buckets;
  }
  return Error::success();
}

} // namespace

Result<CsvKeys> parse_csv_keys(const ReadOptions &options,
                               const std::vector<std::string> &columns) {
  CsvKeys keys;
  if (Error error = take_groups(options, columns, keys.groups))
    return error;
  if (Error error = take_columns("categories", options.categories, columns, keys.categories))
    return error;
  if (Error error = take_buckets(options, columns, keys.buckets))
    return error;
  for (size_t column : keys.categories)
    if (keys.buckets.count(column))
      return bad("hash", text("column '", columns[column], "' is among the categories, too"));
  if (!options.vocabulary.empty() && keys.categories.empty())
    return bad("vocabulary", "there are no words to keep: say which columns have some, such as "
                             "categories=colour");
  return keys;
}

char csv_separator(const ReadOptions &options, const std::string &path) {
  std::string text = without_compression(path);
  if (options.separator.empty())
    return text.size() > 4 && text.substr(text.size() - 4) == ".tsv" ? '\t' : ',';
  return options.separator == "tab" ? '\t' : options.separator == "semicolon" ? ';' : ',';
}

} // namespace tutti::runtime::data
