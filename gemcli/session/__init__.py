"""The conversation: history, turns, events. Knows nothing of screens."""

from gemcli.session.chat import ChatSession, Prompt, Services, SessionConfig

__all__ = ["ChatSession", "Prompt", "Services", "SessionConfig"]
