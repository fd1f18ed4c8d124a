"""Trials of programs: cases for what rules must derive (`tidelog test`), and whether order matters (`test-order`).

Law: a trial never changes the tested program: every case has a separate engine, in memory. Coverage is
computed by the naive evaluator (`tidelog.testing`) over the facts that the engine shows.
"""
