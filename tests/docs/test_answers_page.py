"""The examples of the page on what clusters are, and what it says of time."""

import doctest

from pages import blocks, page


def test_the_examples():
    text = page("answers")
    code = "\n".join(blocks(text, "python"))
    example = doctest.DocTestParser().get_doctest(code, {}, "answers", None, 0)
    assert len(example.examples) > 12
    assert doctest.DocTestRunner().run(example).failed == 0
