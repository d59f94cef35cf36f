"""How far from the optimum a clustering can be."""
