"""The template with its styles and its script: what it lays out, and that it escapes."""

import re
from importlib import resources

from helpers import each
from kgroups.pages.parts import (
    Bullets,
    Cell,
    Command,
    Details,
    Grid,
    Heading,
    Pairs,
    Paragraph,
    Picture,
    Section,
)
from kgroups.pages.report_page import ReportPage
from page_cases import headings, parsed, texts


def page_with(*parts):
    section = Section(key="one", heading="One", sentence="A sentence.", parts=parts)
    verdict = Section(key="verdict", heading="In short", sentence="The answer.")
    return ReportPage(title="Title", verdict=verdict, sections=[section]).to_html()


def body(html):
    """What the section holds."""
    return html.split('<p class="lead">A sentence.</p>')[1].split("</section>")[0].strip()


def test_a_page_without_parts():
    html = page_with()
    assert headings(html) == ["In short", "One"]
    assert body(html) == ""
    assert "label-data" not in html.split("<script>")[0]
    assert '<li><a href="#one">One</a></li>' in html
    assert html.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert html.endswith("</html>\n")


@each(
    ("part", "expected"),
    [
        (Paragraph("a & b"), "<p>a &amp; b</p>"),
        (Heading("h"), "<h3>h</h3>"),
        (Bullets(["a", "<b>"]), "<ul><li>a</li><li>&lt;b&gt;</li></ul>"),
        (Pairs([("n", "v")]), "<dl><div><dt>n</dt><dd>v</dd></div></dl>"),
        (Command("x > y"), '<pre tabindex="0"><code>x &gt; y</code></pre>'),
        (
            Picture(svg="<svg></svg>", caption="c <"),
            "<figure><svg></svg><figcaption>c &lt;</figcaption></figure>",
        ),
    ],
)
def test_parts(part, expected):
    html = page_with(part)
    assert body(html) == expected
    parsed(html)


def test_details_hold_parts():
    found = body(page_with(Details(summary="more", parts=[Paragraph("p"), Heading("h")])))
    assert re.sub(r"\s*\n\s*", "", found) == (
        "<details><summary>more</summary><p>p</p><h3>h</h3></details>"
    )


def test_cells_of_a_table():
    grid = Grid(
        caption="c",
        head=["a", "b", "words"],
        rows=[[Cell(text="1", color="#123456"), Cell(text="2", share=0.256), "text"]],
        words=[2],
    )
    html = page_with(grid)
    assert '<span class="swatch" style="background:#123456"></span>1' in html
    assert '<span class="bar"><span style="width:25.6%"></span></span>' in html
    assert '<td class="words">text</td>' in html
    assert '<th scope="col" class="words">words</th>' in html
    assert 'role="region" tabindex="0" aria-label="c"' in html
    tree = parsed(html)
    assert texts(tree, "td") == ["2", "text"]
    assert texts(tree, "th") == ["a", "b", "words", "1"]


def test_a_bar_in_the_color_of_its_cluster():
    html = page_with(Grid(caption="c", head=["a"], rows=[["x"], [Cell(text="y", color="#abcdef",
                                                                     share=1.0)]]))  # fmt: skip
    assert '<span style="width:100.0%;background:#abcdef"></span>' in html
    assert "swatch" not in html.split("</style>")[1]


def test_the_files_of_the_page_name_no_address_and_are_small():
    folder = resources.files("kgroups.pages.templates")
    sizes = {}
    for name in ("page.html.j2", "page.css", "page.js"):
        text = folder.joinpath(name).read_text(encoding="utf-8")
        assert not re.search(r"https?:|//[a-z]|@import|url\(", text.replace("http-equiv", ""))
        sizes[name] = len(text)
    assert sizes["page.js"] < 40_000
    assert sum(sizes.values()) < 20_000
