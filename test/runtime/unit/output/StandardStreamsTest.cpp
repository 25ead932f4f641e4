// Standard streams that are closed, full, or a terminal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/output/StandardStreams.h"
#include "runtime/support/Error.h"
#include "test/runtime/Fork.h"
#include "test/runtime/TemporaryFolder.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace tutti::runtime;
using namespace tutti::runtime::output;

namespace {

std::string in_child(const std::function<std::string()> &body) {
  return finish_fork(start_fork(body));
}

/// Lets `stream` lead to the file `path`.
void redirect(int stream, const std::string &path) {
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(file, stream);
  close(file);
}

} // namespace

TEST(StandardStreams, that_were_closed_give_their_numbers_to_no_file) {
  EXPECT_EQ(in_child([] {
              for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
                close(stream);
              secure_standard_streams();
              int next = open("/dev/null", O_RDONLY);
              if (next <= STDERR_FILENO)
                return text("a file got number ", next);
              char letter = 'x';
              if (read(STDIN_FILENO, &letter, 1) >= 0 || errno != EBADF)
                return text("standard input can be read");
              if (write(STDOUT_FILENO, &letter, 1) >= 0 || errno != EBADF)
                return text("standard output can be written");
              return text(write(STDERR_FILENO, &letter, 1) == 1 ? "" : "messages fail");
            }),
            "");
}

TEST(StandardStreams, that_are_open_stay_what_they_are) {
  TemporaryFolder folder;
  EXPECT_EQ(in_child([&] {
              redirect(STDOUT_FILENO, folder.path("out"));
              secure_standard_streams();
              print("kept");
              return std::string();
            }),
            "");
  EXPECT_EQ(TemporaryFolder::read(folder.path("out")), "kept");
}

TEST(Print, warns_once_where_there_is_no_room) {
  TemporaryFolder folder;
  EXPECT_EQ(in_child([&] {
              redirect(STDERR_FILENO, folder.path("err"));
              redirect(STDOUT_FILENO, "/dev/full");
              for (int i = 0; i < 3; ++i)
                print("line\n");
              return std::string();
            }),
            "");
  EXPECT_EQ(TemporaryFolder::read(folder.path("err")),
            "warning: standard output cannot be written (No space left on device); the run goes "
            "on\n");
}

TEST(Print, survives_a_reader_that_has_gone) {
  TemporaryFolder folder;
  EXPECT_EQ(in_child([&] {
              ignore_write_signals();
              int ends[2];
              if (pipe(ends) != 0)
                return std::string("no pipe");
              dup2(ends[1], STDOUT_FILENO);
              close(ends[0]);
              redirect(STDERR_FILENO, folder.path("err"));
              print("line\n");
              return std::string();
            }),
            "");
  EXPECT_NE(TemporaryFolder::read(folder.path("err")).find("(Broken pipe)"), std::string::npos);
}

TEST(Print, names_the_limit_of_a_file) {
  TemporaryFolder folder;
  EXPECT_EQ(in_child([&] {
              ignore_size_signal();
              redirect(STDOUT_FILENO, folder.path("out"));
              redirect(STDERR_FILENO, "/dev/null");
              rlimit most = {6, 6};
              setrlimit(RLIMIT_FSIZE, &most);
              print("12345\n");
              print("67890\n");
              return std::string();
            }),
            "");
  EXPECT_EQ(TemporaryFolder::read(folder.path("out")), "12345\n");
}

TEST(TerminalColumns, are_those_of_the_window) {
  EXPECT_EQ(in_child([] {
              int terminal = posix_openpt(O_RDWR | O_NOCTTY);
              if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
                return text("no terminal");
              int other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
              winsize size = {};
              ioctl(other, TIOCSWINSZ, &size);
              dup2(other, STDOUT_FILENO);
              int unknown = terminal_columns();
              size.ws_col = 123;
              ioctl(other, TIOCSWINSZ, &size);
              int known = terminal_columns();
              return text(unknown, " ", known);
            }),
            "80 123");
}

TEST(TerminalColumns, are_none_without_a_terminal) {
  TemporaryFolder folder;
  EXPECT_EQ(in_child([&] {
              redirect(STDOUT_FILENO, folder.path("out"));
              return text(terminal_columns());
            }),
            "0");
}
