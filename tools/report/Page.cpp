// Putting the page together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/report/Page.h"

#include "tools/report/Parts.h"

#include <cstring>
#include <utility>
#include <vector>

using namespace tutti;

/// JSON that ends no element of a page and begins no comment: `<`, `>` and `&` only stand in
/// strings, where an escape means the same.
static std::string spellInPage(const nlohmann::json &document) {
  std::string text =
      document.dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace);
  std::string escaped;
  for (char letter : text)
    switch (letter) {
    case '<':
      escaped += "\\u003c";
      break;
    case '>':
      escaped += "\\u003e";
      break;
    case '&':
      escaped += "\\u0026";
      break;
    default:
      escaped += letter;
    }
  return escaped;
}

static std::string spellAsText(const char *text) {
  std::string escaped;
  for (const char *letter = text; *letter; ++letter)
    escaped += *letter == '<'   ? "&lt;"
               : *letter == '>' ? "&gt;"
               : *letter == '&' ? "&amp;"
                                : std::string(1, *letter);
  return escaped;
}

std::string report::missingParts() {
  if (*chartScript && *chartStyle && *chartLicence)
    return "";
  return "this build has no chart library: npm could not bring uPlot when it was built. Run 'npm "
         "ci' in tools/report of the sources where there is a network, and build again";
}

std::string report::pageOf(const nlohmann::json &document) {
  const std::vector<std::pair<const char *, std::string>> parts = {
      {"@CHART_STYLE@", chartStyle},   {"@STYLE@", pageStyle},
      {"@CHART_SCRIPT@", chartScript}, {"@CHART_LICENCE@", spellAsText(chartLicence)},
      {"@SCRIPT@", pageScript},        {"@DOCUMENT@", spellInPage(document)}};
  std::string page, rest = pageTemplate;
  for (size_t at = rest.find('@'); at != rest.npos; at = rest.find('@')) {
    page += rest.substr(0, at);
    rest.erase(0, at);
    size_t length = 1;
    std::string content = "@";
    for (const auto &[name, text] : parts)
      if (rest.compare(0, std::strlen(name), name) == 0)
        length = std::strlen(name), content = text;
    page += content;
    rest.erase(0, length);
  }
  return page + rest;
}
