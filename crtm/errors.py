"""What can go wrong, one class for each thing a caller can do about it.

CRTMError
├─ CorpusError       the corpus file is not what it should be; fix the named line
├─ ParameterError    a parameter has a value that means nothing
├─ NotFittedError    fit or load first
└─ ModelFileError    the model file cannot be trusted; nothing was loaded
"""


class CRTMError(Exception):
    """A sentence for the user; never a bug."""


class CorpusError(CRTMError):
    """The corpus could not be read; the message names the file and the line."""


class ParameterError(CRTMError, ValueError):
    """A parameter has a value that means nothing; the message names both."""


class NotFittedError(CRTMError):
    """The model has learned nothing yet: call fit or load first."""


class ModelFileError(CRTMError):
    """The model file is damaged, cut, or from a newer version; nothing was loaded."""
