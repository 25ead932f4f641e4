// Standard output and standard error of a program that must not fail because nobody reads them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_OUTPUT_STANDARDSTREAMS_H
#define TUTTI_RUNTIME_OUTPUT_STANDARDSTREAMS_H

#include <string>

namespace tutti::runtime::output {

/// Called first in a program. Standard streams that were closed become such that cannot be read or
/// written, so that no file that is opened later gets their numbers.
void secure_standard_streams();

/// A file that may not grow becomes an error of the write and is not the end of the process.
void ignore_size_signal();

/// A reader that goes away, or a file that may not grow, becomes an error of the write and is not
/// the end of the process.
void ignore_write_signals();

/// Writes `text` to standard output at once. The first failure is a warning on standard error;
/// after it nothing more is tried. Threads exclude each other.
void print(const std::string &text);

/// Columns of the terminal on standard output; 0 if there is none.
int terminal_columns();

} // namespace tutti::runtime::output

#endif // TUTTI_RUNTIME_OUTPUT_STANDARDSTREAMS_H
