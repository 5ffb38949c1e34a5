"""Parameters. Those that only steer the real solver's search are accepted and change nothing."""

from ._core import use_feature_always
from ._errors import GurobiError
from ._names import PARAMETERS

_BY_LOWER = {name.lower(): name for name in PARAMETERS}


class Params:
    """Values by name, in any case; a name that Gurobi does not have is an error."""

    def __init__(self, values=None):
        object.__setattr__(self, "_values", dict(values or {}))

    @staticmethod
    def _name(name):
        known = _BY_LOWER.get(str(name).lower())
        if known is None:
            raise GurobiError(10007, f"Unknown parameter '{name}'")
        return known

    def __setattr__(self, name, value):
        known = self._name(name)
        default = PARAMETERS[known]
        if not isinstance(default, str):
            try:
                value = float(value) if isinstance(default, float) else int(value)
            except (TypeError, ValueError):
                raise GurobiError(10003, f"Invalid value {value!r} for parameter '{known}'") from None
        self._values[known] = value
        use_feature_always(f"Params.{known}")

    def __getattr__(self, name):
        known = self._name(name)
        return self._values.get(known, PARAMETERS[known])

    def is_set(self, name):
        return name in self._values

    def copy(self):
        return Params(self._values)

    def reset(self):
        self._values.clear()
