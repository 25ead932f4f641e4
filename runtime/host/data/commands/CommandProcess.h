// A program that hands out samples, as a process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_COMMANDS_COMMANDPROCESS_H
#define TUTTI_RUNTIME_HOST_DATA_COMMANDS_COMMANDPROCESS_H

#include "runtime/support/Error.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tutti::runtime::data {

/// A child of this process that runs `sh -c COMMAND`. Lines of JSON go to and from its standard
/// input and output; what it writes to standard error is passed on when it is next asked, and the
/// end of it is part of errors. It and its children are ended with this object, or when this
/// process dies. Used by one thread at a time.
class CommandProcess {
public:
  /// `memory` is what the child has as descriptor 3, which the environment says, too.
  static Result<std::unique_ptr<CommandProcess>> start(const std::string &command, int memory);
  ~CommandProcess();
  CommandProcess(const CommandProcess &) = delete;

  /// Sends a line. Fails if the child has ended, or has not taken it all after `seconds`.
  Error send(const nlohmann::json &line, double seconds);
  /// The next line. Fails if it is no JSON object, says that something is wrong ("error"), has not
  /// come after `seconds`, or never will.
  Result<nlohmann::json> receive(double seconds);

private:
  CommandProcess(pid_t pid, int lines, int errors) : pid(pid), lines(lines), errors(errors) {}
  short wait(short events, double seconds);
  bool read_errors();
  bool read_lines();
  Result<std::string> next_line(double seconds);
  Error with_last_words(const std::string &what);
  std::string describe_end();

  pid_t pid;
  int lines, errors; ///< a socket, and the end of a pipe
  std::string received, last_words;
};

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_COMMANDS_COMMANDPROCESS_H
