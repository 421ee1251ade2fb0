"""The text of a PDF file, by pypdf."""

from __future__ import annotations

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from app.helper.messages import PdfRead, ReadPdf, Refused

MOST_PAGES = 2_000


def read_pdf(request: ReadPdf) -> PdfRead | Refused:
    """Text page by page, until there is as much as was asked for."""
    try:
        reader = PdfReader(request.path)
        if reader.is_encrypted and not reader.decrypt(""):
            return Refused(reason="is locked with a password")
        parts: list[str] = []
        length, pages = 0, len(reader.pages)
        for page in reader.pages[:MOST_PAGES]:
            text = page.extract_text().strip()
            parts.append(text)
            length += len(text)
            if length > request.most_characters:
                break
    except PyPdfError as error:
        return Refused(reason=f"is damaged or of an unknown kind ({type(error).__name__})")
    except OSError as error:
        return Refused(reason=f"could not be read ({error.strerror})")
    whole = "\n\n".join(part for part in parts if part)
    # A lone surrogate, which a hostile font table can make, has no place in JSON.
    whole = whole.encode("utf-8", "replace").decode("utf-8").replace("\x00", "")
    if not whole.strip():
        return Refused(reason="holds no text, only pictures perhaps")
    return PdfRead(text=whole[: request.most_characters], pages=pages,
                   cut=length > request.most_characters or pages > MOST_PAGES)
