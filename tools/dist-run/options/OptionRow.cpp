// The kinds of options, and their tables one after the other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-run/options/OptionRow.h"

#include "llvm/ADT/STLExtras.h"

using namespace tutti;

OptionRow tutti::value(const char *name, OptionRow::Store store, const char *help) {
  return {OptionRow::Kind::value, name, help, std::move(store)};
}

OptionRow tutti::list(const char *name, OptionRow::Store store, const char *help) {
  return {OptionRow::Kind::list, name, help, std::move(store)};
}

OptionRow tutti::keyHelp(const char *name) {
  std::string keys = name;
  return {OptionRow::Kind::keyHelp, "--help-" + keys, "List the keys of --" + keys, nullptr, keys};
}

const std::vector<OptionRow> &tutti::optionRows() {
  static const std::vector<OptionRow> all = [] {
    std::vector<OptionRow> rows;
    for (auto *table : {programRows, trainingRows, dataRows, directoryRows, clusterRows, traceRows})
      llvm::append_range(rows, table());
    return rows;
  }();
  return all;
}
