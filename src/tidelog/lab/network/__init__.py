"""A network in virtual time: programs of P2 and RapidNet as they were written, with timers, events and soft state.

Law: a run is a function of programs, facts, script, seed and the settings of the network (`docs/design/events.md`). The
clock is a number in the state and never the wall clock. Nothing here is used by the engine.
"""
