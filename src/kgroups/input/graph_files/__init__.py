"""Networks in files, and what is read from them."""
