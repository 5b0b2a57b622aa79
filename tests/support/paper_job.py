"""A job that is cheap to import in a spawned worker."""

import os


def square(x, data):
    return {"value": x * x, "worker": os.getpid(), "data": data}
