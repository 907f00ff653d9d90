"""Explore under a budget: declared domains, noisy answers, and the ledger that pays."""

from sparsam.explore._answer import Answer
from sparsam.explore._declared import Declared, declared
from sparsam.explore._exploration import Exploration
from sparsam.explore._explore_table import explore_table
from sparsam.explore._prices import quote
from sparsam.explore.ledger._costs import Cost, gaussian_cost, laplace_cost
from sparsam.explore.ledger._ledger import Ledger
from sparsam.explore.ledger._statement import Statement
from sparsam.explore.planned._plan import Plan, plan
from sparsam.explore.queries._explorer import Explorer

# isort: split
# For the other folders, not for users.
from sparsam.explore._bins import MISSING as MISSING
from sparsam.explore._bins import OTHER as OTHER
from sparsam.explore._prices import DELTA as DELTA
from sparsam.explore._prices import accounts_of as accounts_of
from sparsam.explore._prices import beside_raw as beside_raw
from sparsam.explore._prices import cheaper_words as cheaper_words
from sparsam.explore._prices import expected_noise as expected_noise
from sparsam.explore._prices import paper_price as paper_price
from sparsam.explore._prices import raw_domains as raw_domains
from sparsam.explore._template import template_of as template_of
from sparsam.explore.ledger._amounts import nano_text as nano_text
from sparsam.explore.ledger._statement import Charge as Charge
from sparsam.explore.ledger._statement import charges_of as charges_of
from sparsam.explore.ledger._statement import question_words as question_words
from sparsam.explore.ledger._statement import time_words as time_words
from sparsam.explore.planned._plan import Ways as Ways

__all__ = [
    "Answer",
    "Cost",
    "Declared",
    "Exploration",
    "Explorer",
    "Ledger",
    "Plan",
    "Statement",
    "declared",
    "explore_table",
    "gaussian_cost",
    "laplace_cost",
    "plan",
    "quote",
]
