"""Latitude and longitude in the wrong order, as the command line says it."""

import json

import pytest

COMMAND = "cluster"
CITIES = [(52.5, 13.4), (48.9, 2.4), (51.5, -0.1), (35.7, 139.7), (37.6, 127.0), (34.7, 135.5)]
RUN = ("-k", "2", "--metric", "great_circle")


@pytest.fixture
def written(tmp_path):
    def write(names, places=CITIES):
        path = tmp_path / "places.csv"
        lines = [",".join(names), *(",".join(map(str, place)) for place in places)]
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


@pytest.mark.parametrize(
    "names",
    [("lon", "lat"), ("Longitude", "Latitude"), ("lng", "lat"), ("geo_lon", "geo_lat"),
     ("lon_deg", "lat_deg"), ("long", "lat"), ("decimalLongitude", "decimalLatitude"),
     ("LONGITUDE", "LATITUDE")],
)  # fmt: skip
def test_longitude_first_is_noted(run, written, names):
    """Europe alone, where every longitude could be a latitude."""
    path = written(names, [place[::-1] for place in CITIES[:3]])
    status, _, err = run(path, *RUN)
    advice = f"write --columns {names[1]},{names[0]}"
    assert status == 0
    assert f"takes latitude first and longitude second, and the columns are {names[0]!r}" in err
    assert err.rstrip().endswith(advice)
    _, _, err = run(path, *RUN, *advice.split()[1:])
    assert "latitude" not in err


@pytest.mark.parametrize("names", [("lat", "lon"), ("x", "y"), ("belongs", "flat"), ("X", "Y")])
def test_other_names_are_taken_as_they_come(run, written, names):
    status, _, err = run(written(names), *RUN)
    assert (status, err) == (0, "")


def test_a_first_column_that_is_no_latitude_is_told_to_be_the_second(run, written):
    path = written(["a b", "c,d"], [place[::-1] for place in CITIES])
    path.write_text(path.read_text().replace("a b,c,d", 'a b,"c,d"'))
    status, _, err = run(path, *RUN)
    assert status == 1
    assert "line 5: --metric great_circle takes the latitude first, up to 90 in size" in err
    assert "column 'a b' is 139.7; if column 'c,d' is the latitude" in err
    assert """write --columns '"c,d",a b'.""" in err
    status, out, _ = run(path, *RUN, "--columns", '"c,d",a b', "--json")
    assert status == 0
    assert json.loads(out)["labels"] == [0, 0, 0, 1, 1, 1]


def test_neither_column_is_a_latitude(run, written):
    status, _, err = run(written(["a", "b"], [(100, 200), (120, 0)]), *RUN)
    assert status == 1
    assert "latitude must lie in [-90, 90] degrees" in err
    assert "--columns" not in err


def test_test_and_categories_too(run, written, tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "COMMAND", "test")
    rows = [(*place[::-1], kind) for place, kind in zip(CITIES[:3] * 2, "aabbab", strict=True)]
    path = written(["lon", "lat", "kind"], rows)
    _, _, err = run(path, "--by", "kind", "--metric", "great_circle", "--permutations", "9")
    assert "write --columns lat,lon" in err
    monkeypatch.setitem(globals(), "COMMAND", "cluster")
    _, _, err = run(path, *RUN, "--categorical", "kind")
    assert "write --columns lat,lon" in err
