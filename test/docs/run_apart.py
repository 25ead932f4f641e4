"""Runs what docs/launching.md says of machines that nobody has here: ranks by ssh, which is a shell here, and the pods of a Job, which are processes.

    run_apart.py PAGE MODEL DATA KEYS

Of the page stay all words but the names of machines and files, the port, and "...", which KEYS replaces. Two steps each. Prints what rank 0 says it has
trained; fails if a rank does.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pathlib
import re
import secrets
import socket
import subprocess
import sys


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def block(page, title, language):
    text = page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    found = re.search(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert found, f"'{title}' has no block of {language}"
    return found[1]


def own(text, replaced):
    for theirs, ours in replaced.items():
        assert theirs in text, f"'{theirs}' is not there"
        text = text.replace(theirs, ours)
    return text


def say(name, outputs):
    trained = re.findall(r"^trained .* steps on \d+ ranks", "\n".join(outputs), re.MULTILINE)
    assert len(trained) == 1, outputs
    print(f"{name}: {trained[0]}")


def by_ssh(page, replaced):
    """A shell in the folder `training` stands for each machine."""
    text = own(block(page, "By ssh", "text"), {**replaced, "node0 MASTER": "127.0.0.1 MASTER", "29500": free_port()})
    stand_in = 'ssh() { bash -c "$2"; }\n'
    done = subprocess.run(["bash", "-c", stand_in + text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=120)
    say("ssh", [done.stdout])


def as_job(page, replaced):
    """A process in the folder `training` stands for each pod."""
    text = own(block(page, "As a Job of Kubernetes", "yaml"), {**replaced, "tutti-0.tutti": "127.0.0.1", "29500": free_port(), "/secret/token": "token"})
    try:
        import yaml
        service, job = yaml.safe_load_all(text)
        assert service["spec"]["selector"] == {"job-name": job["metadata"]["name"]} and job["spec"]["template"]["spec"]["subdomain"] == service["metadata"]["name"]
    except ImportError:
        print("nobody has read the YAML whole: that needs python3-yaml", file=sys.stderr)
    pods = int(re.search(r"completions: (\d+)", text)[1])
    command, = re.findall(r"args:\n +- (.*)\n", text)
    variables = dict(re.findall(r'\{name: (\w+), value: "?([^"}]*)"?\}', text))
    started = [subprocess.Popen(["sh", "-c", command], cwd="training", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                env={**os.environ, **variables, "JOB_COMPLETION_INDEX": str(pod)}) for pod in range(pods)]
    outputs = [pod.communicate(timeout=120)[0] for pod in started]
    assert all(pod.returncode == 0 for pod in started), outputs
    say("job", outputs)


def main():
    page, model, data, keys = sys.argv[1:]
    page = pathlib.Path(page).read_text(encoding="utf-8")
    pathlib.Path("training").mkdir()
    token = pathlib.Path("training/token")
    token.write_text(secrets.token_hex(32), encoding="utf-8")
    token.chmod(0o600)
    replaced = {"model.onnx": model, "data.npz": f"{data} --steps 2 --distribute", "...": keys}
    by_ssh(page, replaced)
    as_job(page, replaced)


main()
