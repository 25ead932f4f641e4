// The rows and fields of a file of comma-separated values (RFC 4180), or of tab-separated ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_TABLES_CSVTABLE_H
#define TUTTI_RUNTIME_HOST_DATA_TABLES_CSVTABLE_H

#include "runtime/support/Error.h"
#include "runtime/support/system/MappedFile.h"

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::runtime::data {

/// The fields of one row.
struct CsvFields {
  std::vector<std::string_view> texts; ///< without their quotes, in the file or in `unquoted`
  std::deque<std::string> unquoted;    ///< those in which a quote stood twice
};

/// A row that has been read, and where the next one begins.
struct CsvCursor {
  int64_t next = 0;
  size_t at = 0;
};

/// A mapped file. Of its rows every sixteenth place is kept, so that the file may be larger than
/// memory. Read-only; may be shared by threads.
class CsvTable {
public:
  /// Fails if a quote is not closed, or followed by text: errors name the line. Columns of a file
  /// without a header are called 1, 2 and so on.
  static Result<std::shared_ptr<const CsvTable>> open(const std::string &path, char separator,
                                                      bool has_header);

  const std::vector<std::string> &names() const { return columns; }
  int64_t rows() const { return row_count; }

  /// Row `row`, which must exist; one that follows the cursor's is found at once. Fails if it has
  /// more or fewer fields than there are columns.
  Error read(int64_t row, CsvCursor &cursor, CsvFields &out) const;
  /// The line, from 1, in which a row begins. Slow: for messages.
  int64_t line_of(int64_t row) const;

private:
  CsvTable(std::shared_ptr<const MappedFile> file, char separator)
      : file(std::move(file)), separator(separator) {}
  Error find_rows(bool has_header);
  Result<size_t> take_row(size_t at, CsvFields *out) const;
  Result<size_t> next_row(size_t at) const;
  std::string_view take_field(size_t &at, CsvFields *out, Error &error) const;
  int64_t line_at(size_t at) const;

  std::shared_ptr<const MappedFile> file;
  std::string_view bytes; ///< without a mark at the beginning, and ends of lines at the end
  char separator;
  std::vector<std::string> columns;
  std::vector<size_t> places; ///< of every sixteenth row
  int64_t row_count = 0;
};

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_TABLES_CSVTABLE_H
