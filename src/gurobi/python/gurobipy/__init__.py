"""gurobipy on trex's own solver: what programs written for Gurobi need (see README.md).

A name that the real package has and this one has not raises GurobiError, with the name, when it is
called; any other unknown name is an AttributeError.
"""

from ._containers import multidict, tupledict, tuplelist
from ._core import Constr, LinExpr, QuadExpr, TempConstr, Var, quicksum
from ._errors import GurobiError, not_supported
from ._model import Env, Model, default_env
from ._names import ATTRIBUTES, CONSTANTS, PARAMETERS, STATUSES

__all__ = [
    "Constr", "Env", "GRB", "GurobiError", "LinExpr", "Model", "QuadExpr", "TempConstr", "Var",
    "disposeDefaultEnv", "multidict", "quicksum", "resetParams", "setParam", "tupledict", "tuplelist",
]


class _Names:
    """A namespace whose members are constants."""

    def __init__(self, title, members):
        self.__dict__.update(members)
        self.__dict__["_title"] = title

    def __setattr__(self, name, value):
        raise AttributeError(f"{self._title}.{name} cannot be set")

    def __getattr__(self, name):
        raise AttributeError(f"type object '{self._title}' has no attribute '{name}'")


GRB = _Names("GRB", CONSTANTS)
GRB.__dict__.update(
    Status=_Names("GRB.Status", STATUSES),
    status=_Names("GRB.status", STATUSES),
    Attr=_Names("GRB.Attr", {name: name for name in ATTRIBUTES}),
    attr=_Names("GRB.attr", {name: name for name in ATTRIBUTES}),
    Param=_Names("GRB.Param", {name: name for name in PARAMETERS}),
    param=_Names("GRB.param", {name: name for name in PARAMETERS}),
)


def setParam(name, value):
    default_env.setParam(name, value)


def resetParams():
    default_env.resetParams()


def disposeDefaultEnv():
    default_env.resetParams()


_UNSUPPORTED = frozenset(
    """Batch Column GenConstr GenExpr MConstr MGenConstr MLinExpr MNLExpr MQConstr MQuadExpr MVar NLExpr
    QConstr SOS abs_ all_ and_ any_ concatenate getParamInfo hstack loadModel max_ min_ nlfunc norm or_
    paramHelp read readParams vstack writeParams""".split()
)


def __getattr__(name):
    if name in _UNSUPPORTED:
        return not_supported(f"gurobipy.{name}")
    raise AttributeError(f"module 'gurobipy' has no attribute '{name}'")
