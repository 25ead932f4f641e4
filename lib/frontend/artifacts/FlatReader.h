// Reading flatbuffers without a schema's generated code: tables by the numbers of their fields.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_ARTIFACTS_FLATREADER_H
#define TUTTI_LIB_FRONTEND_ARTIFACTS_FLATREADER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tutti::frontend {

class FlatReader;

/// One table. A field that is not there reads as its default, an empty vector or a null table.
class FlatTable {
public:
  FlatTable() = default;
  explicit operator bool() const { return reader; }

  template <typename Number> Number number(unsigned field, Number otherwise = 0) const;
  llvm::StringRef text(unsigned field) const;
  /// Where the vector of bytes lies in the content.
  llvm::ArrayRef<char> bytes(unsigned field) const;
  /// The first numbers of the vector, one more than `most` if it has more.
  llvm::SmallVector<int64_t> numbers(unsigned field, uint64_t most) const;
  FlatTable table(unsigned field) const;
  std::vector<FlatTable> tables(unsigned field) const;

private:
  friend class FlatReader;
  /// Elements of `size` bytes each.
  struct Elements {
    uint64_t position = 0, count = 0;
  };

  FlatTable(FlatReader &reader, uint64_t position, uint64_t fields, unsigned fieldCount)
      : reader(&reader), position(position), fields(fields), fieldCount(fieldCount) {}

  /// Where the value of `field` lies, if there is one.
  std::optional<uint64_t> find(unsigned field) const;
  Elements elements(unsigned field, uint64_t size) const;

  FlatReader *reader = nullptr;
  uint64_t position = 0, fields = 0; ///< of the table, and of the offsets of its fields
  unsigned fieldCount = 0;
};

/// The content of a flatbuffer. Every access is checked against it; the first that leads out of it
/// is remembered as the problem, and all after it read nothing. So a caller asks once, at the end.
class FlatReader {
public:
  explicit FlatReader(llvm::ArrayRef<char> content)
      : content(content), tablesLeft(content.size() / 4) {}

  /// The outermost table of a content of this kind (four letters); else null, with a problem.
  FlatTable root(llvm::StringRef identifier);

  /// What is wrong with the content; empty if nothing is, as far as it was read.
  const std::string &problem() const { return firstProblem; }

private:
  friend class FlatTable;

  void fail(const llvm::Twine &problem);
  /// Whether `size` bytes lie at `at`.
  bool holds(uint64_t at, uint64_t size);
  template <typename Number> Number read(uint64_t at) {
    return holds(at, sizeof(Number))
               ? llvm::support::endian::read<Number, llvm::endianness::little>(content.data() + at)
               : Number();
  }
  /// Where the offset at `at` points.
  uint64_t follow(uint64_t at) { return at + read<uint32_t>(at); }
  FlatTable tableAt(uint64_t at);

  llvm::ArrayRef<char> content;
  uint64_t tablesLeft; ///< each takes four bytes at least, so more are the same ones again
  std::string firstProblem;
};

template <typename Number> Number FlatTable::number(unsigned field, Number otherwise) const {
  std::optional<uint64_t> at = find(field);
  return at ? reader->read<Number>(*at) : otherwise;
}

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_ARTIFACTS_FLATREADER_H
