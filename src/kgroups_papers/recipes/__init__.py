"""What experiments are made of: samples, tables as they are clustered, methods, and chance."""
