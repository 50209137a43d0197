"""The metrics on mattes whose values can be computed by hand."""
from __future__ import annotations

import math
import unittest

import metrics
import numpy


def row(*values: float) -> numpy.ndarray:
    return numpy.array([values], float)


class MetricsTest(unittest.TestCase):
    def test_equal_mattes_have_no_error(self) -> None:
        matte = numpy.random.default_rng(1).random((20, 30))
        for metric in (metrics.sad, metrics.mse, metrics.gradient_error, metrics.connectivity_error):
            self.assertEqual(metric(matte, matte), 0, metric.__name__)
        self.assertEqual(metrics.dtssd(matte, matte, matte, matte), 0)
        self.assertEqual(metrics.boundary_f(matte, matte, 1), 1)

    def test_iou_counts_alpha_above_a_half(self) -> None:
        self.assertAlmostEqual(metrics.iou(row(1, 0.6, 0.5, 0), row(1, 0, 0.9, 0)), 1 / 3)
        self.assertEqual(metrics.iou(row(0, 0.5), row(0, 0.2)), 1)

    def test_sad_is_in_thousands(self) -> None:
        self.assertAlmostEqual(metrics.sad(row(0.5, 1, 0), row(0, 1, 0.25)), 0.75e-3)

    def test_mse_is_in_thousandths(self) -> None:
        self.assertAlmostEqual(metrics.mse(row(0.5, 1, 0, 0), row(0, 1, 0, 0)), 62.5)

    def test_gradient_of_a_slope(self) -> None:
        """Of a plane of slope s: s times the sum of x times the filter, times the sum of the other one."""
        slope = 0.01
        matte = numpy.tile(numpy.arange(40) * slope, (40, 1))
        x = numpy.arange(-4, 5)
        bell = numpy.exp(-(x**2) / (2 * 1.4**2))
        across = (x * x * bell).sum() / math.sqrt(((x * bell) ** 2).sum())
        expected = slope * across * bell.sum() / math.sqrt((bell**2).sum())
        self.assertAlmostEqual(metrics.gradient(matte)[20, 20], expected)
        self.assertAlmostEqual(metrics.gradient(matte.T)[20, 20], expected)
        self.assertAlmostEqual(metrics.gradient_error(matte, 0 * matte), (metrics.gradient(matte) ** 2).sum() / 1e3)

    def test_largest_component_is_4_connected(self) -> None:
        mask = numpy.array([[1, 1, 0, 1], [0, 1, 0, 1], [1, 0, 1, 0], [1, 0, 1, 1]], bool)
        expected = numpy.array([[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], bool)
        self.assertTrue((metrics.largest_component(mask) == expected).all())
        self.assertFalse(metrics.largest_component(numpy.zeros((3, 3), bool)).any())

    def test_largest_component_meets_again_below(self) -> None:
        mask = numpy.array([[1, 0, 1, 0, 1], [1, 0, 1, 0, 1], [1, 1, 1, 0, 1]], bool)
        expected = mask.copy()
        expected[:, 4] = False
        self.assertTrue((metrics.largest_component(mask) == expected).all())

    def test_connectivity_of_an_island(self) -> None:
        """An island of alpha 0.5 that the truth lacks is connected at no threshold; the rest is at 1."""
        truth, found = row(1, 1, 1, 0, 0), row(1, 1, 1, 0, 0.5)
        self.assertAlmostEqual(metrics.connectivity_error(found, truth), 0.5e-3)

    def test_connectivity_forgives_small_distances(self) -> None:
        truth, found = row(1, 1, 1, 0.3), row(1, 1, 1, 0.4)
        self.assertAlmostEqual(metrics.connectivity_error(found, truth), 0)

    def test_connectivity_of_both_in_part(self) -> None:
        """Connected up to 0.5: the truth lies 0.5 above this, the found matte does not."""
        truth, found = row(1, 1, 1, 1), row(1, 1, 1, 0.5)
        self.assertAlmostEqual(metrics.connectivity_error(found, truth), 0.5e-3)

    def test_dtssd_compares_changes(self) -> None:
        before, after = row(0, 0, 0, 0), row(1, 0, 0, 0)
        self.assertAlmostEqual(metrics.dtssd(after, before, before, before), 50)
        offset = 0.25
        self.assertAlmostEqual(metrics.dtssd(after + offset, after, before + offset, before), 0)

    def test_edge_color_error_takes_edges_only(self) -> None:
        alpha = row(0, 0.5, 0.01, 1)
        foreground = numpy.full((1, 4, 3), 100.0)
        truth = metrics.composed(alpha, foreground, (0, 200, 0))
        self.assertEqual(truth[0, 1].tolist(), [50, 150, 50])
        found = truth.copy()
        found[0, 1] += 6
        found[0, 3] += 90
        self.assertAlmostEqual(metrics.edge_color_error(found, truth, alpha), 6)
        self.assertEqual(metrics.edge_color_error(found, truth, row(0, 1, 1, 1)), 0)

    def test_boundary_f_within_pixels(self) -> None:
        truth, found = numpy.zeros((10, 10)), numpy.zeros((10, 10))
        truth[:, :5] = 1
        found[:, :7] = 1
        self.assertEqual(metrics.boundary_f(found, truth, 1), 0)
        self.assertEqual(metrics.boundary_f(found, truth, 2), 1)


if __name__ == "__main__":
    unittest.main()
