"""`python -m crowdlog.cli` is the same as `crowdlog`."""

from crowdlog.cli import main

main()
