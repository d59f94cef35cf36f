"""Compiled inner loops: flat functions on arrays, no policy, no allocation of n numbers."""
