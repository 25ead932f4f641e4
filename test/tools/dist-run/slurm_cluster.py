"""slurm_cluster.py FOLDER COMMAND...: runs COMMAND beside a cluster of Slurm of its own, two nodes on this machine, and ends the cluster. Its files are in
FOLDER, and SLURM_CONF says where. Ends with the status of COMMAND.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
AuthType=auth/munge
AuthInfo=socket={sockets}/munge
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/%n.pid
SlurmdSpoolDir={folder}/%n
TmpFS={folder}/%n/tmp
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=30
NodeName=one NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=8
NodeName=two NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=8
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def wait_for_nodes(environment, daemons):
    for _ in range(300):
        states = subprocess.run(["sinfo", "-h", "-N", "-o", "%T"], env=environment, capture_output=True, text=True).stdout.split()
        if states == ["idle", "idle"]:
            return
        ended = [daemon.args for daemon in daemons if daemon.poll() is not None]
        if ended:
            sys.exit(f"these have ended: {ended}")
        time.sleep(0.1)
    sys.exit(f"the nodes do not come: {states}")


def end(daemon):
    daemon.terminate()
    try:
        daemon.wait(10)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()


def main():
    folder, command = pathlib.Path(sys.argv[1]).absolute(), sys.argv[2:]
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("state", "one/tmp", "two/tmp"):  # PMIx has a folder for each node there
        (folder / name).mkdir(parents=True)
    sockets = tempfile.mkdtemp()  # their names must be short
    (folder / "key").write_bytes(os.urandom(128))
    (folder / "key").chmod(0o600)
    user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    configuration = folder / "slurm.conf"
    configuration.write_text(CONFIGURATION.format(host=socket.gethostname().split(".")[0], ports=free_ports(3), user=user, folder=folder, sockets=sockets))
    environment = dict(os.environ, SLURM_CONF=str(configuration), PATH=os.environ["PATH"] + ":/usr/sbin")
    log = open(folder / "log", "wb")
    os.environ["PATH"] = environment["PATH"]
    start = lambda *words: subprocess.Popen(words, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    daemons = [start("munged", "--foreground", "--force", f"--key-file={folder}/key", f"--socket={sockets}/munge", f"--pid-file={folder}/munge.pid",
                     f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed")]
    try:
        while not os.path.exists(f"{sockets}/munge") and daemons[0].poll() is None:
            time.sleep(0.05)
        daemons.append(start("slurmctld", "-D", "-i"))
        daemons += [start("slurmd", "-D", "-N", node) for node in ("one", "two")]
        wait_for_nodes(environment, daemons)
        status = subprocess.run(command, env=environment).returncode
    finally:
        subprocess.run(["scancel", "--user", user], env=environment, stderr=log, timeout=20)
        for daemon in reversed(daemons):  # those of nodes tell the controller, and need munged for that
            end(daemon)
        shutil.rmtree(sockets)
    sys.exit(status)


if __name__ == "__main__":
    main()
