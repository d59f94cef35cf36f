"""``--text COLUMN``: the words of a column as sparse rows, weighted by TF-IDF."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from scipy.sparse import csr_array

from kgroups.answers.characteristic_words import Words
from kgroups.cli.column_roles import column_roles, role_names
from kgroups.cli.column_rules import Rule
from kgroups.cli.columns import TableFeatures, about_rows
from kgroups.cli.missing_values import check_present
from kgroups.cli.row_features import refuse_zero_rows, without_numbers
from kgroups.exceptions import DataError
from kgroups.input.table_files import Table
from kgroups.text import counted


def text_features(table: Table, options: Namespace) -> TableFeatures:
    """The rows of a table by the words of one column.

    Words are runs of two and more letters or digits in lower case; a count c weighs 1 + log c,
    times log((1 + n) / (1 + n_w)) + 1 for a word in n_w of n texts; rows have length 1.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    given = {"columns": [options.text_column], "categorical": []}
    roles = column_roles(table, Namespace(**{**vars(options), **given}))
    (column,) = roles.numeric
    if not table.is_text(column):
        raise DataError(
            f"{table.source}: {table.label(column)} holds numbers, and --text compares words; name "
            "a column of text."
        )
    check_present(table, column, "text", "remove those rows")
    texts = table.texts(column)
    vectorizer = TfidfVectorizer(sublinear_tf=True)
    try:
        matrix = csr_array(vectorizer.fit_transform(texts))
    except ValueError:  # how scikit-learn says that there are no words
        raise DataError(
            f"{table.source}: {table.label(column)} holds no word of two letters or more; to "
            "compare texts letter by letter use --metric levenshtein."
        ) from None
    refuse_zero_rows(table, matrix, options, "holds no word of two letters or more")
    names: Any = vectorizer.get_feature_names_out()
    columns = role_names(table, roles, is_matrix=False)
    columns |= {"numeric": [], "text": table.title(column)}
    return without_numbers(
        table, matrix, columns=columns, notes=[*roles.notes, *_on_others(columns)],
        words=Words(matrix, lambda c: str(names[c])), unit="word",
        rules=lambda: [_rule(table.names[column], vectorizer)],
        **about_rows(table, roles),
    )  # fmt: skip


def _rule(name: str, vectorizer: Any) -> Rule:
    """The words of a fit in their order, and the weight of each."""
    words = vectorizer.get_feature_names_out()
    return {"as": "words", "name": name, "words": words, "idf": vectorizer.idf_}


def words_by_rule(texts: list[str], rule: Rule) -> csr_array:
    """New texts by the words of the fit, with the weights that these have there, and no others."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(sublinear_tf=True, vocabulary=rule["words"].tolist())
    vectorizer.idf_ = rule["idf"]
    return csr_array(vectorizer.transform(texts))


def _on_others(columns: dict[str, Any]) -> list[str]:
    others = columns["dropped"]
    if not others:
        return []
    are = "is" if len(others) == 1 else "are"
    count = counted(len(others), "other column")
    return [f"only the words of {columns['text']} are compared; {count} {are} not used"]
