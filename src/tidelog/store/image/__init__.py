"""The image of a state: captured, compared and restored, on any number of partitions."""
