"""gemcli: an open coding agent for the terminal that speaks Gemini's wire format."""

__version__ = "0.1.0"
