"""Which parts of the package a program used, for the report at the end of a run.

A call counts when the program makes it, not when this package does.
"""

import functools

from ._core import begin_feature, end_feature, pause_features, resume_features


def _counting(name, function):
    @functools.wraps(function)
    def call(*arguments, **keywords):
        begin_feature(name)
        try:
            return function(*arguments, **keywords)
        finally:
            end_feature()

    return call


def counted(part):
    """Decorates a function, or a class: then its public methods count as Class.method."""
    if not isinstance(part, type):
        return _counting(part.__name__, part)
    for name, member in list(vars(part).items()):
        if callable(member) and not name.startswith("_"):
            setattr(part, name, _counting(f"{part.__name__}.{name}", member))
    return part


def from_program(generator):
    """The generator's items; what its code uses counts."""
    while True:
        depth = pause_features()
        try:
            item = next(generator)
        except StopIteration:
            return
        finally:
            resume_features(depth)
        yield item
