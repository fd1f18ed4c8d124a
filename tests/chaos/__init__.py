"""Random misfortune against an engine with a state folder, beside a twin that nothing happens to."""
