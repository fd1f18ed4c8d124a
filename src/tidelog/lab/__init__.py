"""The lab: the systems of the papers, made executable.

`semantics` holds the transition systems of Network Datalog, `dbsp` the circuits of streams, `simulate` the simulator of
networks, `order` the search for programs whose result depends on order. The engine never imports the lab; it joins the
command line through the entry point `tidelog.extensions` (`extension`).
"""
