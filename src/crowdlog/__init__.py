"""crowdlog publishes what the crowd searched for, never what a person did."""

__version__ = "0.1.0"
