"""Files that a model can look at or listen to."""

import base64
from pathlib import Path

from gemcli.wire import InlineData, Part

MIME_TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".bmp": "image/bmp",
    ".heic": "image/heic",
    ".heif": "image/heif",
    ".pdf": "application/pdf",
    ".mp3": "audio/mp3",
    ".wav": "audio/wav",
    ".aiff": "audio/aiff",
    ".aac": "audio/aac",
    ".ogg": "audio/ogg",
    ".flac": "audio/flac",
    ".mp4": "video/mp4",
    ".mpeg": "video/mpeg",
    ".mov": "video/mov",
    ".avi": "video/avi",
    ".flv": "video/x-flv",
    ".webm": "video/webm",
    ".wmv": "video/wmv",
    ".3gp": "video/3gpp",
}


def mime_type(path: Path) -> str | None:
    return MIME_TYPES.get(path.suffix.lower())


def inline_part(data: bytes, mime: str) -> Part:
    return Part(inline_data=InlineData(mime_type=mime, data=base64.b64encode(data).decode()))
