"""sum_statistics.py METRICS.jsonl: what servers tell at the end of a run of each table, added up over the servers: rows that are used,
admitted and evicted, and those that were pulled and pushed. Checks that what they tell agrees with itself.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys


def main():
    lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
    last = lines[-1]
    if "servers" not in last or last["step"] != lines[-2]["step"]:
        sys.exit(f"the last line is not that of the servers: {last}")
    sums = {}
    for told in last["servers"]:
        if told["rows_used"] != told["rows_admitted"] - told["rows_evicted"]:
            sys.exit(f"rows are used that were not admitted, or were evicted: {told}")
        if told["updates"] != last["step"] or told["pushed_bytes"] != told["pushed_rows"] * 64:
            sys.exit(f"updates or bytes are wrong: {told}")
        table = sums.setdefault(told["table"], {"servers": 0})
        table["servers"] += 1
        for name in ("rows_used", "rows_admitted", "rows_evicted", "pulled_rows", "pushed_rows"):
            table[name] = table.get(name, 0) + told[name]
    servers = {table.pop("servers") for table in sums.values()}
    print(f"of {servers.pop()} servers")
    for name, table in sorted(sums.items()):
        print(name, *(f"{what}={number}" for what, number in table.items()))


if __name__ == "__main__":
    main()
