"""Explore under a budget: declared domains, noisy answers, and the ledger that pays."""

from sparsam._callable import make_callable
from sparsam.explore._answers import Answer
from sparsam.explore._declared import Declared, declared
from sparsam.explore._exploration import Exploration
from sparsam.explore._explore import explore
from sparsam.explore.ledger._accounts import (
    best_order,
    epsilon_from_rho,
    pld_epsilon,
    pure_epsilon,
    rho_from_epsilon,
)
from sparsam.explore.ledger._chain import Verification
from sparsam.explore.ledger._costs import (
    Cost,
    Event,
    choice_cost,
    gaussian_cost,
    laplace_cost,
    parallel,
    sequential,
    training_cost,
)
from sparsam.explore.ledger._ledger import Entry, Ledger
from sparsam.explore.ledger._statement import Statement
from sparsam.explore.planned._expected import compare_plans
from sparsam.explore.planned._plan import Plan, paper_costs, plan
from sparsam.explore.queries._explorer import Explorer
from sparsam.explore.synthetic._bayes_network import BayesNetwork, bayes_network
from sparsam.explore.synthetic._mbi import graphical_rows

__all__ = [
    "Answer",
    "BayesNetwork",
    "Cost",
    "Declared",
    "Entry",
    "Event",
    "Exploration",
    "Explorer",
    "Ledger",
    "Plan",
    "Statement",
    "Verification",
    "bayes_network",
    "best_order",
    "choice_cost",
    "compare_plans",
    "declared",
    "epsilon_from_rho",
    "explore",
    "gaussian_cost",
    "graphical_rows",
    "laplace_cost",
    "paper_costs",
    "parallel",
    "plan",
    "pld_epsilon",
    "pure_epsilon",
    "rho_from_epsilon",
    "sequential",
    "training_cost",
]

make_callable(__name__, explore)
