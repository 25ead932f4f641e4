// A raw_ostream whose writes go to the writer of runtime/output.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/output/OutputFile.h"

using namespace tutti;
using namespace llvm;

class OutputFile::Stream : public raw_ostream {
public:
  explicit Stream(runtime::output::OutputFile file) : file(std::move(file)) {}
  ~Stream() override { flush(); }

  runtime::output::OutputFile file;

private:
  void write_impl(const char *data, size_t bytes) override {
    file.write(data, bytes);
    position += bytes;
  }
  uint64_t current_pos() const override { return position; }

  uint64_t position = 0;
};

static Error toError(const runtime::Error &error) {
  return error ? createStringError(error.message) : Error::success();
}

Expected<OutputFile> OutputFile::open(StringRef path) {
  auto file = runtime::output::OutputFile::open(path.str());
  if (!file)
    return toError(file.error());
  return OutputFile(std::move(*file));
}

OutputFile::OutputFile(runtime::output::OutputFile file)
    : out(std::make_unique<Stream>(std::move(file))) {}
OutputFile::OutputFile(OutputFile &&) = default;
OutputFile::~OutputFile() = default;

raw_ostream &OutputFile::stream() { return *out; }

Error OutputFile::commit() {
  out->flush();
  return toError(out->file.commit());
}

int tutti::finishStandardOutput(int status) {
  auto &output = llvm::outs();
  output.flush();
  if (!output.has_error())
    return status;
  llvm::errs() << "error: standard output cannot be written: " << output.error().message() << "\n";
  output.clear_error();
  return 1;
}
