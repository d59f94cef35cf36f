"""Lists of edges of other programs: names of columns, columns that are chosen, and no names."""

import time

import numpy as np
import pandas as pd
import pytest

from door_graphs import edges_in
from helpers import each, graph_of_text
from kgroups.exceptions import DataError
from kgroups.graphs import Graph
from kgroups.input.graph_files.edge_names import end_columns, weight_columns
from kgroups.names import WEIGHT_COLUMNS

pytestmark = pytest.mark.nojit

ABC = {("a", "b"): 1.0, ("b", "c"): 1.0}


@each(
    ("names", "ends"),
    [
        (["Source", "Target", "Type", "Id"], (0, 1)),
        (["protein1", "protein2", "combined_score"], (0, 1)),
        (["weight", "Gene B", "Gene A"], (2, 1)),
        (["source_id", "x", "target_id"], (0, 2)),
        (["from name", "to name"], (0, 1)),
        (["regulator", "target"], (0, 1)),
        (["source_id", "target_id", "source_name", "target_name"], None),
        (["gene1", "gene2", "gene3"], None),
        (["gene1", "gene2", "protein1", "protein2"], None),
        (["a1", "a2"], None),
        (["n1", "x2"], None),
        (["person", "friend"], None),
        (["Gene1", "gene1"], None),
    ],
)
def test_names_of_ends(names, ends):
    assert end_columns(names) == ends


def test_names_of_weights():
    for name in WEIGHT_COLUMNS:
        assert weight_columns(["x", name.upper().replace("_", " ")]) == (1,)
    assert weight_columns(["weight", "score"]) == (0,)
    assert weight_columns(["value", "score"]) == (0, 1)
    assert weight_columns(["distance", "p", "year"]) == ()


@each(
    ("text", "weights"),
    [
        ("gene1,gene2\na,b\nb,c\n", (1, 1)),
        ("Gene A\tGene B\tpvalue\na\tb\t.1\nb\tc\t.2\n", (1, 1)),
        ("protein1 protein2 combined_score\na b 173\nb c 900\n", (173, 900)),
        ("protein1 protein2 fusion combined_score\na b 0 173\nb c 0 900\n", (173, 900)),
        ("von;nach;w\na;b;0,5\nb;c;2\n", (0.5, 2)),
        ("head,tail,count\na,b,2\nb,c,3\n", (2, 3)),
        ("source,target,value\na,b,up\nb,c,down\n", (1, 1)),
        ("source,target,year\na,b,1\nb,c,2\n", (1, 1)),
        ("source,target,score,weight\na,b,1,2\nb,c,2,3\n", (2, 3)),
    ],
)
def test_headers_of_other_programs(tmp_path, text, weights):
    graph = graph_of_text(tmp_path, text, "g.txt")
    assert edges_in(graph) == dict(zip(ABC, weights, strict=True))
    assert graph.text.has_header


@each(
    ("text", "nodes"),
    [
        ("gene1,gene2\ngene3,gene4\n", ["gene1", "gene2", "gene3", "gene4"]),
        ("gene1,gene2\ngene2,x\n", ["gene1", "gene2", "x"]),
        ("node1 node2\nnode3 x\n", ["node1", "node2", "node3", "x"]),
    ],
)
def test_numbered_nodes_are_no_header(tmp_path, text, nodes):
    assert graph_of_text(tmp_path, text, "g.txt").nodes.tolist() == nodes


BIOGRID = "id,x,from gene,to gene,year,r\n7,q,a,b,1999,0.5\n8,q,b,c,1998,2\n"


@each(
    ("text", "options", "weights"),
    [
        (BIOGRID, {"source": "from gene", "target": "to gene", "weight": "r"}, (0.5, 2)),
        (BIOGRID, {"source": 3, "target": 4, "weight": 6}, (0.5, 2)),
        (BIOGRID, {"weight": "year"}, (1999, 1998)),
        (BIOGRID.partition("\n")[2], {"source": 3, "target": 4, "weight": 5}, (1999, 1998)),
        (BIOGRID.partition("\n")[2], {"source": 4, "target": 3}, (1, 1)),
        ("a,0.5,b\nb,2,c\n", {"weight": 2}, (0.5, 2)),
        ("a pp b\nb pp c\n", {"source": 1, "target": 3}, (1, 1)),
        ("person,friend\na,b\nb,c\n", {"source": "person", "target": "friend"}, (1, 1)),
        ("person,friend\na,b\nb,c\n", {"header": True}, (1, 1)),
        ("person,friend,since\na,b,3\nb,c,5\n", {"weight": "since"}, (3, 5)),
        ("source,target,weight\na,b,3\nb,c,5\n", {"source": 1, "target": 2}, (3, 5)),
        ("1,2,3,0.5\n2,3,1,7\n", {"source": 1, "target": 2, "weight": 4}, (0.5, 7)),
    ],
)
def test_columns_that_are_chosen(tmp_path, text, options, weights):
    graph = graph_of_text(tmp_path, text, "g.txt", **options)
    assert list(edges_in(graph).values()) == list(weights)


# --- what could be lost without a word -------------------------------------------------------


def test_comments_are_no_edges_unless_quoted(tmp_path):
    text = "# who,whom\nsource,target\n#a,b\nb,c\n# a remark\n%x,c\n"
    graph = graph_of_text(tmp_path, text)
    assert edges_in(graph) == {("b", "c"): 1.0}
    quoted = graph_of_text(tmp_path, 'source,target\n"#a",b\nb,c\n')
    assert edges_in(quoted) == {("#a", "b"): 1.0, ("b", "c"): 1.0}


def test_unsigned_ids_beyond_64_bits_stay_what_they_are():
    large = 2**63 + 5
    frame = pd.DataFrame({"source": np.array([large, 1], np.uint64), "target": [1, 2]})
    assert Graph.from_edges(frame).nodes.tolist() == [1, 2, large]


def test_columns_without_a_name_of_their_own_go_by_their_number(tmp_path):
    twice = graph_of_text(tmp_path, "source,target,weight,weight\na,b,1,2\nb,c,3,4\n")
    assert twice.text.columns == ("source", "target", "3")


def test_a_wide_header_takes_time_in_proportion_to_its_length():
    begun = time.process_time()
    assert end_columns([f"from{i}" for i in range(20_000)]) is None
    assert time.process_time() - begun < 1.0


# --- nodes that look like names of columns, and names behind a number sign -------------------


@each(
    ("text", "options", "weights"),
    [
        ("CDK1,CDK2\nTNF,IL6\nIL6,TP53\n", {}, (1, 1, 1)),
        ("Abl A,Abl B\nTNF,IL6\n", {}, (1, 1)),
        ("1.1,1.2\na,b\nb,c\n", {}, (1, 1, 1)),
        ("gene1,gene2\ngene1,TP53\n", {}, (1, 1)),
        ("id1,id2\nTP53,id2\n", {}, (1, 1)),
        ("a,b,9.1,9.2,0.5\nc,b,9.3,9.4,2\n", {"source": 1, "target": 2, "weight": 5}, (0.5, 2)),
        ("gene1,gene2,x,0.5\na,b,y,2\n", {"source": 1, "target": 2, "weight": 4}, (2, 0.5)),
        ("CDK1 pp CDK2\nTNF pp IL6\n", {"format": "sif"}, (1, 1)),
    ],
)
def test_a_first_edge_is_an_edge(tmp_path, text, options, weights):
    graph = graph_of_text(tmp_path, text, "g.txt", **options)
    assert list(edges_in(graph).values()) == list(weights)


def test_any_pair_of_names_above_numbers_is_one_of_ends(tmp_path):
    graph = graph_of_text(tmp_path, "Kin1,Kin2,type,score\na,b,pp,0.5\nb,c,pp,2\n")
    assert edges_in(graph) == {("a", "b"): 0.5, ("b", "c"): 2}
    named = graph_of_text(
        tmp_path, "bait,prey,n,p\na,b,3,.5\nb,c,3,2\n", source=1, target=2, weight=4
    )
    assert edges_in(named) == {("a", "b"): 0.5, ("b", "c"): 2}


STRING = (
    "#node1\tnode2\tnode1_string_id\tnode2_string_id\tcombined_score\n"
    "ARF5\tRAB1\t9606.1\t9606.2\t0.5\nRAB1\tTP53\t9606.2\t9606.3\t0.9\n"
)


@each(
    "options",
    [
        {},
        {"weight": "combined_score"},
        {"source": "node1", "target": "node2"},
        {"source": 1, "target": 2, "weight": 5},
    ],
)
def test_names_of_columns_in_a_comment(tmp_path, options):
    graph = graph_of_text(tmp_path, STRING, "string.tsv", **options)
    assert edges_in(graph) == {("ARF5", "RAB1"): 0.5, ("RAB1", "TP53"): 0.9}


def test_a_comment_that_names_no_columns_stays_one(tmp_path):
    graph = graph_of_text(tmp_path, "# weight of edges\na b 3\nb c 2\n", "g.txt")
    assert edges_in(graph) == {("a", "b"): 3, ("b", "c"): 2}


def test_several_pairs_of_ends_are_to_be_chosen_from(tmp_path):
    text = (
        "#BioGRID Interaction ID\tGene Interactor A\tGene Interactor B\tSymbol A\tSymbol B\n"
        "103\t6416\t2318\ta\tb\n117\t84665\t88\tb\tc\n"
    )
    with pytest.raises(DataError, match="several pairs"):
        graph_of_text(tmp_path, text, "g.tsv")
    assert (
        edges_in(graph_of_text(tmp_path, text, "g.tsv", source="Symbol A", target="Symbol B"))
        == ABC
    )
