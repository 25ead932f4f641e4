// Describes keys to people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/options/KeyTable.h"
#include "lib/options/OtherNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tutti::options;

/// `text` in lines of at most 76 characters, indented.
static void printWrapped(StringRef text, llvm::raw_ostream &out) {
  constexpr size_t width = 76;
  constexpr const char *margin = "      ";
  size_t column = 0; // of a line that has begun
  for (StringRef word : llvm::split(text, ' ')) {
    if (column == 0 || column + 1 + word.size() > width) {
      out << (column == 0 ? "" : "\n") << margin << word;
      column = 6 + word.size();
      continue;
    }
    out << ' ' << word;
    column += 1 + word.size();
  }
  out << "\n";
}

void KeyTable::printHelp(llvm::raw_ostream &out) const {
  out << "Keys of " << owner << "=\"KEY=VALUE ...\", defaults in brackets:\n\n";
  for (const Key &key : keys) {
    out << "  " << key.name << "=" << key.type;
    if (!key.initial.empty())
      out << " [" << key.initial << "]";
    out << "\n";
    SmallVector<StringRef> others = otherNames(key.name);
    std::string also = others.empty() ? "" : ". Also called " + llvm::join(others, ", ");
    printWrapped(key.text + also, out);
  }
}
