// Numbers and rows of what a person is told of a run, before it and after.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUN_REPORTTEXT_H
#define TUTTI_RUNTIME_HOST_RUN_REPORTTEXT_H

#include "runtime/host/program/Manifest.h"

#include <string>

namespace tutti::runtime::worker {

/// With `digits` digits after the point.
std::string number_text(double value, int digits);
/// "1,437,000".
std::string grouped_text(int64_t number);
/// "24.0 KiB".
std::string bytes_text(int64_t bytes);
/// A step takes from microseconds to minutes: "0.310 ms".
std::string step_text(double seconds);
/// A row: "  memory           36.1 MiB ...", with its end of line.
std::string summary_line(std::string name, const std::string &content);

/// Of all ranks together, if each holds a part.
int64_t elements_of(const Variable &variable);
/// The row of what a rank holds of the variables of each kind, in bytes.
std::string variables_line(const Manifest &manifest);
/// The row of those that lie in files, and how much of them is in memory at once; empty if none do.
std::string states_line(const Manifest &manifest);
/// "; 12 operations of a step run again, so that it is no more" of a program that was short of
/// memory, else nothing.
std::string repeated_text(const Manifest &manifest);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_RUN_REPORTTEXT_H
