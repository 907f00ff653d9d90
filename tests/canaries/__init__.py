"""Canaries: values planted in a table that nothing may show, and a search for them everywhere.

A table of made-up people (`planted.py`) holds, in every column, values of one to four people with
digits and letters that occur nowhere else: an income to the cent, the oldest age, a category, a
surname, a phone, the label of a row. Every command, and the road in Python (`road.py`), runs on it,
in good and in failing ways. All that is said and written is searched (`sightings.py`) for them: the
screen, warnings, logs, tracebacks with their causes, `repr`, and files, with what is packed in
them. A table that holds cells by its purpose may hold some; what was declared may be said again.

To add a command, or an option that writes something:

1. Add a `Case` to `_GOOD` in `cases.py`: its name, and its command line, in which ``@people.csv``
   is a planted table, ``>out.json`` an output, ``<minimise/people.json`` that of another case.
   If an output holds cells by its purpose, say in `holds` which file, which of its columns, and
   whose values may stand there. Keep it quick: each case runs once in a session.
2. If it opens a table, add its line to `_READERS`: it will meet every damaged table, and engines
   that fail.
3. Add its own ways to fail to `_WRONG`.
4. An entry in Python: its failing ways go to `WAYS` in `test_python.py`; good ways are those of
   `road.py`.

`test_coverage.py` fails until every command, every option that writes a file and every ``--json``
is covered. When a leak is found, give it a name and a test in `test_leaks.py`, so that it is seen
at once which one came back.
"""
