"""What clusters are: rows that stand for them, what sets them apart, how sure each label is."""
