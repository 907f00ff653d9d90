"""Every table and figure of the five papers that we speak of, each measured by one command.

`python -m benchmarks list` names them, `python -m benchmarks run NAME` measures. An entry says what
is to be measured, what the paper has, and which relations have to hold; these were written down
before anything was measured. The work is done by the scripts beside this folder, whose functions
are imported when an entry runs.
"""
