"""What the columns of a list of edges are called, in files and in frames."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from kgroups.input.table_files.table import listed
from kgroups.names import WEIGHT_COLUMNS

# Names of the two ends of an edge, in lower case and without blanks, dashes or underscores.
_END_NAMES = (
    ("source", "target"),
    ("from", "to"),
    ("src", "dst"),
    ("src", "dest"),
    ("node1", "node2"),
    ("id1", "id2"),
    ("fromnodeid", "tonodeid"),
    ("fromnode", "tonode"),
    ("start", "end"),
    ("origin", "destination"),
    ("sender", "receiver"),
    ("citing", "cited"),
    ("ligand", "receptor"),
    ("regulator", "target"),
    ("tf", "target"),
    ("von", "nach"),
    ("u", "v"),
    ("i", "j"),
)
# What may stand before the same word in the names of both ends, as in source_id and target_id.
_FIRST_WORDS = (("source", "target"), ("from", "to"), ("src", "dst"), ("start", "end"))
# What may follow the same word there, as in gene1 and gene2 or protein_a and protein_b.
_LAST_CHARACTERS = (("1", "2"), ("a", "b"))
# What such a word, or the last of several, means if it is the name of a column. Other words with a
# number, such as CDK1 and CDK2, are as likely to be nodes.
_END_WORDS = frozenset(
    {"accession", "account", "actor", "agent", "animal", "asv", "atom", "author", "bait",
     "cell", "city", "compound", "concept", "country", "customer", "document", "domain",
     "drug", "employee", "endpoint", "ensembl", "entity", "entrez", "enzyme", "feature",
     "friend", "gen", "gene", "geneid", "genename", "genesymbol", "id", "identifier", "ids",
     "individual", "interactor", "item", "knoten", "locus", "member", "metabolite", "molecule",
     "name", "neuron", "node", "nodeid", "object", "otu", "paper", "participant", "partner",
     "peptide", "person", "player", "prot", "protein", "proteinid", "region", "residue",
     "sample", "seq", "sequence", "site", "snp", "source", "species", "station", "student",
     "symbol", "target", "taxon", "team", "term", "transcript", "uniprot", "user", "userid",
     "var", "variable", "vertex", "word"}
)  # fmt: skip
_WORD = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# The names of weights that mean nothing else.
_PLAIN_WEIGHTS = frozenset({"weight", "weights", "gewicht"})
# Names of the columns in a file of node labels.
NODE_NAMES = frozenset({"node", "nodeid", "id", "name", "vertex"})
LABEL_NAMES = frozenset({"label", "labels", "community", "class"})


class AskedColumns(NamedTuple):
    """What is known of the columns of a list of edges: names, or positions from 1."""

    source: str | None = None
    target: str | None = None
    weight: str | None = None
    #: Whether the first line holds names; None is found out.
    header: bool | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known."""
        return self == AskedColumns()


def plain_name(name: str) -> str:
    """A name in lower case, without blanks, dashes and underscores."""
    return name.lower().translate(str.maketrans("", "", " _-"))


def usual_ends(names: Sequence[str]) -> tuple[int, int] | None:
    """The positions of source and target, or of other names that always mean them."""
    plain = [plain_name(name) for name in names]
    for source, target in _END_NAMES:
        if source in plain and target in plain:
            return plain.index(source), plain.index(target)
    return None


def end_columns(names: Sequence[str]) -> tuple[int, int] | None:
    """The positions of the two ends of an edge, if exactly two columns have such names.

    >>> end_columns(["id", "From", "To"]), end_columns(["protein1", "protein2", "combined_score"])
    ((1, 2), (0, 1))
    >>> end_columns(["gene1", "gene2", "gene3"]) is None, end_columns(["CDK1", "CDK2"]) is None
    (True, True)
    """
    return usual_ends(names) or _only(known_pairs(names))


def end_columns_by_name(names: Sequence[str]) -> tuple[int, int] | None:
    """The same for what is known to be names of columns: any word may be that of both ends.

    >>> end_columns_by_name(["x", "Bait 1", "Bait 2"]), end_columns_by_name(["CDK1", "CDK2"])
    ((1, 2), (0, 1))
    """
    return end_columns(names) or _only(_similar_pairs(names))


def known_pairs(names: Sequence[str]) -> set[tuple[int, int]]:
    """The positions of all pairs such as gene1 and gene2, or source_id and target_id."""
    plain = [plain_name(name) for name in names]
    numbered = {pair for _, pair in _with_last_characters(plain) if _is_of_ends(names[pair[0]])}
    return numbered | set(_with_first_words(plain))


def _similar_pairs(names: Sequence[str]) -> set[tuple[int, int]]:
    """The positions of all pairs of the same word with 1 and 2, or A and B."""
    return {pair for _, pair in _with_last_characters([plain_name(name) for name in names])}


def _only(pairs: Collection[tuple[int, int]]) -> tuple[int, int] | None:
    """The pair, if there is only one."""
    return next(iter(pairs)) if len(pairs) == 1 else None


def _is_of_ends(name: str) -> bool:
    """Whether a name with a last character, such as Gene_A, belongs to columns of ends."""
    words = _WORD.findall(name[:-1])
    return bool(words) and words[-1].lower() in _END_WORDS


def _with_first_words(plain: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs such as sourceid and targetid."""
    place = {name: i for i, name in reversed(list(enumerate(plain)))}
    for first, second in _FIRST_WORDS:
        for i, name in enumerate(plain):
            other = place.get(second + name.removeprefix(first))
            if name.startswith(first) and other is not None:
                yield i, other


def _with_last_characters(plain: Sequence[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Words and pairs such as gene1 and gene2, unless there is a third name of this kind."""
    by_word = defaultdict(list)
    for i, name in enumerate(plain):
        by_word[name[:-1]].append((name[-1:], i))
    for word, found in by_word.items():
        last = dict(sorted(found))
        if len(word) > 1 and len(found) == 2 and tuple(last) in _LAST_CHARACTERS:
            first, second = last.values()
            yield word, (first, second)


def weight_columns(names: Sequence[str]) -> tuple[int, ...]:
    """The position of the column named weight, else those of all other names of weights."""
    plain = [plain_name(name) for name in names]
    certain = tuple(c for c, name in enumerate(plain) if name in _PLAIN_WEIGHTS)[:1]
    known = {plain_name(name) for name in WEIGHT_COLUMNS}
    return certain or tuple(c for c, name in enumerate(plain) if name in known)


def is_plain_weight(name: str) -> bool:
    """Whether a column of this name can hold nothing but weights."""
    return plain_name(name) in _PLAIN_WEIGHTS


def are_nodes(names: Sequence[str], nodes: Collection[str]) -> bool:
    """Whether two names of columns are nodes of the lines below them.

    Letters are common names of nodes, and so are words with a number or a letter: one of them is
    enough, or another one that is numbered like them. Of other words both must come again.

    >>> are_nodes(["u", "v"], {"v", "w"}), are_nodes(["source", "target"], {"target", "shop"})
    (True, False)
    >>> are_nodes(["gene1", "gene2"], {"gene7", "x"}), are_nodes(["gene1", "gene2"], {"TP53", "x"})
    (True, False)
    """
    words = [word for word, _ in _with_last_characters([plain_name(name) for name in names])]
    found = [name in nodes for name in names]
    if (any if words or max(map(len, names)) == 1 else all)(found):
        return True
    return any(_is_numbered(plain_name(node), word) for word in words for node in nodes)


def _is_numbered(name: str, word: str) -> bool:
    """Whether a name is this word with a number or a letter."""
    rest = name.removeprefix(word)
    return name.startswith(word) and (rest.isdecimal() or len(rest) == 1)


def ignored_columns(names: Sequence[str], advice: str) -> str:
    """A note on columns that are neither ends nor weights."""
    were = "column was" if len(names) == 1 else "columns were"
    return f"{were} ignored: {listed(names)}; {advice}."
