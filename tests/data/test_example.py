from __future__ import annotations

from sparsam.data import CategoricalDomain, NumericDomain, Roles, load_example, resolve


def test_the_bundled_example():
    table = load_example()
    assert table.codes.shape == (20_000, 17)
    assert (table.notes, table.left_out) == ((), ())
    assert table.attribute("age").domain == NumericDomain(0, 95, integer=True)
    assert table.attribute("employed").domain == CategoricalDomain(("no", "yes"))
    education = table.attribute("education").domain
    assert isinstance(education, CategoricalDomain)
    assert education.ordered
    assert len(education.categories) == 25
    assert education.categories[1] == "no schooling"
    assert education.categories[-1] == "doctorate"
    assert not any(attribute.missing for attribute in table.attributes)
    assert table.fingerprint == load_example().fingerprint


def test_every_education_occurs():
    table = load_example()
    assert len(set(table.column("education").tolist())) == 25


def test_its_task():
    task = resolve(load_example(), Roles("employed"))
    assert abs(task.target.mean() - 0.507) < 0.001
    assert len(task.personal) == 15
