"""Run examples and save their figures: python examples NAME ... --out FOLDER."""

import argparse
import runpy
import warnings
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")  # needs no display
import matplotlib.pyplot as plt
from PIL import Image

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_"))


def run(name: str, folder: Path) -> list[Path]:
    """Run an example, save its figures under their labels, and return their paths."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")
        runpy.run_path(str(HERE / f"{name}.py"), run_name="__main__")
    paths = []
    for number in plt.get_fignums():
        figure = plt.figure(number)
        paths.append(folder / f"{figure.get_label() or f'{name}_{number}'}.png")
        figure.savefig(paths[-1], dpi=90)
        plt.close(figure)
        with Image.open(paths[-1]) as image:  # 255 colours take a third of the bytes
            small = image.convert("RGB").quantize(255, dither=Image.Dither.NONE)
        small.save(paths[-1], optimize=True)
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(prog="python examples", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(NAMES)}")
    parser.add_argument("--out", type=Path, default=Path("demo_output"), help="folder of figures")
    given = parser.parse_args()
    for name in given.names:
        if name not in NAMES:
            parser.error(f"there is no example {name!r}, only {', '.join(NAMES)}")
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.names or NAMES:
        print("figures:", ", ".join(map(str, run(name, given.out))), flush=True)


if __name__ == "__main__":
    main()
