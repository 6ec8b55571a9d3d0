"""The contextualised relational topic model: where in a text a link to another text belongs."""

from crtm.corpus import Corpus, Document, Links
from crtm.errors import CorpusError, CRTMError, ModelFileError, NotFittedError, ParameterError
from crtm.learned import RankedPlace, RankedSpan
from crtm.model import CRTM
from crtm.progress import Iteration

__all__ = [
    "CRTM",
    "CRTMError",
    "Corpus",
    "CorpusError",
    "Document",
    "Iteration",
    "Links",
    "ModelFileError",
    "NotFittedError",
    "ParameterError",
    "RankedPlace",
    "RankedSpan",
]
