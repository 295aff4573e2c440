"""The normal quantile, as Wichura 1988 computes it (algorithm AS 241, PPND16)."""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.types import Floats

# A quotient of two polynomials for the middle (|p − ½| ≤ 0.425), one
# for √(−ln p) ≤ 5, one beyond. Highest powers first.
MIDDLE = (
    2.5090809287301226727e3,
    3.3430575583588128105e4,
    6.7265770927008700853e4,
    4.5921953931549871457e4,
    1.3731693765509461125e4,
    1.9715909503065514427e3,
    1.3314166789178437745e2,
    3.3871328727963666080,
)
MIDDLE_BELOW = (
    5.2264952788528545610e3,
    2.8729085735721942674e4,
    3.9307895800092710610e4,
    2.1213794301586595867e4,
    5.3941960214247511077e3,
    6.8718700749205790830e2,
    4.2313330701600911252e1,
    1.0,
)
OUTER = (
    7.74545014278341407640e-4,
    2.27238449892691845833e-2,
    2.41780725177450611770e-1,
    1.27045825245236838258,
    3.64784832476320460504,
    5.76949722146069140550,
    4.63033784615654529590,
    1.42343711074968357734,
)
OUTER_BELOW = (
    1.05075007164441684324e-9,
    5.47593808499534494600e-4,
    1.51986665636164571966e-2,
    1.48103976427480074590e-1,
    6.89767334985100004550e-1,
    1.67638483018380384940,
    2.05319162663775882187,
    1.0,
)
FAR = (
    2.01033439929228813265e-7,
    2.71155556874348757815e-5,
    1.24266094738807843860e-3,
    2.65321895265761230930e-2,
    2.96560571828504891230e-1,
    1.78482653991729133580,
    5.46378491116411436990,
    6.65790464350110377720,
)
FAR_BELOW = (
    2.04426310338993978564e-15,
    1.42151175831644588870e-7,
    1.84631831751005468180e-5,
    7.86869131145613259100e-4,
    1.48753612908506148525e-2,
    1.36929880922735805310e-1,
    5.99832206555887937690e-1,
    1.0,
)


def ratio(above: Any, below: Any, r: Any) -> Any:
    """The quotient of two polynomials, of a number or of each of an array."""
    top, bottom = above[0], below[0]
    for k in range(1, 8):
        top = top * r + above[k]
        bottom = bottom * r + below[k]
    return top / bottom


def upper_quantiles(p: Floats) -> Floats:
    """The x with P(N > x) = p, for each 0 < p ≤ ½."""
    middle, r = 0.5 - p, np.sqrt(-np.log(p))
    inner = middle * ratio(MIDDLE, MIDDLE_BELOW, 0.180625 - middle * middle)
    outer = np.where(r <= 5.0, ratio(OUTER, OUTER_BELOW, r - 1.6), ratio(FAR, FAR_BELOW, r - 5.0))
    found: Floats = np.where(middle <= 0.425, inner, outer)
    return found
