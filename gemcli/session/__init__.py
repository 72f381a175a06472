"""The conversation: history, turns, events. Knows nothing of screens."""

from gemcli.session.chat import ChatSession, Services, SessionConfig

__all__ = ["ChatSession", "Services", "SessionConfig"]
