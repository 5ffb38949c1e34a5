"""Runs a program as the main program, with this folder's gurobipy, and reports its model.

    python3 -sPB trex_driver.py PROGRAM

src/gurobi/README.md describes the reports.
"""

import os
import sys
import traceback
import types


def final_model(namespace):
    """The name and core of the variable that the program leaves its model in."""
    from gurobipy import Model

    for name in ("model", "m"):
        if isinstance(namespace.get(name), Model):
            return name, namespace[name].__dict__["_core"]
    return None, None


def run(program):
    """Runs the file as __main__; gives its globals and exit code."""
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=program, __builtins__=__builtins__)
    sys.modules["__main__"] = main
    sys.argv = [program]
    code = 0
    try:
        with open(program, "rb") as file:
            exec(compile(file.read(), program, "exec"), main.__dict__)
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        if isinstance(leaving.code, str):
            print(leaving.code, file=sys.stderr)
    except BaseException as error:
        # From the program's own frames on; what is above them is this driver.
        trace = error.__traceback__.tb_next
        traceback.print_exception(type(error), error, trace)
        code = 1
    return main.__dict__, code


def main():
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from gurobipy import _core, _errors

    _core.open_reports(3, 4)
    report = _core.report_end  # before the program can put something else in its place
    namespace, code = run(sys.argv[1])
    name, core = final_model(namespace)
    report(name, core, list(map(str, _errors.unsupported)))
    sys.stdout.flush()
    sys.stderr.flush()
    sys.exit(code)


main()
