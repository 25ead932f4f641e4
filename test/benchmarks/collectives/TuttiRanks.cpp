// The benchmark's ranks on Tutti's own shared memory, through the C door.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/benchmarks/collectives/Measure.h"

#include "tutti/collectives.h"
#include "tutti/context.h"

#include <cstdio>
#include <memory>
#include <vector>

using namespace tutti::benchmarks;

namespace {

class TuttiContestant : public Contestant {
public:
  explicit TuttiContestant(tutti_context *context) : context(context) {}

  float *allocate(int64_t count, bool is_shared) override {
    void *memory = nullptr;
    if (is_shared) {
      tutti_context_alloc(context, count * int64_t(sizeof(float)), &memory);
      return static_cast<float *>(memory);
    }
    kept.push_back(std::make_unique<float[]>(count));
    return kept.back().get();
  }
  void all_reduce(float *values, int64_t count) override {
    void *buffer = values;
    tutti_all_reduce(context, 0, 0, TUTTI_SUM, TUTTI_F32, 1, &buffer, &buffer, &count);
  }
  void broadcast(float *values, int64_t count) override {
    void *buffer = values;
    tutti_broadcast(context, 0, 0, 0, TUTTI_F32, 1, &buffer, &buffer, &count);
  }
  void all_to_all(const float *from, float *to, int64_t count) override {
    const void *source = from;
    void *destination = to;
    tutti_all_to_all(context, 0, 0, TUTTI_F32, 1, &source, &destination, &count);
  }

private:
  tutti_context *context;
  std::vector<std::unique_ptr<float[]>> kept;
};

int run_rank(const Settings &settings, const char *connection, int64_t rank) {
  Meeting *meeting = Meeting::open(settings.meeting.c_str(), rank, settings.ranks);
  tutti_context_options options = {};
  options.struct_bytes = sizeof options;
  options.backend = tutti_backend_shm();
  options.connection = connection;
  options.rank = int32_t(rank);
  options.size = int32_t(settings.ranks);
  tutti_context *context = nullptr;
  int status = 1;
  if (meeting && tutti_context_create(&options, &context) == TUTTI_OK) {
    TuttiContestant contestant(context);
    status = measure(contestant, *meeting, settings);
  }
  if (tutti_context_status(context) != TUTTI_OK) {
    std::fprintf(stderr, "error: %s\n", tutti_context_message(context));
    status = 1;
  }
  tutti_context_destroy(context);
  return status;
}

} // namespace

int main(int count, char **arguments) {
  Settings settings;
  if (!settings.parse(count, arguments))
    return 2;
  int64_t bytes = 1 << 20;
  for (int64_t size : settings.sizes)
    bytes += 2 * (size + 128);
  tutti_meeting *place = nullptr;
  if (tutti_meeting_create(tutti_backend_shm(), int32_t(settings.ranks), bytes, &place)) {
    std::fprintf(stderr, "error: %s\n", tutti_meeting_message(place));
    return 1;
  }
  int status = run_forked(settings.ranks, [&](int64_t rank) {
    return run_rank(settings, tutti_meeting_connection(place), rank);
  });
  tutti_meeting_destroy(place);
  return status;
}
