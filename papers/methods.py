"""The methods that the papers compare, as their experiments ran them.

Each gives labels. Chance comes from the generator alone, and one thread does the work.
"""
