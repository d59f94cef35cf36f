"""Communities whose number is not given: how they are searched, and the evidence for them."""
