#!/usr/bin/env python3
"""Tests report.py with results of devices that do not exist."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

REPORT = pathlib.Path(__file__).with_name("report.py")
DEVICE = {"device": "Maker | Mali-X | OpenGL ES 3.1", "family": "Mali", "lowest": 1}


def program(name, role="default", spills=0, parallel=2, **others):
    shader = {"instructions": 100, "spills": spills, "fills": spills, "scratch": 0, "parallel": parallel}
    row = {"program": name, "role": role, "models": 1, "multiply_adds": 1, "milliseconds": 1, "shaders": [shader]}
    return {**row, **others}


class ReportTest(unittest.TestCase):
    def judge(self, *rows, device="mali-x"):
        """The exit status and the output for one device, and the page."""
        with tempfile.TemporaryDirectory() as folder:
            results = pathlib.Path(folder, "results")
            results.mkdir()
            (results / f"{device}.jsonl").write_text("\n".join(json.dumps(row) for row in (DEVICE, *rows)))
            page = pathlib.Path(folder, "page.md")
            run = subprocess.run([sys.executable, "-B", REPORT, results, page], capture_output=True, text=True)
            self.assertEqual(run.stderr, "")
            return run.returncode, run.stdout, page.read_text()

    def test_good_defaults_pass(self):
        status, output, page = self.judge(program("conv.comp"))
        self.assertEqual(status, 0, output)
        self.assertIn("`conv.comp` | 1 | 100, 2", page)

    def test_programs_that_do_not_compile_fail(self):
        status, output, _ = self.judge(program("conv.comp"), {"program": "broken.comp", "error": "line 7"})
        self.assertEqual(status, 1)
        self.assertIn("broken.comp: line 7", output)

    def test_scratch_memory_fails(self):
        status, output, _ = self.judge(program("conv.comp", spills=3))
        self.assertEqual(status, 1)
        self.assertIn("conv.comp (100, 2, 3:3) uses scratch memory", output)

    def test_few_threads_fail_only_if_another_variant_has_more(self):
        poor = program("conv.comp", parallel=1)
        other = program("conv.comp B=1", "alternative", parallel=1, instead_of="conv.comp")
        self.assertEqual(self.judge(poor, other)[0], 0)
        other["shaders"][0]["parallel"] = 2
        status, output, page = self.judge(poor, other)
        self.assertEqual(status, 1)
        self.assertIn("better: conv.comp B=1", output)
        self.assertIn("`conv.comp B=1`", page)

    def test_accepted_programs_may_not_get_worse(self):
        self.assertEqual(self.judge(program("posenet_roots.comp", spills=5))[0], 0)
        self.assertEqual(self.judge(program("posenet_roots.comp", spills=100000))[0], 1)

    def test_devices_without_statistics_fail(self):
        silent = program("conv.comp")
        del silent["shaders"]
        self.assertEqual(self.judge(program("other.comp"), silent)[0], 1)
        self.assertEqual(self.judge()[0], 1)

    def test_models_that_no_device_runs_are_not_problems(self):
        self.assertEqual(self.judge(program("conv.comp"), {"model": "a.tflite", "error": "unknown operator"})[0], 0)


unittest.main()
