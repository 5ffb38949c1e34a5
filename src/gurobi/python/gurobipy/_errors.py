"""The package's exception, and the list of what programs asked for in vain."""

NOT_SUPPORTED = 10024

#: Messages of calls that this package does not have, for the report at the end of a run.
unsupported = []


class GurobiError(Exception):
    """GurobiError(message) or GurobiError(errno, message), as in the real package."""

    def __init__(self, errno=None, message=None):
        if message is None:
            errno, message = 10003, errno
        super().__init__(message)
        self.errno = errno
        self.message = message
        if errno == NOT_SUPPORTED:
            unsupported.append(message)


def not_supported(name):
    """A function that stands for `name` and says that it is missing when it is called."""

    def missing(*_args, **_kwargs):
        raise GurobiError(NOT_SUPPORTED, f"{name} is not supported")

    missing.__name__ = name.rsplit(".", 1)[-1]
    return missing
