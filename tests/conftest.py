"""What every test shares: hypothesis draws the same examples each time, and is never timed (the machine may
be busy).
"""

from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.support.hand_made"]

settings.register_profile(
    "crowdlog",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("crowdlog")
