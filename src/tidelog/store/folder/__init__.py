"""The state folder as a whole: recovery, history, scrubbing, durable commits."""
