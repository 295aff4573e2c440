"""Room for the rounding of floats in what a promise rests on: a few operations are off by less than 1e-12."""

ROOM_ABOVE = 1 + 1e-12  # times what must not come out too small: noise, thresholds, bounds on a chance
ROOM_BELOW = 1 - 1e-12  # times what must not come out too large: shares of ε, δ and μ
