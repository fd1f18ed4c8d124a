"""Trials of programs: cases that say what rules must do (`tidelog test`), and whether order matters (`test-order`).

Law: a trial never changes what it tries: every case has a separate engine, in memory. Coverage is
computed by the naive evaluator (`tidelog.testing`) over the facts that the engine shows.
"""
