// Recording spans on two threads, choosing steps, running out of room, and the events that come of
// it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/trace/Recorder.h"
#include "runtime/engine/trace/SpanWriter.h"
#include "runtime/engine/trace/Timeline.h"
#include "runtime/engine/trace/TraceFile.h"
#include "test/runtime/TemporaryFolder.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <thread>

using namespace tutti::runtime;
using namespace tutti::runtime::trace;
using nlohmann::json;
using testing::HasSubstr;

namespace {

constexpr size_t enough = 64;

json events(const Recorder &recorder, const Names &names = {}) {
  Timeline timeline{{0, 0}, {1000000, 1000000}, 0}; // a tick is a nanosecond
  return json::parse("[" + events_of(recorder, names, timeline, {3, "rank 3", ""}) + "]");
}

/// The events of one phase, in order.
std::vector<json> of_phase(const json &all, const char *phase) {
  std::vector<json> some;
  for (const json &event : all)
    if (event["ph"] == phase)
      some.push_back(event);
  return some;
}

Span span_of(Kind kind, uint64_t begin, uint64_t end) {
  Span span = {};
  span.kind = kind;
  span.begin = begin;
  span.end = end;
  span.name = "all_reduce";
  span.step = 0;
  return span;
}

void run_step(Recorder &recorder, int64_t step, int kernels) {
  StepScope whole(&recorder, step);
  for (int i = 0; i < kernels; ++i)
    Scope(&recorder, Kind::kernel, "tutti_matmul");
}

} // namespace

TEST(TraceRecorder, needs_no_recorder) {
  Scope scope(nullptr, Kind::kernel, "tutti_matmul");
  EXPECT_EQ(scope.details(), nullptr);
  StepScope step(nullptr, 0);
}

TEST(TraceRecorder, keeps_spans_with_their_step) {
  Recorder recorder({}, enough);
  { Scope outside(&recorder, Kind::phase, "initialize"); }
  run_step(recorder, 4, 1);
  ASSERT_EQ(recorder.compute.size(), 3u);
  EXPECT_EQ(recorder.compute[0].step, -1);
  EXPECT_EQ(recorder.compute[1].step, 4);
  EXPECT_EQ(recorder.compute[2].kind, Kind::step);
  EXPECT_LE(recorder.compute[2].begin, recorder.compute[1].begin);
  EXPECT_GE(recorder.compute[2].end, recorder.compute[1].end);
}

TEST(TraceRecorder, records_chosen_steps_only) {
  Recorder recorder({2, 2}, enough);
  { Scope outside(&recorder, Kind::phase, "initialize"); }
  for (int64_t step = 0; step < 6; ++step)
    run_step(recorder, step, 0);
  ASSERT_EQ(recorder.compute.size(), 3u);
  EXPECT_EQ(recorder.compute[0].step, -1) << "how the run starts";
  EXPECT_EQ(recorder.compute[1].step, 2);
  EXPECT_EQ(recorder.compute[2].step, 3);
  EXPECT_EQ(recorder.first_left_out(), -1);
}

TEST(TraceRecorder, stops_before_a_step_that_may_not_fit) {
  Recorder recorder({}, 40);
  for (int64_t step = 0; step < 20; ++step)
    run_step(recorder, step, 4);
  EXPECT_EQ(recorder.compute.lost_spans(), 0u);
  EXPECT_EQ(recorder.compute.size() % 5, 0u) << "a part of a step";
  EXPECT_EQ(recorder.first_left_out(), int64_t(recorder.compute.size() / 5));
  EXPECT_THAT(events(recorder).back()["name"],
              HasSubstr("the trace is full: nothing is recorded from step"));
}

TEST(TraceRecorder, counts_what_does_not_fit) {
  Recorder recorder({}, 2);
  run_step(recorder, 0, 4);
  EXPECT_EQ(recorder.compute.lost_spans(), 3u);
  EXPECT_THAT(events(recorder).back()["name"], HasSubstr("3 spans are not in it"));
}

TEST(TraceRecorder, lets_two_threads_record_and_a_third_read) {
  constexpr int count = 10000;
  Recorder recorder({}, count);
  std::thread communication([&] {
    for (int i = 0; i < count; ++i) {
      Scope scope(&recorder, Kind::collective, "all_reduce");
      scope.details()->ordinal = recorder.next_performed();
      scope.move_to(recorder.communication);
    }
  });
  std::thread reader([&] {
    for (size_t seen = 0; seen < count; seen = recorder.communication.size())
      if (seen > 0) {
        ASSERT_EQ(recorder.communication[seen - 1].ordinal, seen);
      }
  });
  for (int i = 0; i < count - 1; ++i) {
    Scope scope(&recorder, Kind::start, "all_reduce");
    scope.details()->ordinal = recorder.next_started();
  }
  communication.join();
  reader.join();
  EXPECT_EQ(recorder.compute.size(), size_t(count - 1));
  EXPECT_EQ(recorder.communication.size(), size_t(count));
}

TEST(TraceTimeline, goes_through_both_readings) {
  Timeline timeline{{100, 5000}, {300, 6000}, 4000};
  EXPECT_EQ(timeline.nanoseconds_of(100), 1000);
  EXPECT_EQ(timeline.nanoseconds_of(200), 1500);
  EXPECT_EQ(timeline.nanoseconds_of(300), 2000);
  EXPECT_EQ(timeline.nanoseconds_of(0), 500);
}

TEST(TraceTimeline, reads_both_clocks_forward) {
  ClockReading first = ClockReading::take(), second = ClockReading::take();
  EXPECT_LT(first.ticks, second.ticks);
  EXPECT_LT(first.nanoseconds, second.nanoseconds);
}

TEST(TraceEvents, name_rank_and_threads) {
  Recorder recorder({}, enough);
  recorder.communication.add(span_of(Kind::collective, 1, 2));
  std::vector<json> names = of_phase(events(recorder), "M");
  EXPECT_EQ(names[0]["args"]["name"], "rank 3");
  EXPECT_EQ(names[1]["args"]["sort_index"], 3);
  EXPECT_EQ(names[2]["args"]["name"], "compute");
  EXPECT_EQ(names[4]["args"]["name"], "communication");
}

TEST(TraceEvents, stand_in_order_with_parents_first) {
  Recorder recorder({}, enough);
  recorder.compute.add(span_of(Kind::kernel, 10, 20));
  recorder.compute.add(span_of(Kind::kernel, 30, 40));
  recorder.compute.add(span_of(Kind::step, 10, 50));
  std::vector<json> spans = of_phase(events(recorder), "X");
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(spans[0]["name"], "step 1");
  EXPECT_EQ(spans[0]["ts"], 0.01);
  EXPECT_EQ(spans[0]["dur"], 0.04);
  EXPECT_EQ(spans[2]["ts"], 0.03);
}

TEST(TraceEvents, tell_what_the_plan_knows) {
  Recorder recorder({}, enough);
  Span span = span_of(Kind::collective, 1000, 3500);
  span.plan_entry = 7;
  span.bytes = 40;
  recorder.compute.add(span);
  Names names;
  names.plan[7] = {"all_reduce mean of \"w\"",
                   R"({"id":7,"group":"world","type":"f32","bucket":2,"root":-1})", 2e-6};
  json event = of_phase(events(recorder, names), "X")[0];
  EXPECT_EQ(event["name"], "all_reduce mean of \"w\"");
  EXPECT_EQ(event["args"], json::parse(R"({"plan_entry":7,"group":"world","type":"f32","bucket":2,
    "predicted_us":2.0,"bytes":40,"measured_us":2.5,"step":1})"));
}

TEST(TraceEvents, leave_out_what_nobody_predicted) {
  Recorder recorder({}, enough);
  recorder.compute.add(span_of(Kind::collective, 1, 2));
  Names names;
  names.plan[0] = {"barrier", R"({"id":0,"bucket":-1})"};
  json arguments = of_phase(events(recorder, names), "X")[0]["args"];
  EXPECT_FALSE(arguments.contains("predicted_us"));
  EXPECT_FALSE(arguments.contains("bucket"));
}

TEST(TraceEvents, tell_the_parameters_of_kernels) {
  Recorder recorder({}, enough);
  // The name after them is as long as a word and a letter.
  const int64_t parameters[] = {1, 2, 9, int64_t(0x5f7265646f636e65), '1'};
  Span span = span_of(Kind::kernel, 1, 2);
  span.name = "tutti_matmul";
  span.parameters = parameters;
  span.parameter_count = 2;
  recorder.compute.add(span);
  json event = of_phase(events(recorder), "X")[0];
  EXPECT_EQ(event["name"], "matmul of encoder_1");
  EXPECT_EQ(event["args"]["node"], "encoder_1");
  EXPECT_EQ(event["args"]["parameters"], json({1, 2}));
}

TEST(TraceEvents, do_without_a_node) {
  Recorder recorder({}, enough);
  const int64_t parameters[] = {1, 2, 0};
  Span span = span_of(Kind::kernel, 1, 2);
  span.name = "tutti_matmul";
  span.parameters = parameters;
  span.parameter_count = 2;
  recorder.compute.add(span);
  json event = of_phase(events(recorder), "X")[0];
  EXPECT_EQ(event["name"], "matmul");
  EXPECT_FALSE(event["args"].contains("node"));
}

TEST(TraceEvents, lead_from_start_through_communication_to_await) {
  Recorder recorder({}, enough);
  Span start = span_of(Kind::start, 10, 20), work = span_of(Kind::collective, 15, 60),
       await = span_of(Kind::await, 50, 70);
  start.ordinal = work.ordinal = 1;
  start.future = await.future = 5;
  recorder.compute.add(start);
  recorder.communication.add(work);
  recorder.compute.add(await);
  json all = events(recorder);
  std::vector<json> spans = of_phase(all, "X");
  EXPECT_EQ(spans[0]["name"], "start all_reduce");
  EXPECT_EQ(spans[1]["name"], "await all_reduce");
  EXPECT_EQ(spans[2]["tid"], 1);
  uint64_t id = of_phase(all, "s").at(0)["id"];
  EXPECT_EQ(of_phase(all, "t").at(0)["id"], id);
  EXPECT_EQ(of_phase(all, "f").at(0)["id"], id);
  EXPECT_EQ(of_phase(all, "f").at(0)["ts"], 0.07);
}

TEST(TraceEvents, count_payloads_in_the_order_of_time) {
  Recorder recorder({}, enough);
  Span late = span_of(Kind::collective, 10, 90), early = span_of(Kind::collective, 20, 30);
  late.bytes = 100;
  early.bytes = 1;
  recorder.compute.add(late);
  recorder.communication.add(early);
  std::vector<json> counts = of_phase(events(recorder), "C");
  EXPECT_EQ(counts[0]["args"]["payload"], 1);
  EXPECT_EQ(counts[1]["args"]["payload"], 101);
}

TEST(TraceFile, is_whole_or_absent) {
  TemporaryFolder folder;
  std::string path = folder.path("trace.json");
  {
    Result<TraceFile> file = TraceFile::create(path);
    ASSERT_TRUE(bool(file)) << file.error().message;
    file->add_rank();
  }
  EXPECT_EQ(access(path.c_str(), F_OK), -1);
  Result<output::Descriptor> empty = output::open_nameless(path),
                             part = output::open_nameless(path);
  ASSERT_TRUE(bool(empty) && bool(part));
  ASSERT_FALSE(bool(write_part(part->get(), R"({"ph":"M"})")));
  Result<TraceFile> file = TraceFile::create(path);
  EXPECT_FALSE(file->add_part(empty->get()));
  EXPECT_TRUE(file->add_part(part->get()));
  file->add_rank();
  file->add_piece(R"({"ph":"X"})", 10);
  ASSERT_FALSE(bool(file->commit(R"({"ranks":2})")));
  json trace = json::parse(TemporaryFolder::read(path));
  EXPECT_EQ(trace["traceEvents"], json::parse(R"([{"ph":"M"},{"ph":"X"}])"));
  EXPECT_EQ(trace["otherData"]["ranks"], 2);
  EXPECT_EQ(folder.files(), 1u);
}

TEST(TraceFile, says_where_it_cannot_be) {
  Result<TraceFile> file = TraceFile::create("/nowhere/trace.json");
  ASSERT_FALSE(bool(file));
  EXPECT_THAT(file.error().message,
              HasSubstr("the trace: cannot write '/nowhere/trace.json': there is no"));
  EXPECT_THAT(write_part(-1, "").message, HasSubstr("cannot leave it to the launcher"));
}

TEST(TraceEvents, say_which_part_of_a_node_a_kernel_computes) {
  Recorder recorder({}, enough);
  const std::string name = "fc2\x1f"
                           "backward, weights";
  std::vector<int64_t> words(1 + (name.size() + 7) / 8);
  words[0] = int64_t(name.size());
  std::memcpy(words.data() + 1, name.data(), name.size());
  Span span = span_of(Kind::kernel, 10, 20);
  span.name = "tutti_matmul";
  span.parameters = words.data();
  recorder.compute.add(span);
  json event = of_phase(events(recorder), "X").at(0);
  EXPECT_EQ(event["name"], "matmul of fc2, backward, weights");
  EXPECT_EQ(event["args"]["node"], "fc2");
  EXPECT_EQ(event["args"]["kernel"], "matmul");
}

TEST(TraceEvents, have_the_launch_on_the_axis_of_ranks) {
  json start = json::parse(
      "[" + events_of_start({{"compile", 1000, 4000}}, 5000, launcher_process, "dist-run") + "]");
  ASSERT_EQ(start.size(), 4u);
  EXPECT_EQ(start[0]["args"]["name"], "dist-run");
  EXPECT_EQ(start[3]["ts"], -4.0);
  EXPECT_EQ(start[3]["dur"], 3.0);
  EXPECT_EQ(start[3]["pid"], launcher_process);
}

TEST(TraceRecorder, has_the_start_of_a_run_whatever_steps_were_asked_for) {
  Recorder recorder({7, 1}, enough);
  Scope(&recorder, Kind::phase, "initialize");
  run_step(recorder, 0, 1);
  Scope(&recorder, Kind::phase, "evaluate");
  EXPECT_EQ(recorder.compute.size(), 1u);
}
