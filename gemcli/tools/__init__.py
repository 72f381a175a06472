"""What the model can do: tools and their registry."""

from gemcli.tools.base import Tool
from gemcli.tools.registry import ToolRegistry

__all__ = ["Tool", "ToolRegistry"]
