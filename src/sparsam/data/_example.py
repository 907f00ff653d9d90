"""The bundled example: 20,000 people from the census of Massachusetts."""

from __future__ import annotations

from importlib.resources import as_file, files

from sparsam.data._read import read
from sparsam.data._table import Table
from sparsam.data.roles._roles import Roles

_FILE = "acs_employment_ma2018_20000.csv.gz"
_EDUCATION = (
    "not applicable (under 3)",
    "no schooling",
    "nursery school",
    "kindergarten",
    *(f"grade {grade}" for grade in range(1, 12)),
    "grade 12, no diploma",
    "high school diploma",
    "GED",
    "some college, under 1 year",
    "some college, 1 year or more",
    "associate's degree",
    "bachelor's degree",
    "master's degree",
    "professional degree",
    "doctorate",
)


def load_example() -> Table:
    """Load 20,000 real census records that come with the package.

    A random sample of the American Community Survey's public-use file for Massachusetts in
    2018 (public domain), with the codes decoded: 16 attributes of a person, and whether the
    person is employed. `education` is ordered, from no schooling to doctorate.

    Returns
    -------
    Table

    Examples
    --------
    >>> people = load_example()
    >>> people.n_rows, people.attribute("age").domain
    (20000, NumericDomain(low=0.0, high=95.0, integer=True))
    """
    with as_file(files("sparsam.data") / _FILE) as path:
        return read(path, roles=Roles(ordered={"education": _EDUCATION}))
