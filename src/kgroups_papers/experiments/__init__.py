"""One module a subject: how samples are drawn, what is run on them, what is drawn of it."""
