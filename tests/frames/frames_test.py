"""Compares what the elements do with tests/frames/record.txt. tests/README.md explains the record.

  frames_test.py --build FOLDER [--record] [--jobs N] [NAME…]     NAME: only these lines of lines.txt
"""
import argparse
import concurrent.futures
import os
import pathlib
import sys
import tempfile

import interfaces
import record
from runs import Machine, SkippedTest, read_lines

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "record.txt"
INTERFACES = HERE / "interfaces.txt"
SKIP_STATUS = 77
TO_RECORD = "./dev frames-test --record"


def run_all(machine, lines, jobs):
    def run(item):
        return item[0], machine.run(*item)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(pool.map(run, lines.items()))


def report(differences, limit=200):
    for line in differences[:limit]:
        print(line)
    if len(differences) > limit:
        print(f"and {len(differences) - limit} more")


def compare_runs(machine, old, new):
    """Whether the runs are as recorded."""
    result = record.Comparison(old.runs, new, record.ANYWHERE if machine.device != old.device else record.EVERYTHING)
    report(result.differences)
    if result.fewer:
        print("Fewer GL calls than recorded, which is no failure:")
        print("\n".join(result.fewer_lines()))
    print(result.summary())
    return not result.differences


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--record", action="store_true", help="write the record anew")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    lines = read_lines(HERE / "lines.txt")
    unknown = [name for name in options.names if name not in lines]
    if unknown:
        sys.exit(f"frames_test.py: {HERE / 'lines.txt'} has no line {', '.join(unknown)}")
    chosen = {}
    for name, line in lines.items():
        if options.names and name not in options.names:
            continue
        if line.left_out:
            print(f"not run: {name}: {line.left_out}")
        else:
            chosen[name] = line
    with tempfile.TemporaryDirectory() as work:
        machine = Machine(options.build.resolve(), pathlib.Path(work))
        old = record.read(RECORD) if RECORD.exists() else record.Record("", {})
        runs = run_all(machine, chosen, options.jobs)
        if options.record:
            if machine.device == old.device:
                # Lines that did not run stay as they are.
                runs = {name: {**old.runs, **runs}[name] for name in lines if name in old.runs or name in runs}
            record.write(RECORD, record.Record(machine.device, runs))
            interfaces.write(INTERFACES, machine)
            print(f"written: {RECORD}, {INTERFACES}")
            return
        if machine.device != old.device:
            print(f"The record is of {old.device}; this machine has {machine.device}. Only what does not depend on "
                  f"that is compared. To record here: {TO_RECORD}")
        equal = compare_runs(machine, old, runs)
        equal = interfaces.compare(INTERFACES, machine) and equal
        if not equal:
            sys.exit(f"What the elements do differs from the record. If it should: {TO_RECORD}")


try:
    main()
except SkippedTest as reason:
    print(f"frames: Skipped\n{reason}\n[  SKIPPED ] frames (0 ms)")
    sys.exit(SKIP_STATUS)
