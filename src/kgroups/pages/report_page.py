"""A report that is one file of HTML: to be saved, shown in a notebook, or sent to somebody."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from kgroups.pages.label_data import LabelData
from kgroups.pages.parts import Section
from kgroups.pages.rendering import rendered
from kgroups.runtime.written_whole import written_whole
from kgroups.text import counted
from kgroups.version import __version__

_TEMPLATE = "page.html.j2"
_SUFFIXES = (".html", ".htm")
_FRAME = "width:100%;height:640px;border:1px solid #8888;border-radius:6px;background:#fff"


@dataclass(frozen=True, kw_only=True)
class ReportPage:
    """One page: a verdict in plain words, then one section per question.

    Pages are made by :meth:`kgroups.KernelKGroups.report` and by ``--report`` of the command line.
    A page needs nothing but the file: no address, no network, no installed font. It can be read
    with scripts switched off, on paper and on dark screens.

    Parameters
    ----------
    title : str
        What the page is about.
    verdict : Section
        The answer in a paragraph, with what to do next.
    sections : sequence of Section
        What supports it, in the order in which it is read.
    labels : LabelData or None
        What the page can write to a file.
    """

    title: str
    verdict: Section
    sections: Sequence[Section]
    labels: LabelData | None = None

    def to_html(self) -> str:
        """The whole page. The same result and seed give the same text."""
        return rendered(
            _TEMPLATE,
            title=self.title,
            verdict=self.verdict,
            sections=self.sections,
            labels=self.labels,
            version=__version__,
        )

    def to_bytes(self) -> bytes:
        """The page as the content of a file."""
        return self.to_html().encode("utf-8")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, whole or not at all; a file that exists is replaced.

        Parameters
        ----------
        path : str or path
            A name that ends in .html.

        Raises
        ------
        ValueError
            For another ending.
        OSError
            Where no file can be written: a folder of this name, a folder that does not exist, or
            one in which nothing may be created.
        """
        target = Path(path)
        if os.path.isdir(target):  # which has no objection to long names
            raise IsADirectoryError(
                f"{target} is a folder; name a file in it, such as {target / 'report.html'}."
            )
        if target.suffix.lower() not in _SUFFIXES:
            raise ValueError(
                f"A report is a page of HTML; name it {target.name}.html instead of {target.name}."
            )
        data = self.to_bytes()
        try:
            with written_whole(target) as stream:
                stream.write(data)
        except OSError as error:
            raise type(error)(f"{target} cannot be written: {_reason(error, target)}.") from error

    def _repr_html_(self) -> str:
        """The page in a frame of a notebook, whose styles and scripts it does not touch."""
        page = escape(self.to_html(), quote=True)
        return (
            f'<iframe title="{escape(self.title, quote=True)}" style="{_FRAME}" '
            f'sandbox="allow-scripts allow-downloads" srcdoc="{page}"></iframe>'
        )

    def __str__(self) -> str:
        sections = counted(len(self.sections), "section")
        kept = f"({sections}; .save('report.html') keeps it.)"
        return f"{self.title}\n{self.verdict.sentence}\n{kept}"


def _reason(error: OSError, target: Path) -> str:
    """Why a file cannot be written, without the name of the one that was written first."""
    folder = target.parent
    if isinstance(error, FileNotFoundError) and not folder.exists():
        return f"the folder {folder} does not exist"
    if not folder.is_dir():
        return f"{folder} is not a folder"
    if isinstance(error, PermissionError | FileNotFoundError):
        return f"no file can be created in {folder}"
    return (error.strerror or str(error)).lower()
