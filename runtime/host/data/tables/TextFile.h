// The text of a file of values, which may be compressed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_TABLES_TEXTFILE_H
#define TUTTI_RUNTIME_HOST_DATA_TABLES_TEXTFILE_H

#include "runtime/support/system/MappedFile.h"

namespace tutti::runtime::data {

/// `path` without an ending of compression: "a.csv" of "a.csv.gz" and "a.csv.zst".
std::string without_compression(const std::string &path);

/// The file, mapped; what is compressed with gzip is inflated into memory of this process, of which
/// there must be enough. The error of another compression says how to undo it.
Result<std::shared_ptr<const MappedFile>> map_text(const std::string &path);

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_TABLES_TEXTFILE_H
