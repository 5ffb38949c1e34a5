"""tuplelist, tupledict and multidict."""

from ._core import LinExpr
from ._errors import GurobiError
from ._features import counted


def _parts(key):
    return key if isinstance(key, tuple) else (key,)


def _matcher(pattern, keys):
    """A predicate for keys: each field of the pattern is '*', a value, or a list of values."""
    for key in keys:
        if len(pattern) > len(_parts(key)):
            raise IndexError(f"Too many indices for tuplelist with {len(_parts(key))}-tuple keys")
        break

    def fits(field, part):
        if isinstance(field, str):
            return field == "*" or field == part
        if isinstance(field, (list, set, frozenset, range)) or (
            isinstance(field, tuple) and not isinstance(part, tuple)
        ):
            return part in field
        return field == part

    return lambda key: all(fits(field, part) for field, part in zip(pattern, _parts(key)))


@counted
class tuplelist(list):
    """A list of tuples that can be searched by pattern."""

    def select(self, *pattern):
        matches = _matcher(pattern, self)
        return tuplelist(key for key in self if matches(key))

    def __add__(self, other):
        return tuplelist(list.__add__(self, list(other)))


@counted
class tupledict(dict):
    """A dict by tuples, in order, with sums over patterns."""

    def select(self, *pattern):
        matches = _matcher(pattern, self)
        return [value for key, value in self.items() if matches(key)]

    def subset(self, *pattern):
        matches = _matcher(pattern, self)
        return tupledict((key, value) for key, value in self.items() if matches(key))

    def sum(self, *pattern):
        total = LinExpr()
        for value in self.select(*pattern):
            total += value
        return total

    def prod(self, coefficients, *pattern):
        matches = _matcher(pattern, self)
        total = LinExpr()
        for key, value in self.items():
            if matches(key) and key in coefficients:
                total += coefficients[key] * value
        return total

    def keys(self):
        return tuplelist(dict.keys(self))

    def copy(self):
        return tupledict(self)


@counted
def multidict(data):
    """Splits {key: [a, b, ...]} into the list of keys and one tupledict for each place."""
    keys = tuplelist(data)
    columns = None
    for key, values in data.items():
        row = values if isinstance(values, (list, tuple)) else [values]
        if columns is None:
            columns = [tupledict() for _ in row]
        if len(row) != len(columns):
            raise GurobiError(f"Key {key!r} has {len(row)} values instead of {len(columns)} in multidict")
        for column, value in zip(columns, row):
            column[key] = value
    return [keys] + (columns or [])
