"""The numbers of seed chapter 4 (Erola 2013), as they are printed."""

from __future__ import annotations

HOPS = 3.59
RESPONSE_MS = 4205.4
# Table 4.1: θ from – to; mean, variance and deviation of the position of users with 10 neighbours.
TABLE_4_1 = {
    (0.0, 0.0): (5.81, 8.34, 2.89),
    (0.4, 0.8): (4.36, 11.54, 3.39),
    (0.4, 0.6): (4.46, 11.37, 3.37),
    (0.2, 0.8): (4.51, 10.71, 3.27),
    (0.6, 0.8): (4.51, 12.5, 3.53),
    (0.2, 0.4): (4.49, 10.13, 3.18),
    (0.1, 0.3): (4.42, 10.12, 3.18),
    (0.2, 0.3): (4.46, 10.21, 3.19),
    (0.1, 0.2): (4.3, 9.67, 3.11),
}
# Table 4.2: users of 1,000 with PEL of at least 60, 70 and 80 %, by number of neighbours 1 … 10.
TABLE_4_2 = (
    (15.4, 15.1, 4.7),
    (12.6, 12.0, 4.7),
    (5.2, 4.0, 1.2),
    (4.67, 4.0, 2.0),
    (1.0, 1.0, 1.0),
    (1.3, 0.0, 0.0),
    (1.2, 0.0, 0.0),
    (0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0),
)
# Table 4.3: users of 1,000 by PEL, in steps of 10 %.
TABLE_4_3 = (813.1, 82.0, 22.2, 20.1, 11.3, 11.0, 14.7, 12.9, 10.1, 2.6)
# Table 4.4: ζ; per cent of honest and of selfish users exposed.
TABLE_4_4 = {
    0.0: (2.4, 2.0),
    0.01: (2.3, 5.0),
    0.02: (2.2, 93.0),
    0.03: (2.2, 100.0),
    0.04: (2.4, 100.0),
    0.06: (2.56, 100.0),
    0.08: (2.89, 100.0),
    0.1: (2.89, 100.0),
}
# Table 4.5: mean and deviation of the position for 1 … 10 neighbours, then those of the system before it.
TABLE_4_5_MEAN = (0.49, 0.97, 1.44, 1.89, 2.34, 2.78, 3.23, 3.64, 4.12, 4.51)
TABLE_4_5_DEVIATION = (0.49, 0.87, 1.22, 1.55, 1.89, 2.21, 2.52, 2.83, 3.09, 3.51)
TABLE_4_5_MEAN_BEFORE = (1.01, 1.08, 1.68, 2.11, 3.23, 3.95, 5.15, 6.32, 7.30, 7.00)
TABLE_4_5_DEVIATION_BEFORE = (0.01, 0.08, 0.72, 0.95, 1.21, 1.55, 2.15, 2.41, 2.40, 2.91)
