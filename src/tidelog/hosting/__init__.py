"""Where an engine's partitions live: in this process, or resident on Spark, each with its piece of the state folder."""
