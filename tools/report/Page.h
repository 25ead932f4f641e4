// The page of a report: one HTML file that loads nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_REPORT_PAGE_H
#define TUTTI_TOOLS_REPORT_PAGE_H

#include <nlohmann/json.hpp>
#include <string>

namespace tutti::report {

/// What the build lacked that a page needs, and what to do about it; empty: nothing.
std::string missingParts();

/// The page that shows `document` (Document.h). Nothing in `document` is markup there, whatever it
/// holds. Only if nothing is missing.
std::string pageOf(const nlohmann::json &document);

} // namespace tutti::report

#endif // TUTTI_TOOLS_REPORT_PAGE_H
