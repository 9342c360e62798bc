"""The SAM template, so that tests create what the deployment creates."""

from tools.template import properties, template

__all__ = ["properties", "template"]
