"""Runs the test programs of the engine and of the elements on each mode of the fake driver, and counts their tests.

  fake_suite.py --build FOLDER [--mode MODE]… [--limit SECONDS] [WORD…]     WORD: only programs of fake_suite.txt whose
                                                                          names contain it
tests/README.md explains the modes. The output of each program is in FOLDER/fake-driver/.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
# SIGHTGLASS_FAKE_DRIVER in each mode. Programs that test faults choose them themselves.
MODES = {
    "everything": "nvidia,reorder,late-fences,messages",
    "nvidia": "nvidia,messages",
    "reorder": "reorder,messages",
    "late-fences": "late-fences,messages",
    "faults": "messages",
}
MESSAGE = "fake driver: GL message"


@dataclasses.dataclass
class Programs:
    filters: dict = dataclasses.field(default_factory=dict)  # by program
    faults: list = dataclasses.field(default_factory=list)  # programs of the mode "faults"
    provoking: set = dataclasses.field(default_factory=set)  # tests that provoke GL messages


def read_programs(path):
    programs = Programs()
    for line in path.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        what, _, reason = (part.strip() for part in line.partition("=>"))
        first, _, rest = what.partition(" ")
        if first in ("without", "messages"):
            if not reason:
                sys.exit(f"{path.name}: {what}: no reason")
            if first == "messages":
                programs.provoking.add(rest)
            else:
                program, _, tests = rest.partition(" ")
                programs.filters[program] = ":".join(filter(None, [programs.filters[program], tests]))
        elif first == "faults":
            programs.faults.append(rest)
        else:
            programs.filters[first] = ""
    return programs


@dataclasses.dataclass
class Outcome:
    passed: int = 0
    skipped: int = 0
    failures: list = dataclasses.field(default_factory=list)
    seconds: float = 0

    def add(self, other):
        self.passed += other.passed
        self.skipped += other.skipped
        self.failures += other.failures
        self.seconds += other.seconds


def add_report(outcome, report):
    for suite in report["testsuites"]:
        for test in suite["testsuite"]:
            if test["status"] != "RUN":
                continue
            if "failures" in test:
                outcome.failures.append(f"{suite['name']}.{test['name']}")
            elif test.get("result") == "SKIPPED":
                outcome.skipped += 1
            else:
                outcome.passed += 1


def add_output(outcome, output, end):
    """For a program that wrote no report."""
    outcome.passed += len(re.findall(r"^\[       OK \]", output, re.M))
    outcome.skipped += len(re.findall(r"^\[  SKIPPED \] .* ms\)$", output, re.M))
    outcome.failures += re.findall(r"^\[  FAILED  \] (\S+).* ms\)$", output, re.M)
    begun = re.findall(r"^\[ RUN      \] (.*)$", output, re.M)
    outcome.failures.append(f"{begun[-1] if begun else 'no test'}: {end}")


def messages(output, provoking):
    """The tests that printed GL messages of high severity, without provoking them."""
    test, found = "no test", []
    for line in output.splitlines():
        if line.startswith("[ RUN      ] "):
            test = line[len("[ RUN      ] "):]
        elif MESSAGE in line and test not in provoking and test not in found:
            found.append(test)
    return [f"{name}: GL messages of high severity" for name in found]


def run(build, program, tests, mode, limit, provoking):
    log = build / "fake-driver" / f"{mode}-{program.replace('/', '-')}.log"
    report = log.with_suffix(".json")
    report.unlink(missing_ok=True)
    environment = dict(os.environ, SIGHTGLASS_FAKE_DRIVER=MODES[mode],
                       __EGL_VENDOR_LIBRARY_FILENAMES=str(build / "tests/drivers/fake_driver.json"))
    if mode == "faults":
        environment["SIGHTGLASS_EVERY_FAULT"] = "1"
    if "nvidia" in MODES[mode]:
        environment["SIGHTGLASS_TEST_RENDERER"] = "NVIDIA"
    command = [build / "tests" / program, f"--gtest_output=json:{report}"]
    if tests:
        command.append(f"--gtest_filter=-{tests}")
    begun = time.monotonic()
    with log.open("w") as output:
        try:
            status = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                    stderr=subprocess.STDOUT, timeout=limit, check=False).returncode
            end = f"the program ended with status {status}"
        except subprocess.TimeoutExpired:
            end = f"stopped after {limit} s"
    outcome = Outcome(seconds=time.monotonic() - begun)
    text = log.read_text(errors="replace")
    if report.exists():
        add_report(outcome, json.loads(report.read_text()))
    else:
        add_output(outcome, text, end)
    outcome.failures += messages(text, provoking)
    return outcome


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mode", action="append", choices=MODES, help="only this mode")
    parser.add_argument("--limit", type=int, default=1800, help="seconds of each program")
    parser.add_argument("words", nargs="*", metavar="WORD")
    options = parser.parse_args()
    build = options.build.resolve()
    (build / "fake-driver").mkdir(exist_ok=True)
    programs = read_programs(HERE / "fake_suite.txt")
    totals = {}
    for mode in options.mode or MODES:
        total = Outcome()
        count = 0
        for program in programs.faults if mode == "faults" else programs.filters:
            if options.words and not any(word in program for word in options.words):
                continue
            outcome = run(build, program, programs.filters.get(program), mode, options.limit, programs.provoking)
            print(f"{mode}: {program}: {outcome.passed} passed, {len(outcome.failures)} failed, {outcome.skipped} skipped, "
                  f"{outcome.seconds:.0f} s", flush=True)
            for failure in outcome.failures:
                print(f"    {failure}", flush=True)
            total.add(outcome)
            count += 1
        totals[mode] = (count, total)
    print("mode, what the driver does: programs, tests passed, failed, skipped, seconds")
    for mode, (count, total) in totals.items():
        print(f"{mode}, {MODES[mode]}: {count}, {total.passed}, {len(total.failures)}, {total.skipped}, {total.seconds:.0f}")
    return 1 if any(total.failures for _, total in totals.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
