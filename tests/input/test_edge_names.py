"""Lists of edges of other programs: names of columns, columns that are chosen, and no names."""

import re
import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from kgroups.cli import main
from kgroups.exceptions import DataError, GraphNotice
from kgroups.graphs import Graph, read_graph
from kgroups.input.check_adjacency import check_adjacency
from kgroups.input.graph_files.edge_names import end_columns, weight_columns
from kgroups.names import WEIGHT_COLUMNS

pytestmark = pytest.mark.nojit

ABC = {("a", "b"): 1.0, ("b", "c"): 1.0}


def read(tmp_path, text, name="graph.csv", **options):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_graph(path, **options)


def edges_of(graph):
    entries = sparse.triu(graph.adjacency).tocoo()
    names = graph.nodes.tolist()
    found = zip(entries.row, entries.col, entries.data, strict=True)
    return {(names[i], names[j]): weight for i, j, weight in found}


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("text", "weights", "note"),
    [
        ("gene1,gene2\na,b\nb,c\n", (1, 1), "line 1 is taken as column names: 'gene1', 'gene2'."),
        ("Gene A\tGene B\tpvalue\na\tb\t.1\nb\tc\t.2\n", (1, 1), 'weight="pvalue" reads it as'),
        (
            "protein1 protein2 combined_score\na b 173\nb c 900\n",
            (173, 900),
            "column 'combined_score' is read as the weights.",
        ),
        (
            "protein1 protein2 fusion combined_score\na b 0 173\nb c 0 900\n",
            (173, 900),
            "column was ignored: 'fusion'; the weights are in 'combined_score'.",
        ),
        ("von;nach;w\na;b;0,5\nb;c;2\n", (0.5, 2), "column 'w' has decimal commas."),
        ("head,tail,count\na,b,2\nb,c,3\n", (2, 3), "column 'count' is read as the weights."),
        ("source,target,value\na,b,up\nb,c,down\n", (1, 1), "column was ignored: 'value'"),
        ("source,target,year\na,b,1\nb,c,2\n", (1, 1), 'weight="year" reads it as the weights'),
        ("source,target,score,weight\na,b,1,2\nb,c,2,3\n", (2, 3), "ignored: 'score'; the weights"),
    ],
)
def test_headers_of_other_programs(tmp_path, text, weights, note):
    graph = read(tmp_path, text, "g.txt")
    assert edges_of(graph) == dict(zip(ABC, weights, strict=True))
    assert any(note in said for said in graph.notes)
    assert graph.text.has_header


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("gene1,gene2\ngene3,gene4\n", ["gene1", "gene2", "gene3", "gene4"]),
        ("gene1,gene2\ngene2,x\n", ["gene1", "gene2", "x"]),
        ("node1 node2\nnode3 x\n", ["node1", "node2", "node3", "x"]),
    ],
)
def test_numbered_nodes_are_no_header(tmp_path, text, nodes):
    assert read(tmp_path, text, "g.txt").nodes.tolist() == nodes


def test_names_without_edges_say_how_to_read_an_edge(tmp_path):
    with pytest.raises(DataError, match=r"lists no edges\. If .* is an edge, write header=False\."):
        read(tmp_path, "gene1,gene2\n")
    graph = read(tmp_path, "gene1,gene2\n", header=False)
    assert (edges_of(graph), graph.notes) == ({("gene1", "gene2"): 1}, ())


BIOGRID = "id,x,from gene,to gene,year,r\n7,q,a,b,1999,0.5\n8,q,b,c,1998,2\n"


@pytest.mark.parametrize(
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
    graph = read(tmp_path, text, "g.txt", **options)
    assert list(edges_of(graph).values()) == list(weights)
    told = not all(isinstance(column, int) for column in options.values())
    assert not (told and any("is taken as column names" in note for note in graph.notes))


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a,b,1,2\n", {}, r'line 1 has 4 fields; .* say which .* as in source="1" and target="2"'),
        ("a,b\n", {"source": "x", "target": "b"}, "no column 'x'. The columns are 'a', 'b'; or gi"),
        ("a,b\n", {"weight": "3"}, "without column names, columns are numbered 1 to 2"),
        ("a,b,c\n", {"source": 1, "target": 1}, "three different columns; got columns 1, 1"),
        ("a,b,a\nx,y,z\n", {"source": "a", "target": "b"}, "names 2 columns 'a'; give the number"),
        (
            "source,target,value,score\na,b,1,2\n",
            {},
            r'weights: .value., .score.; write weight="va',
        ),
        (
            "a,b,up\nb,c,down\n",
            {},
            'third column of every line is not a weight, write source="1" and',
        ),
        (
            "source,target,score\na,b,1\nb,c,x\n",
            {},
            "line 3: the weight 'x' is not a finite number",
        ),
    ],
)
def test_columns_that_cannot_be_chosen(tmp_path, text, options, message):
    with pytest.raises(DataError, match=message):
        read(tmp_path, text, **options)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"source": "a"}, ValueError, 'source="a" says where one end .* is; give target, too'),
        ({"target": 2}, ValueError, 'target="2" says .* give source, too'),
        ({"weight": 0}, ValueError, "weight must be an integer >= 1; got 0"),
        ({"weight": ""}, ValueError, "weight must be the name of a column or its number"),
        ({"header": "no"}, TypeError, "header must be True, False or None; got 'no'"),
        ({"weight": 1.5}, ValueError, "weight must be an integer"),
    ],
)
def test_columns_that_are_no_columns(tmp_path, options, kind, message):
    with pytest.raises(kind, match=message):
        read(tmp_path, "a,b\n", **options)
    with pytest.raises(DataError, match=r'is gml and not a list of edges: omit weight="x", '):
        read(tmp_path, "graph [\n]\n", "g.gml", weight="x")
    message = r'omit delimiter="\\t" and skip_lines=\[1, 2\], because only lists'
    with pytest.raises(DataError, match=message):
        read(tmp_path, "graph [\n]\n", "g.gml", delimiter="\t", skip_lines=[2, 1])


def test_the_command_says_which_options_to_omit(tmp_path, capsys):
    path = tmp_path / "g.gml"
    path.write_text("graph [\n]\n")
    assert main(["communities", str(path), "--weight-column", "x", "--no-header"]) == 1
    assert "omit --weight-column x and --no-header, because only lists" in capsys.readouterr().err
    assert main(["communities", str(path), "--delimiter", "tab", "--skip-lines", "1-3"]) == 1
    assert "omit --delimiter tab and --skip-lines 1-3, because" in capsys.readouterr().err


def test_other_compressed_files_are_to_be_unpacked(tmp_path, capsys):
    path = tmp_path / "g.csv.xz"
    path.write_bytes(b"\xfd7zXZ\x00")
    assert main(["communities", str(path)]) == 1
    said = "g.csv.xz is not text, but xz; unpack it, or compress it as .gz, .bz2, .zst."
    assert said in capsys.readouterr().err
    with pytest.raises(DataError, match=r"g.csv.xz is not text, but xz; unpack it"):
        read_graph(path, format="edgelist")


def test_columns_of_frames():
    frame = pd.DataFrame({"gene1": ["a", "b"], "gene2": ["b", "c"], "score": [2, 3.5]})
    assert edges_of(Graph.from_edges(frame)) == {("a", "b"): 2, ("b", "c"): 3.5}
    assert edges_of(Graph.from_edges(pl.DataFrame(frame.to_dict("list")))) == {
        ("a", "b"): 2, ("b", "c"): 3.5,
    }  # fmt: skip
    with pytest.warns(GraphNotice, match="column 'p' is read as the weights"):
        Graph.from_edges(frame.rename(columns={"score": "p", "gene1": "x"}))
    with pytest.raises(ValueError, match="may hold the weights: 'score', 'value'; call the one"):
        Graph.from_edges(frame.assign(value=1))
    with pytest.warns(GraphNotice, match="column was ignored: 'score'; if one holds the weights"):
        Graph.from_edges(frame.assign(score=["up", "down"]))


def test_options_of_the_command(folder, capsys):
    (folder / "g.csv").write_text(BIOGRID.replace("from gene,to gene", "first one,other"))
    assert main(["communities", "g.csv"]) == 1
    assert "as in --source id and --target x, and the weight, as in" in capsys.readouterr().err
    options = ["--source", "first one", "--target", "other", "--weight-column", "year"]
    assert main(["communities", "g.csv", *options, "-k", "1", "-o", "c.csv", "--json"]) == 0
    out = capsys.readouterr().out
    assert re.search(r'"source": "first one",\s+"target": "other",\s+"weight": "year"', out)
    assert (folder / "c.csv").read_text() == "node,community\na,0\nb,0\nc,0\n"
    (folder / "h.csv").write_text("person,friend\nx,y\n")
    assert main(["communities", "h.csv", "-k", "1"]) == 0
    assert "write --source person and --target friend." in capsys.readouterr().err
    assert main(["communities", "h.csv", "-k", "1", "--no-header", "--json"]) == 0
    assert '"has_header": false' in capsys.readouterr().out
    assert main(["communities", "h.csv", "--source", "1"]) == 2
    assert "--source and --target belong together" in capsys.readouterr().err
    assert main(["communities", "h.csv", "--weight-column", "0"]) == 2
    assert "must be the name of a column or its number from 1; got '0'" in capsys.readouterr().err


# --- what could be lost without a word -------------------------------------------------------


def test_comments_that_may_be_edges_of_tags_are_counted(tmp_path):
    text = "# who,whom\nsource,target\n#a,b\nb,c\n# a remark\n%x,c\n"
    graph = read(tmp_path, text)
    assert edges_of(graph) == {("b", "c"): 1.0}
    assert graph.notes[-1] == (
        "2 lines begin with # or % and may be an edge, such as line 3, but are left out as "
        "comments; if they are edges, put their first ids in double quotes."
    )
    quoted = read(tmp_path, 'source,target\n"#a",b\nb,c\n')
    assert edges_of(quoted) == {("#a", "b"): 1.0, ("b", "c"): 1.0}
    assert not any("comment" in note for note in quoted.notes)
    snap = read(tmp_path, "# FromNodeId\tToNodeId\na\tb\n", "snap.txt")
    assert snap.notes == ()


def test_a_list_of_comments_alone_says_so(tmp_path):
    with pytest.raises(DataError, match=r"is empty but for lines that begin with # or %, which"):
        read(tmp_path, "#a,#b\n#b,#c\n")
    with pytest.raises(DataError, match="is empty: it lists no edges"):
        read(tmp_path, "\n\n")


@pytest.mark.parametrize(
    ("text", "name", "pair"),
    [
        ("source,target\n1,2.0\n2,3.0\n3,1.0\n", "g.csv", "'1' and '1.0'"),
        ("a,07\n7,b\n", "g.csv", "'07' and '7'"),
        ("07 pp 7\n", "g.sif", "'07' and '7'"),
    ],
)
def test_ids_that_are_the_same_number_are_noted(tmp_path, text, name, pair):
    assert any(note.startswith(f"{pair} are the same number") for note in
               read(tmp_path, text, name).notes)  # fmt: skip


def test_ids_in_memory_that_are_the_same_number_are_noted():
    with pytest.warns(GraphNotice, match="2 and '2' are the same number, and different nodes"):
        assert Graph.from_edges([(1, "2"), (2, "3")]).n_nodes == 4


def test_unsigned_ids_beyond_64_bits_stay_what_they_are():
    large = 2**63 + 5
    frame = pd.DataFrame({"source": np.array([large, 1], np.uint64), "target": [1, 2]})
    assert Graph.from_edges(frame).nodes.tolist() == [1, 2, large]


def test_columns_without_a_name_of_their_own_go_by_their_number(tmp_path):
    graph = read(tmp_path, ",source,target\n0,a,b\n1,b,c\n")
    assert graph.notes[-1] == "column was ignored: '1'; weight=\"1\" reads it as the weights."
    twice = read(tmp_path, "source,target,weight,weight\na,b,1,2\nb,c,3,4\n")
    assert twice.notes[-1] == "column was ignored: '4'; the weights are in '3'."
    assert twice.text.columns == ("source", "target", "3")


def test_a_wide_header_takes_time_in_proportion_to_its_length():
    begun = time.process_time()
    assert end_columns([f"from{i}" for i in range(20_000)]) is None
    assert time.process_time() - begun < 1.0


def test_a_frame_with_names_that_repeat_is_refused():
    frame = pd.DataFrame(np.eye(3), index=["a", "a", "b"], columns=["a", "a", "b"])
    with pytest.raises(ValueError, match="A has several rows and columns named 'a'"):
        check_adjacency(frame)


def test_advice_on_many_columns_is_in_sentences(tmp_path):
    for text in ("1,2,3,4\n2,3,4,5\n", "a b c d\n", "a,b,c,d\n"):
        with pytest.raises(DataError, match=r"perhaps weight\. .*For more columns") as caught:
            read(tmp_path, text)
        assert not re.search(r"\.[A-Z]|\.  ", str(caught.value).rpartition("line 1")[2])


# --- nodes that look like names of columns, and names behind a number sign -------------------


@pytest.mark.parametrize(
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
    graph = read(tmp_path, text, "g.txt", **options)
    assert list(edges_of(graph).values()) == list(weights)
    assert not any("taken as column names" in note for note in graph.notes)


@pytest.mark.parametrize(
    "text",
    ["ENSG1,ENSG2,x,0.9\na,b,y,0.5\n", "gene1,gene2,x,0.9\na,b,y,0.5\n", "a,b,9.1,9.2\nb,c,9,9\n"],
)
def test_a_number_above_numbers_is_in_no_line_of_names(tmp_path, text):
    with pytest.raises(DataError, match=r'line 1 has 4 fields; .* as in source="1" and target="2"'):
        read(tmp_path, text)


def test_any_pair_of_names_above_numbers_is_one_of_ends(tmp_path):
    graph = read(tmp_path, "Kin1,Kin2,type,score\na,b,pp,0.5\nb,c,pp,2\n")
    assert edges_of(graph) == {("a", "b"): 0.5, ("b", "c"): 2}
    named = read(tmp_path, "bait,prey,n,p\na,b,3,.5\nb,c,3,2\n", source=1, target=2, weight=4)
    assert edges_of(named) == {("a", "b"): 0.5, ("b", "c"): 2}


STRING = (
    "#node1\tnode2\tnode1_string_id\tnode2_string_id\tcombined_score\n"
    "ARF5\tRAB1\t9606.1\t9606.2\t0.5\nRAB1\tTP53\t9606.2\t9606.3\t0.9\n"
)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weight": "combined_score"},
        {"source": "node1", "target": "node2"},
        {"source": 1, "target": 2, "weight": 5},
    ],
)
def test_names_of_columns_in_a_comment(tmp_path, options):
    graph = read(tmp_path, STRING, "string.tsv", **options)
    assert edges_of(graph) == {("ARF5", "RAB1"): 0.5, ("RAB1", "TP53"): 0.9}
    assert graph.notes == (
        "column 'combined_score' is read as the weights.",
        "columns were ignored: 'node1_string_id', 'node2_string_id'; the weights are in "
        "'combined_score'.",
    )


def test_a_comment_that_names_no_columns_stays_one(tmp_path):
    graph = read(tmp_path, "# weight of edges\na b 3\nb c 2\n", "g.txt")
    assert edges_of(graph) == {("a", "b"): 3, ("b", "c"): 2}


def test_several_pairs_of_ends_are_to_be_chosen_from(tmp_path):
    text = (
        "#BioGRID Interaction ID\tGene Interactor A\tGene Interactor B\tSymbol A\tSymbol B\n"
        "103\t6416\t2318\ta\tb\n117\t84665\t88\tb\tc\n"
    )
    with pytest.raises(DataError, match=r"line 1 names several pairs .* 'Symbol A', 'Symbol B'; c"):
        read(tmp_path, text, "g.tsv")
    assert edges_of(read(tmp_path, text, "g.tsv", source="Symbol A", target="Symbol B")) == ABC
