"""Docstrings as documents: which are taken, and what is compared on them."""

import numpy as np
import pytest

from benchmarks import text
from benchmarks.text import COMPARED, CORPORA, documents

PACKAGES = ("scipy.fft", "scipy.cluster")


@pytest.fixture(scope="module")
def corpus():
    return documents(PACKAGES)


def test_a_corpus_has_long_texts_once_each_by_package(corpus):
    texts, packages = corpus
    assert len(set(texts)) == len(texts) == len(packages) > 40
    assert min(len(each) for each in texts) >= 200
    assert sorted(set(packages)) == sorted(PACKAGES)
    assert packages == sorted(packages, key=PACKAGES.index)
    transforms = [i for i, each in enumerate(texts) if each.startswith("Compute the 1-D discrete")]
    assert {packages[i] for i in transforms} == {"scipy.fft"}
    assert documents(PACKAGES) == corpus


def test_what_a_package_only_imports_is_not_its_own(corpus):
    texts, _ = corpus
    assert not any(np.ndarray.__doc__[:60] in each for each in texts)


@pytest.mark.parametrize("name", COMPARED)
def test_what_is_compared(name, corpus, monkeypatch):
    monkeypatch.setattr(text, "N_SEEDS", 1)
    texts, packages = corpus
    some = texts[:60] + texts[-60:], packages[:60] + packages[-60:]
    index, seconds = text.agreement(COMPARED[name], *some)
    assert -0.5 <= index <= 1
    assert seconds > 0


def test_corpora_have_as_many_classes_as_clusters():
    assert {len(packages) for packages in CORPORA.values()} == {4}


@pytest.mark.parametrize(("ours", "status"), [(0.5, 0), (0.2, 1)])
def test_the_status_says_whether_a_corpus_was_missed(ours, status, monkeypatch, capsys):
    known = {text.ours: ours, text.kmeans: 0.1, text.reduced_kmeans: 0.4}
    monkeypatch.setattr(text, "documents", lambda packages: (["a text"], [packages[0]]))
    monkeypatch.setattr(text, "agreement", lambda make, *_: (known[make], 1.0))
    assert text.main() == status
    assert capsys.readouterr().out.count("ARI 0.400") == len(CORPORA)
