"""The report as a file and in a real browser."""

import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import display_examples as examples
import wgboost
from display_examples import TEST, TEST_Y, X, model
from wgboost import WGBRegressor, metrics
from wgboost.metrics.summaries import format_number

NEW = X[TEST]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


class Resources(HTMLParser):
    """Collect the tags, references and text of a page."""

    def __init__(self):
        super().__init__()
        self.references, self.tags, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.references += [v for k, v in attrs if k in ("src", "href", "srcset", "data")]

    def handle_data(self, data):
        self.text.append(data)


def read(path):
    page = Resources()
    page.feed(path.read_text(encoding="utf-8"))
    return page


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Write a report for each kind of y."""
    folder = tmp_path_factory.mktemp("reports")
    for kind in ("normal", "classes", "bounds"):
        wgboost.report(
            model(kind), NEW, TEST_Y[kind], folder / f"{kind}.html", title=f"<{kind}> & more",
            feature_names=["width", "height", "<b>age</b>", "load"],
            X_out=2 * NEW if kind == "normal" else None, n_dependence=1,
        )  # fmt: skip
    return folder


@pytest.mark.parametrize(("kind", "n_plots"), [("normal", 9), ("classes", 6), ("bounds", 5)])
def test_page_is_self_contained(pages, kind, n_plots):
    page = read(pages / f"{kind}.html")
    assert page.tags.count("img") == n_plots
    assert "script" not in page.tags
    assert all(one.startswith("data:image/png;base64,") for one in page.references)
    assert f"<{kind}> & more" in page.text
    assert "b" not in page.tags  # names of features are text


def test_metrics_match_the_predictions(tmp_path):
    path = tmp_path / "page.html"
    shown = wgboost.report(model("normal"), NEW, TEST_Y["normal"], path, n_dependence=0)
    dist = model("normal").predict_dist(NEW)
    assert shown["NLL"] == metrics.nll(dist, TEST_Y["normal"])
    assert shown["Coverage of 90%"] == metrics.coverage(dist, TEST_Y["normal"], 0.9)
    start = metrics.nll(model("normal").predict_dist(NEW, n_rounds=0), TEST_Y["normal"])
    cells = re.findall(r'<td class="number">([^<]+)</td>', path.read_text())
    assert cells[:2] == [f"{shown['NLL']:.4g}", f"{start:.4g}"]


def test_response_without_a_mean_has_fewer_plots(tmp_path):
    path = tmp_path / "page.html"
    wgboost.report(model("cauchy"), NEW, TEST_Y["normal"], path)
    assert read(path).tags.count("img") == 5


def test_bad_input_raises(tmp_path):
    with pytest.raises(ValueError, match="X has 120 rows, y has 3"):
        wgboost.report(model("normal"), NEW, examples.Y[:3], tmp_path / "a.html")
    two = np.stack([examples.Y, examples.Y], axis=1)[TEST]
    with pytest.raises(ValueError, match="a name for each of the 2 columns"):
        wgboost.report(model("columns"), NEW, two, tmp_path / "a.html", name=["u"])
    assert not (tmp_path / "a.html").exists()


def test_every_column_of_y_has_plots(tmp_path):
    two = np.stack([examples.Y, 3 * X[:, 1]], axis=1)[TEST]
    path = tmp_path / "page.html"
    reported = wgboost.report(model("columns"), NEW, two, path, name=["u", "$v$"], n_dependence=0)
    assert set(reported) == {"NLL", "Energy score", "RMSE"}
    page = read(path)
    # Rows, calibration, PIT, coverage and uncertainty of each, and the importance of features.
    assert page.tags.count("img") == 2 * 5 + 1
    assert "u and $v$: WGBRegressor on 120 rows" in page.text
    assert 'alt="Coverage: $v$.' in path.read_text()


def test_heading_has_the_name_of_y(tmp_path):
    path = tmp_path / "page.html"
    y = pd.Series(TEST_Y["normal"], name="price")
    wgboost.report(model("normal"), NEW, y, path, n_dependence=0)
    assert "price: WGBRegressor on 120 rows" in read(path).text


def test_numbers_are_written_without_exponent(tmp_path):
    assert [format_number(v) for v in (14537.6, 1e8, 0.12345, 1234.5, 2.5e12)] == [
        "14538", "100000000", "0.1235", "1234", "2.5e+12",
    ]  # fmt: skip
    path = tmp_path / "page.html"
    large = WGBRegressor(**examples.SETTINGS, evidence=5).fit(X, 1e5 * examples.Y)
    wgboost.report(large, NEW, 1e5 * TEST_Y["normal"], path, n_dependence=0)
    assert "e+0" not in path.read_text().split("</table>")[0]


@pytest.fixture(scope="module")
def browser():
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no browser found: none of {', '.join(BROWSERS)}")

    def run(*arguments):
        fixed = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        fixed += ["--enable-logging=stderr", "--virtual-time-budget=3000"]
        return subprocess.run(
            [found, *fixed, *arguments], capture_output=True, text=True, timeout=120, check=True
        )

    return run


@pytest.mark.parametrize("kind", ["normal", "classes", "bounds"])
def test_browser_shows_every_plot_without_errors(pages, kind, browser, tmp_path):
    path = pages / f"{kind}.html"
    shot = tmp_path / "shot.png"
    done = browser("--window-size=1000,1600", f"--screenshot={shot}", path.as_uri())
    assert "CONSOLE" not in done.stderr
    from matplotlib.image import imread

    image = imread(shot)
    assert image.shape[:2] == (1600, 1000)
    assert image[..., :3].std() > 0.05  # not blank
    # The page forbids scripts; a copy with one reports the sizes of the images.
    probe = (
        "<script>addEventListener('load', () => { document.title = JSON.stringify(["
        "...document.images].map(i => [i.naturalWidth, i.width])) + document.body.scrollWidth })"
        "</script></body>"
    )
    changed = path.read_text().replace("default-src 'none'", "script-src 'unsafe-inline'")
    copy = tmp_path / "copy.html"
    copy.write_text(changed.replace("</body>", probe))
    done = browser("--window-size=1000,1600", "--dump-dom", copy.as_uri())
    sizes, width = re.search(r"<title>(\[\[.*\]\])(\d+)</title>", done.stdout).groups()
    pairs = re.findall(r"\[(\d+),(\d+)\]", sizes)
    assert len(pairs) == read(path).tags.count("img")
    assert all(int(natural) > 300 and int(shown) > 300 for natural, shown in pairs)
    assert int(width) <= 1000  # no horizontal scrolling
