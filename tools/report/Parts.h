// The files of the page, as the build embeds them (EmbedParts.cmake).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_REPORT_PARTS_H
#define TUTTI_TOOLS_REPORT_PARTS_H

namespace tutti::report {

extern const char *const pageTemplate, *const pageStyle, *const pageScript;
/// Of uPlot; empty where the build did not have it.
extern const char *const chartScript, *const chartStyle, *const chartLicence;

} // namespace tutti::report

#endif // TUTTI_TOOLS_REPORT_PARTS_H
