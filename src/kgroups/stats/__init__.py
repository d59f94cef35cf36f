"""Energy statistics of samples and of labelled points."""
