"""The errors of crtm, one class per remedy.

CRTMError
├─ CorpusError       the corpus file is not what it should be; fix the named line
├─ ParameterError    a parameter has an invalid value
├─ NotFittedError    fit or load first
└─ ModelFileError    the model file cannot be trusted; nothing was loaded
"""


class CRTMError(Exception):
    """Base class; the message is one sentence for the user.

    Where there is a ``key``, it and the ``params`` let a program say the sentence in another language.
    """

    def __init__(self, sentence: str, key: str = "", *params: object) -> None:
        super().__init__(sentence)
        self.key, self.params = key, params


class CorpusError(CRTMError):
    """The corpus could not be read; the message names the file and the line."""


class ParameterError(CRTMError, ValueError):
    """A parameter has an invalid value; the message names both."""


class NotFittedError(CRTMError):
    """The model has learned nothing yet: call fit or load first."""


class ModelFileError(CRTMError):
    """The model file is damaged, truncated or from a newer version; nothing was loaded."""
