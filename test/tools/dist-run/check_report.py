"""check_report.py PAGE [SAID]: checks what a page of dist-run --report holds, and says what that is. SAID is what the run printed.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import pathlib
import re
import sys


def check_page(text):
    """The page loads nothing, and its data end no element. Returns the data."""
    found = re.findall(r'<script type="application/json" id="document">(.*?)</script>', text, re.DOTALL)
    assert len(found) == 1 and "<" not in found[0], len(found)
    assert not re.search(r"""(src|href)\s*=\s*["'](https?:)?//""", text), "it loads something"
    assert "<img" not in text and "default-src 'none'" in text
    assert "The MIT License (MIT)" in text and "Leon Sorokin" in text, "no licence"
    assert text.count("</script>") == 3 and text.rstrip().endswith("</html>")
    return json.loads(found[0])


def check_summary(report, said):
    """The numbers are those that the run printed."""
    summaries = report["result"]["summaries"]
    first, last = re.search(r"^trained .* loss (\S+) -> (\S+)$", said, re.MULTILINE).groups()
    assert (f"{summaries[0]['first_loss']:.6f}", f"{summaries[0]['last_loss']:.6f}") == (first, last)
    assert report["result"]["text"] in said
    assert abs(report["curve"]["points"][-1][2][0] - summaries[0]["last_loss"]) < 1e-12
    assert summaries[0]["steps"] == report["curve"]["points"][-1][1]
    accuracy = report["curve"]["evaluations"][-1]["values"]["accuracy"]
    last = [line for line in said.splitlines() if line.startswith("evaluation: ")][-1]
    assert f"accuracy {accuracy:.4f}" in last, (accuracy, last)


def check_trace(trace):
    """Parts add up to the whole; spans lie in their step."""
    for row in trace["split"]:
        parts = sum(row[kind] for kind in ("kernels", "loops", "communication", "waiting", "data", "other"))
        assert abs(parts - row["whole"]) < 0.01 * row["whole"], row
    line = trace["timeline"]
    assert trace["first"] <= line["step"] <= trace["last"]
    for rank, lane, kind, name, begin, length, waiting in line["spans"]:
        assert 0 <= rank < line["ranks"] and lane in (0, 1) and line["names"][name], rank
        assert begin >= -1e-6 and begin + length <= line["length"] + 0.01 and 0 <= waiting <= length, (kind, begin, length)
    in_step = sum(span[5] for span in line["spans"] if span[0] == 0 and span[2] == "kernel")
    assert 0 < in_step <= line["length"]
    start = {(rank, name) for rank, _, name, _, length in trace["start"] if length >= 0}
    assert {(-1, "compile"), (0, "rendezvous"), (1, "initialize")} <= start, start
    assert any(name.startswith("broadcast of") for _, name in start), start
    print(f"traced steps {trace['first']} to {trace['last']} of {len(trace['split'])} ranks, split and timeline agree")
    print("kernels: " + ", ".join(row["name"] for row in trace["kernels"]))


def check_program(report):
    program = report["program"]
    buffers, arena = program["layout"]["step"], program["arena"]["step"]
    for i, (_, size, first, last, offset) in enumerate(buffers):
        assert 0 <= offset and offset + size <= arena and first <= last, buffers[i]
        for _, other_size, other_first, other_last, other in buffers[:i]:
            apart = last < other_first or other_last < first or offset + size <= other or other + other_size <= offset
            assert apart, "two buffers in one place"
    trained = sum(one["bytes"] for one in program["variables"] if one["class"] == "trainable")
    assert 0 < trained == program["variable_bytes"]["trainable"], program["variable_bytes"]
    print(f"plan of {len(program['plan'])} entries, {len(buffers)} buffers in an arena")
    print("lints: " + ", ".join(sorted({remark["args"]["lint"] for remark in report["remarks"] if "lint" in remark["args"]})))


def main():
    report = check_page(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    curve = report["curve"]
    record = f"{report['run']['ranks']} ranks" if "run" in report else "no record"
    evaluated = ", ".join(str(one["step"]) for one in curve["evaluations"])
    print(f"{report['state']}, {record}, steps {curve['points'][0][0]} to {curve['points'][-1][1]}, evaluations after {evaluated}")
    if len(sys.argv) > 2:
        check_summary(report, pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
    if report.get("trace"):
        check_trace(report["trace"])
    else:
        print("no trace")
    if "program" in report:
        check_program(report)
    if "against" in report:
        points = report["against"]["curve"]["points"]
        print(f"against {report['against']['folder']}, steps {points[0][0]} to {points[-1][1]}")


main()
