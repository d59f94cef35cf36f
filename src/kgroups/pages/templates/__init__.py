"""Templates, styles and script of a page."""
