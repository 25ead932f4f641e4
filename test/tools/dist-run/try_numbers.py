"""try_numbers.py dist-run ARGUMENTS...: gives every numeric option of dist-run values that it cannot have. Each must be refused at
once, by one line that names the option, the value and what is allowed. Prints how many were.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re
import subprocess
import sys

NO_NUMBERS = ["", " ", "x", "0x10", "1e3", "1.5", "7x", " 7", "+7", "--7", "nan", "1,000"]
OUT_OF_RANGE = ["-1", "100000000000000000000", "18446744073709551616"]
YEAR = 366 * 24 * 3600
# What is allowed, beyond which nothing may be taken, and other values to refuse.
OPTIONS = {
    "-n": (f"1 to {1 << 20}", ["0", str((1 << 20) + 1)]),
    "--threads": ("1 to 1024", ["0", "1025", "100000"]),
    "--steps": ("1 to 9223372036854775807", ["0", "9223372036854775808"]),
    "--check-replicas": ("1 to 9223372036854775807", ["0", "9223372036854775808"]),
    "--evaluate-every": ("1 to 9223372036854775807", ["0", "9223372036854775808"]),
    "--early-stop": ("1 to 9223372036854775807", ["0", "9223372036854775808"]),
    "--epochs": ("1 to 9223372036854775807", ["0", "9223372036854775808"]),
    "--seed": ("0 to 18446744073709551615", []),
    "--grace-period": (f"1 to {YEAR}", ["0", str(YEAR + 1)]),
    "--stall-limit": (f"1 to {YEAR}", ["0", str(YEAR + 1)]),
    "--stall-warning": (f"1 to {YEAR}", ["0", str(YEAR + 1)]),
    "--save-checkpoints-steps": ("1 to 9223372036854775807", ["0", "9223372036854775808"]),
    "--save-checkpoints-secs": (f"1 to {YEAR}", ["0", str(YEAR + 1)]),
    "--keep-checkpoint-max": ("0 to 9223372036854775807", ["9223372036854775808"]),
    "--save-summary-steps": ("1 to 9223372036854775807", ["0", "9223372036854775808"]),
    "--log-step-count-steps": ("1 to 9223372036854775807", ["0", "9223372036854775808"]),
    "--max-restarts": (f"0 to {1 << 20}", [str((1 << 20) + 1)]),
    "--server-cache-bytes": ("65536 to 9223372036854775807", ["0", "65535", "9223372036854775808"]),
    "--server-admit-after": ("1 to 65535", ["0", "65536"]),
    "--server-evict-after": ("0 to 2147483647", ["2147483648"]),
    "--task-index": (f"0 to {1 << 20}", [str((1 << 20) + 1)]),
    "--ranks-per-node": (f"1 to {1 << 20}", ["0", str((1 << 20) + 1)]),
}
# Options whose values are no numbers. One that is in neither table is new, and must be put into one.
OTHERS = """--help --version --best --train --distribute --plan --cluster --calibrate --remarks --remarks-filter --remarks-file --backend
--on-non-finite --instructions --reductions --node --rendezvous --interface --dataset --evaluate --bind --shuffle --metrics --save --load --trace --trace-steps --optimizer-model --checkpoint --variables --export --model-dir
--local-cluster --size --server-storage --help-train --help-distribute --help-read --read --evaluate-only --follow --verify
--role --ps-hosts --worker-hosts --chief-host --evaluator-host --token --server-token --server-certificate --server-key --server-authority --resume-anyway --report --report-against --memory --offload --dry-run --no-pin --no-load-ahead""".split()


def check_tables(program):
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    for option in re.findall(r"^  +(?:-h, ?)?(--?[a-z-]+)", text, re.MULTILINE):
        if option not in OPTIONS and option not in OTHERS:
            sys.exit(f"{option} is in no table of try_numbers.py")


def try_value(command, option, value, allowed):
    """Runs dist-run with the value; it must be refused."""
    given = [f"{option}={value}"] if option.startswith("--") else [option + value] if value else [option, value]
    run = subprocess.run([*command, *given], capture_output=True, text=True, timeout=100)
    lines = run.stderr.splitlines()
    if run.returncode != 2 or not lines or run.stdout:
        sys.exit(f"{option}={value!r}: status {run.returncode}\n{run.stdout}{run.stderr}")
    told = value == "" or f"{allowed} are allowed" in lines[0]
    if option not in lines[0] or value not in lines[0] or not told:
        sys.exit(f"{option}={value!r}: {lines[0]}")


def main():
    command = sys.argv[1:]
    check_tables(command[0])
    count = 0
    for option, (allowed, more) in OPTIONS.items():
        for value in NO_NUMBERS + OUT_OF_RANGE + more:
            try_value(command, option, value, allowed)
            count += 1
    for value, allowed in (("x", "1 to"), ("0", "1 to"), ("5:", "1 to"), ("5:0", "1 to"), ("5:6:7", "1 to"), ("0x5", "1 to")):
        try_value([*command, "--trace=t.json"], "--trace-steps", value, f"{allowed} 9223372036854775807")
        count += 1
    print(f"{len(OPTIONS)} options, {count} values refused")


if __name__ == "__main__":
    main()
