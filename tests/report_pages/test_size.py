"""Pages of many clusters and of many columns: all of it fits, or the page says what is left out."""

from page_cases import groups, parsed, report_of


def test_300_clusters():
    html = report_of(groups(900, 300, apart=20.0), 300).to_html()
    assert len(html.encode()) < 2_000_000
    assert "examined for at most 60 clusters; here are 300" in html
    assert "And 290 clusters more, see below." in html
    parsed(html)


def test_5000_columns():
    html = report_of(groups(24, 2, columns=5_000, apart=1.0), 2).to_html()
    assert "The 24 of 5,000 columns that tell the clusters apart best." in html
    assert len(html.encode()) < 2_000_000
