// What stays open in a shared object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/code/OpenSymbols.h"

#include "llvm/Object/ELFObjectFile.h"

using namespace tutti::execution;
using llvm::StringRef, llvm::Twine;

static constexpr StringRef kRuntime[] = {
#define TUTTI_ENTRY(name, spelling, parameters, arguments) #name,
#define TUTTI_QUERY_ENTRY(name, spelling, parameters, arguments) #name,
#include "tutti/abi.def"
    "tutti_context_status", // which entry points return
};

/// Of libm: each in f64, and with an f after it in f32.
static constexpr StringRef kMath[] = {
    "acos",      "acosh",    "asin",      "asinh", "atan",   "atan2",     "atanh", "cbrt",
    "ceil",      "copysign", "cos",       "cosh",  "erf",    "erfc",      "exp",   "exp10",
    "exp2",      "expm1",    "fabs",      "fdim",  "floor",  "fma",       "fmax",  "fmin",
    "fmod",      "hypot",    "ldexp",     "log",   "log10",  "log1p",     "log2",  "logb",
    "nearbyint", "pow",      "remainder", "rint",  "round",  "roundeven", "sin",   "sincos",
    "sinh",      "sqrt",     "tan",       "tanh",  "tgamma", "trunc"};

/// A code generator calls these where the processor has no instruction.
static constexpr StringRef kGenerated[] = {
    "bcmp",          "memcmp",       "memcpy",      "memmove",   "memset",
    "__divti3",      "__modti3",     "__multi3",    "__udivti3", "__umodti3",
    "__extendhfsf2", "__truncdfhf2", "__truncsfhf2"};

static llvm::StringSet<> collectOpenSymbols() {
  llvm::StringSet<> names;
  for (StringRef name : kRuntime)
    names.insert(name);
  for (StringRef name : kGenerated)
    names.insert(name);
  for (StringRef name : kMath) {
    names.insert(name);
    names.insert((name + "f").str());
  }
  return names;
}

const llvm::StringSet<> &tutti::execution::openSymbols() {
  static const llvm::StringSet<> names = collectOpenSymbols();
  return names;
}

static llvm::Error refuse(const Twine &what) {
  return llvm::createStringError("the compiled program " + what);
}

static llvm::Error checkSymbols(const llvm::object::ELF64LEObjectFile &elf) {
  for (llvm::object::ELFSymbolRef symbol : elf.getDynamicSymbolIterators()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name)
      return llvm::joinErrors(flags.takeError(), name.takeError());
    if (symbol.getELFType() == llvm::ELF::STT_GNU_IFUNC)
      return refuse("has '" + *name + "', which is chosen when the program is loaded");
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty() &&
        !openSymbols().contains(*name))
      return refuse("calls '" + *name +
                    "', which is neither of the runtime nor a mathematical function");
  }
  return llvm::Error::success();
}

/// What each tag of the dynamic section would do when the program is loaded; null: nothing.
static const char *effectOnLoading(int64_t tag) {
  switch (tag) {
  case llvm::ELF::DT_NEEDED:
  case llvm::ELF::DT_AUXILIARY:
  case llvm::ELF::DT_FILTER:
    return "loads another library";
  case llvm::ELF::DT_INIT:
  case llvm::ELF::DT_INIT_ARRAY:
  case llvm::ELF::DT_PREINIT_ARRAY:
  case llvm::ELF::DT_FINI:
  case llvm::ELF::DT_FINI_ARRAY:
    return "runs code when it is loaded or unloaded";
  default:
    return nullptr;
  }
}

llvm::Error tutti::execution::checkSharedObject(StringRef content) {
  auto elf = llvm::object::ELF64LEObjectFile::create(
      llvm::MemoryBufferRef(content, "the compiled program"));
  if (!elf)
    return elf.takeError();
  auto entries = elf->getELFFile().dynamicEntries();
  if (!entries)
    return entries.takeError();
  for (const auto &entry : *entries)
    if (const char *effect = effectOnLoading(entry.getTag()))
      return refuse(effect);
  return checkSymbols(*elf);
}
