"""The version of sparsam, as `sparsam --version` prints it.

Examples
--------
>>> import sparsam
>>> sparsam.__version__
'0.1.0'
"""

__version__ = "0.1.0"
