"""gurobipy_test.py PYTHON_FOLDER: the interface, behaviour by behaviour.

Expected values agree with the real gurobipy 13.0.3 (run with update() after each change), except
for what this package does not support, layout of files, and three liberties: names and bounds can be
read before update(), an infeasible model is never "infeasible or unbounded", and UnbdRay needs no
parameter.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

FOLDER = os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, FOLDER)

import gurobipy as gp  # noqa: E402
from gurobipy import GRB  # noqa: E402


def names(items):
    return [item.VarName if hasattr(item, "VarName") else item.ConstrName for item in items]


def row_text(model, constr):
    return f"{model.getRow(constr)} {constr.Sense} {constr.RHS}"


class Variables(unittest.TestCase):
    def setUp(self):
        self.m = gp.Model("t")

    def test_defaults(self):
        x = self.m.addVar()
        self.assertEqual((x.VarName, x.LB, x.UB, x.Obj, x.VType), ("C0", 0.0, float("inf"), 0.0, "C"))

    def test_binaries_are_clipped(self):
        y = self.m.addVar(lb=-3, ub=5, vtype=GRB.BINARY)
        self.assertEqual((y.LB, y.UB), (0.0, 1.0))

    def test_keys_of_addvars(self):
        self.assertEqual(list(self.m.addVars(2)), [0, 1])
        self.assertEqual(list(self.m.addVars(["a", "b"], 2)), [("a", 0), ("a", 1), ("b", 0), ("b", 1)])
        self.assertEqual(list(self.m.addVars([(1, 2), (3, 4)], [7])), [(1, 2, 7), (3, 4, 7)])
        self.assertEqual(list(self.m.addVars({"k": 1, "l": 2})), ["k", "l"])

    def test_names_have_no_blanks(self):
        self.assertEqual(names(self.m.addVars(1, ["a"], name="x").values()), ["x[0,a]"])
        self.assertEqual(names(self.m.addVars([(1, 2)], name="y").values()), ["y[1,2]"])

    def test_values_by_list_and_dict(self):
        x = self.m.addVars(["a", "b"], lb=[1, 2], ub={"a": 5, "b": 6}, obj=3)
        self.assertEqual([(v.LB, v.UB, v.Obj) for v in x.values()], [(1, 5, 3), (2, 6, 3)])

    def test_duplicate_keys_are_an_error(self):
        with self.assertRaisesRegex(KeyError, "Duplicate keys in Model.addVars"):
            self.m.addVars([1, 1])

    def test_attribute_names_ignore_case(self):
        x = self.m.addVar(ub=4)
        self.assertEqual(x.ub, 4)
        x.lb = 2
        self.assertEqual(x.getAttr("LB"), 2)
        x.setAttr(GRB.Attr.UB, 7)
        self.assertEqual(x.UB, 7)

    def test_what_is_missing_is_named(self):
        x = self.m.addVar()
        with self.assertRaisesRegex(AttributeError, "'gurobipy.Var' object has no attribute 'foo'"):
            x.foo
        with self.assertRaisesRegex(AttributeError, "'gurobipy.Model' object has no attribute 'foo'"):
            self.m.foo = 1
        with self.assertRaisesRegex(AttributeError, "has no attribute 'FOO'"):
            GRB.FOO
        with self.assertRaisesRegex(gp.GurobiError, "Model.computeIIS is not supported"):
            self.m.computeIIS()
        with self.assertRaisesRegex(gp.GurobiError, "gurobipy.max_ is not supported"):
            gp.max_(x)
        with self.assertRaisesRegex(gp.GurobiError, "Unknown parameter 'Foo'"):
            self.m.Params.Foo = 1
        with self.assertRaisesRegex(gp.GurobiError, "Invalid variable type 'Z'"):
            self.m.addVar(vtype="Z")


class Expressions(unittest.TestCase):
    def setUp(self):
        self.m = gp.Model()
        self.x = self.m.addVars(3, name="x")

    def test_text(self):
        x = self.x
        self.assertEqual(str(x[0] + 2 * x[1] - 1), "-1.0 + x[0] + 2.0 x[1]")
        self.assertEqual(repr(x[0] + 1), "<gurobi.LinExpr: 1.0 + x[0]>")
        self.assertEqual(str(x[0] * x[1] + x[0]), "x[0] + [ x[0] * x[1] ]")

    def test_builtin_sum_and_quicksum(self):
        x = self.x
        for total in (sum(x.values()), gp.quicksum(x.values()), x.sum(), x.sum("*")):
            self.assertEqual(str(total), "0.0 + x[0] + x[1] + x[2]".replace("0.0 + ", ""))

    def test_in_place_addition_is_shared(self):
        e = gp.LinExpr()
        f = e
        e += self.x[0]
        e -= 2
        self.assertEqual(str(f), "-2.0 + x[0]")

    def test_comparisons(self):
        x = self.x
        row = self.m.addConstr(x[0] + 3 <= 2 * x[0] + x[1] - 4, name="r")
        self.assertEqual(row_text(self.m, row), "-1.0 x[0] + -1.0 x[1] < -7.0")
        with self.assertRaisesRegex(gp.GurobiError, "Constraint has no bool value"):
            self.m.addConstr(1 <= x[0] <= 3)
        with self.assertRaises(TypeError):
            x[0] < 3
        self.assertEqual(row_text(self.m, self.m.addConstr(x[0] <= x[0])), "0.0 < 0.0")

    def test_range_adds_a_variable(self):
        row = self.m.addConstr(self.x[0] == [1, 2])
        self.assertEqual(row_text(self.m, row), "x[0] + RgR0 = 2.0")
        self.assertEqual((self.m.NumVars, self.m.getVarByName("RgR0").UB), (4, 1.0))

    def test_truth_values_make_empty_rows(self):
        rows = [self.m.addConstr(truth) for truth in (True, False)]
        self.assertEqual([row_text(self.m, row) for row in rows], ["0.0 < 0.0", "0.0 < -1.0"])
        with self.assertRaisesRegex(gp.GurobiError, "Invalid value for Model.addConstr"):
            self.m.addConstr(3)

    def test_what_needs_a_nonlinear_solver_is_named(self):
        x = self.x
        for build, text in [
            (lambda: x[0] ** 3, "power 3"),
            (lambda: x[0] / x[1], "Division by a variable"),
            (lambda: x[0] * x[1] * x[2], "product of three"),
            (lambda: self.m.addConstr(x[0] * x[1] <= 1), "quadratic constraints"),
            (lambda: (x[0] == 1) >> (x[1] <= 1), "Indicator"),
        ]:
            with self.assertRaisesRegex(gp.GurobiError, text):
                build()

    def test_variables_of_another_model_are_refused(self):
        with self.assertRaisesRegex(gp.GurobiError, "Variable not in model"):
            self.m.addConstr(gp.Model().addVar() <= 1)

    def test_nan_is_refused(self):
        with self.assertRaisesRegex(gp.GurobiError, "Constant is Nan"):
            self.m.addConstr(self.x[0] <= float("nan"))

    def test_addconstrs_names_rows_by_their_loops(self):
        x = self.m.addVars(2, 3, name="y")
        rows = self.m.addConstrs((x[i, j] <= i for i in range(2) for j in range(3) if i != j), name="c")
        self.assertEqual(list(rows), [(0, 1), (0, 2), (1, 0), (1, 2)])
        self.assertEqual(names(rows.values()), ["c[0,1]", "c[0,2]", "c[1,0]", "c[1,2]"])
        rows = self.m.addConstrs((gp.quicksum(x[i, j] for i in range(2)) <= 1 for j in range(3)), name="d")
        self.assertEqual(list(rows), [0, 1, 2])
        pairs = [(0, 1), (1, 2)]
        self.assertEqual(list(self.m.addConstrs(x[p] <= k for p in pairs for k in [1])), [((0, 1), 1), ((1, 2), 1)])


class Containers(unittest.TestCase):
    def test_select_sum_prod(self):
        m = gp.Model()
        x = m.addVars([(1, "a"), (1, "b"), (2, "a")], name="x")
        self.assertEqual(names(x.select(1, "*")), ["x[1,a]", "x[1,b]"])
        self.assertEqual(names(x.select("*", ["a"])), ["x[1,a]", "x[2,a]"])
        self.assertEqual(str(x.sum("*", "a")), "x[1,a] + x[2,a]")
        self.assertEqual(str(x.prod({(1, "a"): 3, (2, "a"): 4})), "3.0 x[1,a] + 4.0 x[2,a]")
        self.assertEqual(gp.tuplelist([(1, 2), (3, 2), (3, 4)]).select("*", 2), [(1, 2), (3, 2)])

    def test_multidict(self):
        keys, cost, supply = gp.multidict({"a": [1, 2], "b": [3, 4]})
        self.assertEqual((keys, cost, supply), (["a", "b"], {"a": 1, "b": 3}, {"a": 2, "b": 4}))


class Solving(unittest.TestCase):
    def glass(self):
        m = gp.Model("glass")
        x = m.addVar(name="x")
        y = m.addVar(name="y")
        m.setObjective(3 * x + 5 * y, GRB.MAXIMIZE)
        rows = [m.addConstr(x <= 4), m.addConstr(2 * y <= 12), m.addConstr(3 * x + 2 * y <= 18)]
        return m, x, y, rows

    def test_optimum_and_duals(self):
        m, x, y, rows = self.glass()
        m.optimize()
        self.assertEqual(m.Status, GRB.OPTIMAL)
        self.assertEqual(m.status, GRB.Status.OPTIMAL)
        for got, expected in [(m.ObjVal, 36), (m.objVal, 36), (m.ObjBound, 36), (x.X, 2), (y.x, 6), (x.RC, 0)]:
            self.assertAlmostEqual(got, expected, 9)
        for row, pi, slack in zip(rows, (0, 1.5, 1), (2, 0, 0)):
            self.assertAlmostEqual(row.Pi, pi, 9)
            self.assertAlmostEqual(row.Slack, slack, 9)
        self.assertAlmostEqual(m.getObjective().getValue(), 36, 9)
        self.assertEqual((m.SolCount, m.IsMIP, m.NumVars, m.NumConstrs, m.NumNZs, m.ModelSense), (1, 0, 2, 3, 4, -1))

    def test_no_solution_no_value(self):
        m, x, _, _ = self.glass()
        self.assertEqual(m.Status, GRB.LOADED)
        self.assertFalse(hasattr(m, "ObjVal") or hasattr(x, "X"))
        m.addConstr(x >= 5)
        m.optimize()
        self.assertEqual(m.Status, GRB.INFEASIBLE)
        with self.assertRaisesRegex(AttributeError, "Unable to retrieve attribute 'ObjVal'"):
            m.ObjVal

    def test_unbounded(self):
        m = gp.Model()
        x = m.addVar(obj=-1)
        m.optimize()
        self.assertEqual((m.Status, x.UnbdRay), (GRB.UNBOUNDED, 1.0))

    def test_integers(self):
        m, x, y, _ = self.glass()
        x.VType = GRB.INTEGER
        m.addConstr(2 * x + y <= 8.5)
        m.optimize()
        self.assertAlmostEqual(m.ObjVal, 33)  # x = 1, y = 6
        self.assertEqual(x.X, 1.0)
        self.assertFalse(hasattr(m.getConstrs()[0], "Pi"))

    def test_sense_is_kept_when_it_is_not_given(self):
        m, x, _, _ = self.glass()
        m.setObjective(x)
        m.optimize()
        self.assertAlmostEqual(m.ObjVal, 4)

    def test_crossed_bounds_are_infeasible(self):
        m, x, _, _ = self.glass()
        x.LB = 3
        x.UB = 2
        m.optimize()
        self.assertEqual(m.Status, GRB.INFEASIBLE)

    def test_removal_and_change(self):
        m, x, _, rows = self.glass()
        m.remove(rows[2])
        m.chgCoeff(rows[0], x, 2)
        m.optimize()
        self.assertAlmostEqual(m.ObjVal, 3 * 2 + 5 * 6)
        self.assertEqual(m.NumConstrs, 2)

    def test_convex_quadratic(self):
        m = gp.Model()
        x, y = m.addVar(), m.addVar()
        m.addConstr(x + y == 2)
        m.setObjective(x * x + y**2 - 2 * x - 5 * y)
        m.optimize()
        self.assertAlmostEqual(m.ObjVal, -6.125)

    def test_copy_is_independent(self):
        m, x, _, _ = self.glass()
        twin = m.copy()
        twin.getVars()[0].UB = 1
        m.optimize()
        twin.optimize()
        self.assertAlmostEqual(m.ObjVal, 36)
        self.assertAlmostEqual(twin.ObjVal, 33)

    def test_files(self):
        m, _, _, _ = self.glass()
        with tempfile.TemporaryDirectory() as folder:
            m.write(folder + "/g.lp")
            with open(folder + "/g.lp") as file:
                self.assertEqual(
                    file.read().split("\n", 2)[2],
                    "Maximize\n  3 x + 5 y\nSubject To\n R0: x <= 4\n R1: 2 y <= 12\n"
                    " R2: 3 x + 2 y <= 18\nBounds\nEnd\n",
                )
            m.write(folder + "/g.mps")
            with open(folder + "/g.mps") as file:
                self.assertIn("\n    RHS R0 4\n", file.read())
            with self.assertRaisesRegex(gp.GurobiError, "Unknown file type for file"):
                m.write(folder + "/g.foo")

    def test_numpy_numbers(self):
        try:
            import numpy as np
        except ImportError:
            self.skipTest("Debian's numpy is not installed")
        m, x, y, _ = self.glass()
        e = np.float64(2) * x + y * np.int64(3) + np.float64(1)
        self.assertEqual(str(e), "1.0 + 2.0 x + 3.0 y")
        self.assertEqual(row_text(m, m.addConstr(np.float64(4) >= x)), "x < 4.0")
        self.assertEqual(row_text(m, m.addConstr(np.bool_(True))), "0.0 < 0.0")
        self.assertEqual(m.addVars(np.int64(2)).keys(), [0, 1])


class Driver(unittest.TestCase):
    def run_program(self, text, redirect="3>report 4<secret"):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in (("main.py", text), ("secret", "s3cret")):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(content)
            command = f"exec /usr/bin/python3 -sPB {FOLDER}/trex_driver.py main.py {redirect}"
            run = subprocess.run(["/bin/sh", "-c", command], cwd=folder, capture_output=True, text=True)
            report = os.path.join(folder, "report")
            if not os.path.exists(report):
                return run, []
            with open(report) as file:
                return run, [json.loads(line) for line in file]

    PROGRAM = "import gurobipy as gp\nm = gp.Model('p')\nx = m.addVar(lb=2, obj=1, name='x')\nm.optimize()\n"

    def test_reports_each_optimize_and_the_end(self):
        run, reports = self.run_program(self.PROGRAM)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))
        self.assertEqual([r["event"] for r in reports], ["optimize", "end"])
        self.assertEqual({r["secret"] for r in reports}, {"s3cret"})
        end = reports[-1]
        self.assertEqual((end["name"], end["status"], end["objective"], end["columns"]), ("m", 2, 2.0, 1))
        self.assertEqual(end["problem"]["columns"][0]["name"], "x")

    def test_a_failure_keeps_its_traceback_and_is_reported(self):
        run, reports = self.run_program(self.PROGRAM + "m.computeIIS()\n")
        self.assertEqual(run.returncode, 1)
        self.assertIn('File "main.py", line 5', run.stderr)
        self.assertNotIn("trex_driver", run.stderr)
        self.assertEqual(reports[-1]["unsupported"], ["Model.computeIIS is not supported"])

    def test_features_are_those_that_the_program_used_itself(self):
        program = """
from gurobipy import GRB, Env, Model, quicksum
model = Model("p", env=Env())
model.Params.outputflag = 0
model.setParam("TimeLimit", 5)
x = model.addVars(2, ub=4, name="x")
model.addConstrs((x.sum("*") <= 3 + i for i in range(2)), name="c")
model.setObjective(quicksum(x[i] for i in range(2)), GRB.MAXIMIZE)
model.optimize()
print(model.objVal, x[0].X, model.getVarByName("x[1]").RC)
"""
        _, reports = self.run_program(program)
        # Not the addVar, addConstr, getVars and VarName that the package needs for them.
        self.assertEqual(
            reports[-1]["features"],
            ["Model.addConstrs", "Model.addVars", "Model.getVarByName", "Model.objVal", "Model.optimize",
             "Model.setObjective", "Model.setParam", "Params.OutputFlag", "Params.TimeLimit", "Var.RC", "Var.X",
             "quicksum", "tupledict.sum"],
        )

    def test_features_without_a_name_of_their_own(self):
        _, reports = self.run_program(
            "import gurobipy as gp\nmodel = gp.Model()\nx = model.addVar()\nmodel.addConstr(True)\n"
            "model.addConstr(x == [1, 2])\nmodel.setObjective(x * x)\nmodel.optimize()\n")
        self.assertEqual(
            reports[-1]["features"],
            ["Model.addConstr", "Model.addVar", "Model.optimize", "Model.setObjective",
             "expression == [low, high]", "product of expressions", "truth value as constraint"],
        )

    def test_the_programs_own_attributes_do_not_disturb_the_model(self):
        m = gp.Model()
        m._vars, m._constrs = m.addVars(2), None
        m.addConstr(m.addVar() >= 1)
        self.assertEqual((len(m.getVars()), len(m.getConstrs())), (3, 1))

    def test_exit_codes_and_main_guard(self):
        run, _ = self.run_program("import sys\nif __name__ == '__main__': sys.exit(7)\n")
        self.assertEqual(run.returncode, 7)

    def test_a_class_of_the_program_is_no_model(self):
        _, reports = self.run_program("class F:\n  ObjVal = 5\n  Status = 2\n  def optimize(self): pass\nmodel = F()\n")
        self.assertEqual((reports[-1]["name"], reports[-1]["problem"]), (None, None))

    def test_without_descriptors_there_are_no_reports(self):
        run, reports = self.run_program(self.PROGRAM, redirect="3>&- 4<&-")
        self.assertEqual((run.returncode, reports), (0, []))


if __name__ == "__main__":
    unittest.main()
