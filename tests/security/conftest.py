"""The system that is attacked: handlers over moto, single-threaded."""

from tests.integration.conftest import system

__all__ = ["system"]
