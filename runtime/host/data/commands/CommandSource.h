// Samples that a program makes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_COMMANDS_COMMANDSOURCE_H
#define TUTTI_RUNTIME_HOST_DATA_COMMANDS_COMMANDSOURCE_H

#include "runtime/host/data/Formats.h"

namespace tutti::runtime::data {

/// Whether `path` is "exec:COMMAND", and names no file.
bool is_command(const std::string &path);

/// Starts the command of "exec:COMMAND"; its columns, which are read by asking it. docs/data.md
/// says what both say to each other. Errors name the command.
Result<Columns> open_command(const std::string &path);

/// While one is there, a command that is opened in this process stays open, and is not started
/// again when it is opened again: for a process that looks at data several times before it starts
/// ranks. One at a time; used by one thread.
class KeptCommands {
public:
  KeptCommands();
  ~KeptCommands();
  KeptCommands(const KeptCommands &) = delete;
};

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_COMMANDS_COMMANDSOURCE_H
