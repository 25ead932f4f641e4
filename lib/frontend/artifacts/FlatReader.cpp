// Offsets of flatbuffers, each of them checked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/artifacts/FlatReader.h"

using namespace tutti::frontend;
using llvm::StringRef;

void FlatReader::fail(const llvm::Twine &problem) {
  if (firstProblem.empty())
    firstProblem = problem.str();
}

bool FlatReader::holds(uint64_t at, uint64_t size) {
  if (firstProblem.empty() && at <= content.size() && size <= content.size() - at)
    return true;
  fail("it is cut off or damaged: " + llvm::Twine(size) + " bytes are wanted from offset " +
       llvm::Twine(at) + ", but there are " + llvm::Twine(content.size()));
  return false;
}

FlatTable FlatReader::root(StringRef identifier) {
  constexpr uint64_t identifierAt = 4;
  if (!holds(identifierAt, identifier.size()))
    return {};
  StringRef found(content.data() + identifierAt, identifier.size());
  if (found != identifier) {
    fail("it does not have the identifier '" + identifier + "' at byte 4");
    return {};
  }
  return tableAt(follow(0));
}

FlatTable FlatReader::tableAt(uint64_t at) {
  int64_t back = read<int32_t>(at);
  if (!firstProblem.empty())
    return {};
  if (tablesLeft-- == 0) {
    fail("it is damaged: it refers to more tables than it has room for");
    tablesLeft = 0;
    return {};
  }
  int64_t layout = static_cast<int64_t>(at) - back;
  if (layout < 0) {
    fail("it is damaged: the layout of the table at offset " + llvm::Twine(at) +
         " lies before its beginning");
    return {};
  }
  unsigned bytes = read<uint16_t>(layout);
  constexpr unsigned headerBytes = 4; // the sizes of the layout and of the table
  if (!firstProblem.empty() || !holds(layout, bytes))
    return {};
  unsigned fieldCount = bytes < headerBytes ? 0 : (bytes - headerBytes) / 2;
  return FlatTable(*this, at, layout + headerBytes, fieldCount);
}

std::optional<uint64_t> FlatTable::find(unsigned field) const {
  if (!reader || field >= fieldCount)
    return std::nullopt;
  uint64_t offset = reader->read<uint16_t>(fields + 2 * field);
  return offset == 0 ? std::nullopt : std::optional(position + offset);
}

FlatTable::Elements FlatTable::elements(unsigned field, uint64_t size) const {
  std::optional<uint64_t> at = find(field);
  if (!at)
    return {};
  uint64_t vector = reader->follow(*at);
  uint64_t count = reader->read<uint32_t>(vector);
  return reader->holds(vector + 4, count * size) ? Elements{vector + 4, count} : Elements();
}

llvm::ArrayRef<char> FlatTable::bytes(unsigned field) const {
  Elements found = elements(field, 1);
  return found.count == 0 ? llvm::ArrayRef<char>()
                          : reader->content.slice(found.position, found.count);
}

StringRef FlatTable::text(unsigned field) const {
  llvm::ArrayRef<char> found = bytes(field);
  return StringRef(found.data(), found.size());
}

llvm::SmallVector<int64_t> FlatTable::numbers(unsigned field, uint64_t most) const {
  Elements found = elements(field, sizeof(int64_t));
  llvm::SmallVector<int64_t> numbers;
  for (uint64_t index = 0; index < std::min(found.count, most + 1); ++index)
    numbers.push_back(reader->read<int64_t>(found.position + sizeof(int64_t) * index));
  return numbers;
}

FlatTable FlatTable::table(unsigned field) const {
  std::optional<uint64_t> at = find(field);
  return at ? reader->tableAt(reader->follow(*at)) : FlatTable();
}

std::vector<FlatTable> FlatTable::tables(unsigned field) const {
  constexpr uint64_t offsetBytes = 4;
  Elements found = elements(field, offsetBytes);
  std::vector<FlatTable> tables;
  for (uint64_t index = 0; index < found.count && reader->problem().empty(); ++index)
    if (FlatTable table = reader->tableAt(reader->follow(found.position + offsetBytes * index)))
      tables.push_back(table);
  return tables;
}
