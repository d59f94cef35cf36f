"""Communities whose number is not given: the search for them, and the evidence for what it finds."""
