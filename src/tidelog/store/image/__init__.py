"""The image of a state: what is captured, compared, and restored, on any number of partitions."""
