"""A hunt for wrong results: random problems, hostile files and kills, against plain definitions."""
