"""One stage of resident tasks, served by Arrow Flight.

Law: nothing here depends on Datalog. A factory creates a resident in each of the P tasks; the driver calls it, and it
exchanges rows with the others directly.
"""
