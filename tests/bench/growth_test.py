"""Tests the lines that bench/growth.py fits, and its tables."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))

import growth  # noqa: E402


def points(*pairs):
  return [growth.Point(str(size), size, ms, ("note",)) for size, ms in pairs]


class GrowthTest(unittest.TestCase):

  def test_exact_line(self):
    line = growth.fit(points((1, 5), (10, 23), (100, 203)))
    self.assertAlmostEqual(line.fixed, 3)
    self.assertAlmostEqual(line.per_unit, 2)

  def test_small_points_weigh_as_much_as_large_ones(self):
    line = growth.fit(points((1, 5), (10, 23), (100, 400)))
    self.assertLess(abs(line.at(1) / 5 - 1), 0.1)

  def test_costs_are_not_negative(self):
    self.assertEqual(growth.fit(points((1, 1), (2, 4), (4, 16))).fixed, 0)
    falling = growth.fit(points((1, 4), (2, 2)))
    self.assertEqual(falling.per_unit, 0)
    self.assertGreater(falling.fixed, 2)

  def test_too_few_points(self):
    self.assertIsNone(growth.fit(points((1, 4), (2, None))))
    self.assertIn("Too few points", growth.section("Frames", "", points((1, 4)), "pixel", ("frame", "ms", "note")))

  def test_rows(self):
    text = growth.section("Frames", "", points((1, 5), (10, 23), (20, 43), (30, 63), (100, 400), (200, None)), "pixel",
                          ("frame", "ms", "note"))
    rows = text.splitlines()
    self.assertTrue(any("400.00" in row and "(bends)" in row for row in rows))
    self.assertFalse(any("| 23.00" in row and "(bends)" in row for row in rows))
    self.assertTrue(any("not measured" in row for row in rows))
    table = [row for row in rows if row.startswith("|")]
    self.assertEqual({row.count("|") for row in table}, {6})


if __name__ == "__main__":
  unittest.main()
