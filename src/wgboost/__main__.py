"""`python -m wgboost` is the command `wgboost`."""

import sys

from wgboost.cli import main

if __name__ == "__main__":
    sys.exit(main())
