"""The environment the tests were started with, before they replace it with one that reaches nothing."""

import os
from collections.abc import Mapping
from types import MappingProxyType

GIVEN: Mapping[str, str] = MappingProxyType(dict(os.environ))
