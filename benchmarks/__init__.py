"""What we claim, measured: `python -m benchmarks list`.

A package of its own, since opacus installs one of the same name, which would come first otherwise.
"""
