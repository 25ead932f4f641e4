// The benchmark's ranks on Gloo over TCP on the loopback, as PyTorch uses it on one machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/benchmarks/collectives/Measure.h"

#include <cstdio>
#include <exception>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/broadcast.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#include <memory>
#include <vector>

using namespace tutti::benchmarks;

namespace {

class GlooContestant : public Contestant {
public:
  explicit GlooContestant(std::shared_ptr<gloo::Context> context) : context(std::move(context)) {}

  float *allocate(int64_t count, bool) override {
    kept.push_back(std::make_unique<float[]>(count));
    return kept.back().get();
  }
  void all_reduce(float *values, int64_t count) override {
    gloo::AllreduceOptions options(context);
    options.setOutput(values, size_t(count));
    options.setReduceFunction([](void *to, const void *a, const void *b, size_t elements) {
      gloo::sum<float>(to, a, b, elements);
    });
    gloo::allreduce(options);
  }
  void broadcast(float *values, int64_t count) override {
    gloo::BroadcastOptions options(context);
    options.setOutput(values, size_t(count));
    options.setRoot(0);
    gloo::broadcast(options);
  }
  void all_to_all(const float *from, float *to, int64_t count) override {
    gloo::AlltoallOptions options(context);
    size_t elements = size_t(count) * size_t(context->size);
    options.setInput(const_cast<float *>(from), elements);
    options.setOutput(to, elements);
    gloo::alltoall(options);
  }

private:
  std::shared_ptr<gloo::Context> context;
  std::vector<std::unique_ptr<float[]>> kept;
};

int run_rank(const Settings &settings, int64_t rank) try {
  gloo::transport::tcp::attr attributes;
  attributes.iface = "lo";
  auto device = gloo::transport::tcp::CreateDevice(attributes);
  gloo::rendezvous::FileStore store(settings.meeting + ".gloo");
  auto context = std::make_shared<gloo::rendezvous::Context>(int(rank), int(settings.ranks));
  context->connectFullMesh(store, device);
  GlooContestant contestant(context);
  Meeting *meeting = Meeting::open(settings.meeting.c_str(), rank, settings.ranks);
  return meeting ? measure(contestant, *meeting, settings) : 1;
} catch (const std::exception &error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}

} // namespace

int main(int count, char **arguments) {
  Settings settings;
  if (!settings.parse(count, arguments))
    return 2;
  return run_forked(settings.ranks, [&](int64_t rank) { return run_rank(settings, rank); });
}
