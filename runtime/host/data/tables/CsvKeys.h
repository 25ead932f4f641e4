// What --read says of the columns of a file of values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_TABLES_CSVKEYS_H
#define TUTTI_RUNTIME_HOST_DATA_TABLES_CSVKEYS_H

#include "runtime/host/data/ReadOptions.h"
#include "runtime/host/data/tables/CsvTable.h"

#include <map>

namespace tutti::runtime::data {

/// The columns that make an array.
struct CsvGroup {
  std::string name;
  std::vector<size_t> columns;
};

/// The keys, as columns of a table.
struct CsvKeys {
  std::vector<CsvGroup> groups;
  std::vector<size_t> categories;
  std::map<size_t, int64_t> buckets; ///< of a column that is hashed
};

/// Fails if a key is not written as it should be, or names a column that is not there or there
/// twice.
Result<CsvKeys> parse_csv_keys(const ReadOptions &options, const std::vector<std::string> &columns);

/// By the options, or by the ending of the file.
char csv_separator(const ReadOptions &options, const std::string &path);

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_TABLES_CSVKEYS_H
