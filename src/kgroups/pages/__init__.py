"""Results as one file of HTML, to be sent to somebody who has no Python."""

from kgroups.pages.report_page import ReportPage

__all__ = ["ReportPage"]
