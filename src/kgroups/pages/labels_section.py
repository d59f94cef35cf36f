"""The cluster of every row, to be taken away."""

from __future__ import annotations

from kgroups.pages.label_data import LabelData
from kgroups.pages.parts import Paragraph, Part, Section


def labels_section(labels: LabelData) -> Section:
    """What the page can write; if rows do not fit into it, how to get them."""
    group, row = labels.group_name, labels.row_name
    if not labels.digits:
        sentence = (
            f"The {group} of each of the {labels.n_rows:,} rows does not fit into this file; the "
            "option -o labels.csv of the command writes them, as does model.labels_ in Python."
        )
        return Section(key="labels", heading="The labels", sentence=sentence)
    sentence = (
        f"The button writes a file of comma-separated values with one line per {row}: its number, "
        f"counted from 1,{' its name' if labels.ids else ''} and its {group}. Spreadsheets open it."
    )
    parts: list[Part] = []
    if labels.lacks_ids:
        parts.append(
            Paragraph(
                "The names of the rows are too long for this file: it has their numbers. The "
                "option -o labels.csv of the command writes the names, too."
            )
        )
    return Section(key="labels", heading="The labels", sentence=sentence, parts=parts)
