"""One stage of resident tasks, served by Arrow Flight.

Law: nothing here knows Datalog. A resident is made by a factory in each of the P tasks, is called by the driver, and
exchanges rows with the others directly.
"""
