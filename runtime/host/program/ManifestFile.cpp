// Finding the manifest in a shared object through its table of dynamic symbols: the launcher learns
// what it needs without running or linking the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/Manifest.h"
#include "runtime/support/system/MappedFile.h"
#include "tutti/program.h"

#include <cstring>
#include <elf.h>

namespace tutti::runtime::worker {
namespace {

/// Reads structures out of bytes, never past their end.
class Elf {
public:
  explicit Elf(std::string_view bytes) : bytes(bytes) {}

  template <typename T> bool read(uint64_t offset, T &out) const {
    if (offset > bytes.size() || sizeof(T) > bytes.size() - offset)
      return false;
    std::memcpy(&out, bytes.data() + offset, sizeof(T));
    return true;
  }

  std::string_view range(uint64_t offset, uint64_t size) const {
    if (offset > bytes.size() || size > bytes.size() - offset)
      return {};
    return bytes.substr(offset, size);
  }

  /// The text at `offset` of section `table`, up to its NUL.
  std::string_view text_at(const Elf64_Shdr &table, uint64_t offset) const {
    std::string_view all = range(table.sh_offset, table.sh_size);
    if (offset >= all.size())
      return {};
    return all.substr(offset, all.find('\0', offset) - offset);
  }

  bool open() {
    return read(0, header) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
           header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_type == ET_DYN &&
           header.e_shentsize == sizeof(Elf64_Shdr) && header.e_phentsize == sizeof(Elf64_Phdr);
  }

  /// Whether all that is to be loaded is there: loading a truncated file would end the process.
  bool is_whole() const {
    Elf64_Phdr segment;
    for (uint64_t i = 0; i < header.e_phnum; ++i)
      if (!read(header.e_phoff + i * sizeof segment, segment) || segment.p_offset > bytes.size() ||
          segment.p_filesz > bytes.size() - segment.p_offset)
        return false;
    return true;
  }

  bool section(uint64_t index, Elf64_Shdr &out) const {
    return index < header.e_shnum && read(header.e_shoff + index * sizeof(Elf64_Shdr), out);
  }

  /// The bytes of the object that the dynamic symbol `name` names; empty if there is none.
  std::string_view object(std::string_view name) const {
    Elf64_Shdr symbols, names;
    for (uint64_t i = 0; section(i, symbols); ++i)
      if (symbols.sh_type == SHT_DYNSYM && section(symbols.sh_link, names))
        return find(symbols, names, name);
    return {};
  }

private:
  std::string_view find(const Elf64_Shdr &symbols, const Elf64_Shdr &names,
                        std::string_view name) const {
    Elf64_Sym symbol;
    Elf64_Shdr home;
    for (uint64_t at = 0; at + sizeof symbol <= symbols.sh_size; at += sizeof symbol) {
      if (!read(symbols.sh_offset + at, symbol))
        return {};
      if (text_at(names, symbol.st_name) != name || !section(symbol.st_shndx, home) ||
          symbol.st_value < home.sh_addr)
        continue;
      return range(home.sh_offset + (symbol.st_value - home.sh_addr), symbol.st_size);
    }
    return {};
  }

  std::string_view bytes;
  Elf64_Ehdr header = {};
};

} // namespace

Result<Manifest> Manifest::read(const std::string &path) {
  Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file)
    return file.error();
  Elf elf((*file)->bytes());
  if (!elf.open())
    return Error::make(TUTTI_BAD_PROGRAM, "'", path, "' is not a compiled program");
  if (!elf.is_whole())
    return Error::make(TUTTI_BAD_PROGRAM, "'", path, "' is truncated; compile it again");
  std::string_view object = elf.object(TUTTI_SYMBOL_MANIFEST);
  size_t end = object.find('\0');
  if (end == std::string_view::npos)
    return Error::make(TUTTI_BAD_PROGRAM, "'", path, "' has no manifest; compile it again");
  Result<Manifest> manifest = parse(object.substr(0, end));
  if (!manifest)
    return Error::make(manifest.error().status, "'", path, "': ", manifest.error().message);
  return manifest;
}

} // namespace tutti::runtime::worker
