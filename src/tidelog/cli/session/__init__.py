"""Running a program from its inputs to its outputs, with a change script."""
