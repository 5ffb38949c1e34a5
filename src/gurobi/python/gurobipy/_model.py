"""Model and Env: the natural-Python half; the numbers live in the compiled core."""

import dis
import fnmatch
import itertools

from . import _core
from ._containers import tupledict
from ._errors import GurobiError, not_supported
from ._features import counted, from_program
from ._names import ATTRIBUTES
from ._params import Params

INFINITY = 1e100


@counted
class Env:
    """Parameters shared by the models made with it."""

    def __init__(self, logfilename=None, empty=False, params=None):
        self.params = Params()
        if isinstance(logfilename, dict):
            params = logfilename
        for name, value in (params or {}).items():
            self.setParam(name, value)

    def start(self):
        pass

    def setParam(self, name, value):
        setattr(self.params, name, value)

    def resetParams(self):
        self.params.reset()

    def dispose(self):
        pass

    close = dispose

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.dispose()


#: The parameters of models without an Env of their own: gurobipy.setParam.
default_env = Env()

_UNSUPPORTED = frozenset(
    """addMVar addMConstr addMQConstr addSOS addGenConstrAbs addGenConstrAnd addGenConstrCos
    addGenConstrExp addGenConstrExpA addGenConstrIndicator addGenConstrLog addGenConstrLogA
    addGenConstrLogistic addGenConstrMax addGenConstrMin addGenConstrNL addGenConstrNLAdv
    addGenConstrNorm addGenConstrOr addGenConstrPWL addGenConstrPoly addGenConstrPow addGenConstrSin
    addGenConstrTan basisHead cbCut cbGet cbGetNodeRel cbGetSolution cbLazy cbProceed cbSetParam
    cbSetSolution cbStopOneMultiObj cbUseSolution computeIIS convertToFixed display dualize
    feasRelax feasRelaxS feasibility fixed getA getCol getConcurrentEnv getGenConstrs
    getJSONSolution getMultiobjEnv getParamInfo getPWLObj getQ getQCMatrices getQCRow getSOS getSOSs
    getTuneResult linearize message optimizeAsync optimizeBatch presolve printQuality
    printStats read setMObjective setObjectiveN setPWLObj singleScenarioModel singularVectors sync
    terminate tune writeTuneResult""".split()
)


def _plain_keys(index):
    """The keys of one index argument of addVars, each as it was given."""
    if isinstance(index, str):
        return [index]
    try:
        number = index.__index__()
    except (AttributeError, TypeError):
        return list(index)
    return list(range(number))


def _flat(parts):
    flat = []
    for part in parts:
        flat.extend(part if isinstance(part, tuple) else (part,))
    return tuple(flat)


def _keys_of(indices):
    if len(indices) == 1:
        return [key if not isinstance(key, list) else tuple(key) for key in _plain_keys(indices[0])]
    return [_flat(parts) for parts in itertools.product(*map(_plain_keys, indices))]


def _name_of(base, key):
    parts = key if isinstance(key, tuple) else (key,)
    return f"{base}[{','.join(str(part) for part in parts)}]"


def _values_for(what, value, keys):
    """One value for each key: from a dict by key, a list in order, or the same for all."""
    if isinstance(value, dict):
        return [value[key] for key in keys]
    if isinstance(value, str) or not hasattr(value, "__len__") or getattr(value, "shape", None) == ():
        return [value] * len(keys)
    values = list(value)
    if len(values) != len(keys):
        raise GurobiError(f"Model.addVars: {what} has {len(values)} values for {len(keys)} variables")
    return values


def _loop_variables(generator):
    """Names of a generator expression's own loop variables, outermost first."""
    targets, in_target = [], False
    for step in dis.get_instructions(generator.gi_code):
        if step.opname == "FOR_ITER":
            in_target = True
        elif step.opname.startswith("STORE") and in_target:
            targets.append(step.argval)
        elif step.opname not in ("UNPACK_SEQUENCE", "UNPACK_EX", "EXTENDED_ARG"):
            in_target = False
    return list(dict.fromkeys(targets))


@counted
class Model:
    """A model with Gurobi's interface. Attributes that begin with an underscore are the program's own.

    Programs like to keep _vars there, so our own have names that nobody would choose.
    """

    def __init__(self, name="", env=None):
        own = self.__dict__
        own["_core"] = _core.Core()
        own["_every_var"], own["_every_constr"] = [], []
        own["Params"] = (env or default_env).params.copy()
        self._core.name = str(name) if name else ""

    # Building.

    def addVar(self, lb=0.0, ub=float("inf"), obj=0.0, vtype="C", name="", column=None):
        if column is not None:
            raise GurobiError(10024, "Model.addVar: column is not supported")
        var = self._core.add_variable(float(lb), float(ub), float(obj), str(vtype), str(name))
        self._every_var.append(var)
        return var

    def addVars(self, *indices, lb=0.0, ub=float("inf"), obj=0.0, vtype="C", name=""):
        keys = _keys_of(indices)
        if len(set(keys)) != len(keys):
            raise KeyError("Duplicate keys in Model.addVars()")
        if isinstance(name, str):
            names = [_name_of(name, key) for key in keys] if name else [""] * len(keys)
        else:
            names = _values_for("name", name, keys)
        columns = [_values_for(*pair, keys) for pair in (("lb", lb), ("ub", ub), ("obj", obj), ("vtype", vtype))]
        result = tupledict()
        for key, low, high, cost, kind, text in zip(keys, *columns, names):
            result[key] = self.addVar(low, high, cost, kind, text)
        return result

    def addConstr(self, lhs, sense=None, rhs=None, name=""):
        if isinstance(sense, str) and rhs is not None:
            lhs = {"<": lambda: lhs <= rhs, ">": lambda: lhs >= rhs, "=": lambda: lhs == rhs}[sense[0]]()
        elif isinstance(sense, str):
            name = sense  # addConstr(comparison, "name")
        constr = self._core.add_constraint(lhs, str(name or ""))
        self._take_fillers()
        self._every_constr.append(constr)
        return constr

    addLConstr = addConstr
    addQConstr = addConstr

    def addRange(self, expr, lower, upper, name=""):
        constr = self._core.add_range(expr, float(lower), float(upper), str(name or ""))
        self._take_fillers()
        self._every_constr.append(constr)
        return constr

    def addConstrs(self, generator, name=""):
        if not hasattr(generator, "gi_frame"):
            raise KeyError("Missing constraint index")
        loop = _loop_variables(generator)
        result = tupledict()
        for constraint in from_program(generator):
            values = [generator.gi_frame.f_locals[variable] for variable in loop]
            key = values[0] if len(values) == 1 else tuple(values)
            result[key] = self.addConstr(constraint, name=_name_of(name, key) if name else "")
        return result

    def setObjective(self, expr, sense=None):
        self._core.set_objective(expr)
        if sense is not None:
            self.setAttr("ModelSense", sense)

    def chgCoeff(self, constr, var, value):
        self._core.set_coefficient(constr, var, float(value))

    def remove(self, items):
        if isinstance(items, dict):
            items = list(items.values())
        for item in items if isinstance(items, (list, tuple)) else [items]:
            if isinstance(item, _core.Var):
                self._core.remove_variable(item)
            elif isinstance(item, _core.Constr):
                self._core.remove_constraint(item)
            else:
                raise GurobiError(10003, "Item to be removed not in model")

    def update(self):
        self._core.update()

    def reset(self, clearall=0):
        self._core.reset()

    def copy(self):
        twin = Model(env=None)
        own = twin.__dict__
        own["_core"] = self._core.copy()
        own["Params"] = self.Params.copy()
        own["_every_var"] = [own["_core"].variable(var.index) for var in self._every_var]
        own["_every_constr"] = [own["_core"].constraint(constr.index) for constr in self._every_constr]
        return twin

    def relax(self):
        twin = self.copy()
        for var in twin._every_var:
            var.VType = "C"
        return twin

    # Solving.

    def optimize(self, callback=None):
        if callback is not None:
            raise GurobiError(10024, "Model.optimize: callbacks are not supported")
        params = self.Params
        gap = params.MIPGap if params.is_set("MIPGap") else 0.0
        self._core.optimize(min(params.TimeLimit, 1e8), gap)
        if params.is_set("OutputFlag") and params.OutputFlag and params.LogToConsole:
            self._print_log()

    def _print_log(self):
        print(f"Optimize a model with {self.NumConstrs} rows, {self.NumVars} columns and {self.NumNZs} nonzeros")
        if self.Status == 2:
            print(f"Optimal objective  {self.ObjVal:.9e}")
        else:
            words = {3: "Infeasible model", 5: "Unbounded model", 9: "Time limit reached"}
            print(words.get(self.Status, f"Status {self.Status}"))

    # Reading.

    def getVars(self):
        return [var for var in self._every_var if not self._core.is_removed(var)]

    def getConstrs(self):
        return [constr for constr in self._every_constr if not self._core.is_removed(constr)]

    def getQConstrs(self):
        return []

    def getVarByName(self, name):
        return next((var for var in self.getVars() if var.VarName == name), None)

    def getConstrByName(self, name):
        return next((constr for constr in self.getConstrs() if constr.ConstrName == name), None)

    def getObjective(self, index=0):
        return self._core.objective()

    def getRow(self, constr):
        return self._core.row(constr)

    def getCoeff(self, constr, var):
        row = self._core.row(constr)
        return sum(row.getCoeff(i) for i in range(row.size()) if row.getVar(i).sameAs(var))

    def getAttr(self, name, objects=None):
        if objects is None:
            if name.lower() in _VAR_LISTS:
                return [var.getAttr(name) for var in self.getVars()]
            if name.lower() in _CONSTR_LISTS:
                return [constr.getAttr(name) for constr in self.getConstrs()]
            return self.__getattr__(name)
        if isinstance(objects, dict):
            return tupledict((key, item.getAttr(name)) for key, item in objects.items())
        return [item.getAttr(name) for item in objects]

    def setAttr(self, name, objects, values=None):
        if values is None and name.lower() in _VAR_LISTS:
            objects, values = self.getVars(), objects
        if values is None:
            setattr(self, name, objects)
            return
        if isinstance(objects, dict):
            values = [values[key] for key in objects] if isinstance(values, dict) else values
            objects = list(objects.values())
        if not hasattr(values, "__len__") or isinstance(values, str):
            values = [values] * len(objects)
        for item, value in zip(objects, values):
            item.setAttr(name, value)

    def printAttr(self, attrs, filter="*"):
        names = [attrs] if isinstance(attrs, str) else list(attrs)
        print("\n" + "".join(f"{title:>13}" for title in ["Variable"] + names))
        print("-" * 13 * (1 + len(names)))
        for var in self.getVars():
            values = [var.getAttr(name) for name in names]
            if fnmatch.fnmatch(var.VarName, filter) and any(values):
                print(f"{var.VarName:>13}" + "".join(f"{value:>13g}" if isinstance(value, float) else f"{value:>13}" for value in values))

    def setParam(self, name, value):
        setattr(self.Params, name, value)

    def resetParams(self):
        self.Params.reset()

    def write(self, filename):
        ending = str(filename).lower().rsplit(".", 1)[-1]
        if ending == "lp":
            self._core.write_lp(str(filename))
        elif ending == "mps":
            self._core.write_mps(str(filename))
        elif ending == "sol":
            lines = [f"# Objective value = {self.ObjVal!r}"] + [f"{var.VarName} {var.X!r}" for var in self.getVars()]
            with open(filename, "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
        elif ending in ("rlp", "rew", "dlp", "dua", "json", "attr", "prm", "mst", "hnt", "bas", "ilp"):
            raise GurobiError(10024, f"Model.write: .{ending} is not supported")
        else:
            raise GurobiError(10012, f"Unknown file type for file '{filename}'")

    def dispose(self):
        pass

    close = dispose

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self.dispose()

    def __repr__(self):
        return f"<gurobi.Model {'MIP' if self.IsMIP else 'Continuous'} instance {self.ModelName or 'unnamed'}: {self.NumConstrs} constrs, {self.NumVars} vars>"

    # Attributes.

    def __getattr__(self, name):
        reader = _READERS.get(name.lower())
        if reader is not None:
            value = reader(self)
            if value is None:
                raise AttributeError(f"Unable to retrieve attribute '{name}'")
            _core.use_feature(f"Model.{name}")
            return value
        if name in _UNSUPPORTED:
            return not_supported(f"Model.{name}")
        if name.lower() in _ATTRIBUTES:
            raise AttributeError(f"Attribute '{name}' of a model is not supported")
        if name.lower() == "params":
            return self.Params
        raise AttributeError(f"'gurobipy.Model' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        lower = name.lower()
        if name.startswith("_"):
            self.__dict__[name] = value
            return
        if lower == "modelsense":
            self._core.maximize = value < 0
        elif lower == "modelname":
            self._core.name = str(value)
        elif lower == "objcon":
            self._core.objective_constant = float(value)
        elif lower in _ATTRIBUTES:
            raise AttributeError(f"Attribute '{name}' of a model cannot be set")
        else:
            raise AttributeError(f"'gurobipy.Model' object has no attribute '{name}'")
        _core.use_feature(f"Model.{name}")

    def _take_fillers(self):
        # A range adds a variable of its own.
        for index in range(len(self._every_var), self._core.num_all_variables):
            self._every_var.append(self._core.variable(index))


_ATTRIBUTES = frozenset(name.lower() for name in ATTRIBUTES)
_VAR_LISTS = frozenset("x xn rc lb ub obj vtype varname unbdray start".split())
_CONSTR_LISTS = frozenset("pi slack rhs sense constrname farkasdual".split())


def _count_types(model, types):
    return sum(var.VType in types for var in model.getVars())


def _gap(model):
    value, bound = model._core.value, model._core.bound
    if value is None or bound is None:
        return None
    return abs(value - bound) / abs(value) if value else (0.0 if bound == value else float("inf"))


#: Attributes of a model by lower-case name; None means that there is no value now.
_READERS = {
    "status": lambda m: m._core.status,
    "objval": lambda m: m._core.value,
    "objbound": lambda m: m._core.bound,
    "objboundc": lambda m: m._core.bound,
    "poolobjval": lambda m: m._core.value,
    "mipgap": _gap,
    "solcount": lambda m: 0 if m._core.value is None else 1,
    "runtime": lambda m: m._core.seconds,
    "nodecount": lambda m: float(m._core.nodes),
    "numvars": lambda m: m._core.num_variables,
    "numconstrs": lambda m: m._core.num_constraints,
    "numnzs": lambda m: m._core.num_nonzeros,
    "dnumnzs": lambda m: float(m._core.num_nonzeros),
    "numintvars": lambda m: _count_types(m, "BI"),
    "numbinvars": lambda m: _count_types(m, "B"),
    "numqconstrs": lambda m: 0,
    "numsos": lambda m: 0,
    "numgenconstrs": lambda m: 0,
    "numobj": lambda m: 1,
    "numqnzs": lambda m: m._core.num_products,
    "ismip": lambda m: int(_count_types(m, "BI") > 0),
    "isqp": lambda m: int(m._core.num_products > 0),
    "isqcp": lambda m: 0,
    "ismultiobj": lambda m: 0,
    "modelsense": lambda m: -1 if m._core.maximize else 1,
    "modelname": lambda m: m._core.name,
    "objcon": lambda m: m._core.objective_constant,
}
