"""Where the examples put their pictures."""

import argparse
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")  # draws to files, on machines without a screen too
import matplotlib.pyplot as plt


def save(figure: plt.Figure, path: Path, dpi: int = 80) -> None:
    """Write a picture and say where."""
    figure.savefig(path, dpi=dpi)
    plt.close(figure)
    print(path)


def run(main: Callable[[Path], None], description: str | None) -> None:
    """Run an example with the folder that the command line names."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=Path("demo_output"), help="folder of pictures")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    main(folder)
