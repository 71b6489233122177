"""A result as one HTML file that anybody can open: no network, light and dark, on paper and on a telephone.

`report_html` puts a report together from the result's dictionary, its document, its charts and, where there are scores,
what every threshold would do. Everything that came from outside is escaped, and no script runs that is not our own.
"""

from __future__ import annotations

from heldout.report.html_report.html_file import report_html
from heldout.report.html_report.sections import Contents

__all__ = ["Contents", "report_html"]
