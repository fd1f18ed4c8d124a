"""The answers of the programs in ``programs/``, each found without Datalog: searches, loops and sets in Python.

Every function takes the asserted facts (relation to set of rows) and whether the changes of the program's script have
been applied (some scripts change rules too), and gives the relations that the program puts out.
"""

from .analysis import class_hierarchy, dataflow, pointer_analyses, points_to
from .business import attendance, company_control, mlm_bonus
from .games import exceptions, win_move
from .graphs import bipartite, components, reachability, same_generation, shortest, simple_paths, triangles
from .java import java
from .paths import family, metro, packages, potential_friends
from .planning import bill_of_materials, dependencies, rdfs, roles, schedule
from .structures import planner, type_checker, unification
from .texts import grammar, log_report, primes

ANSWERS = {
    f"{area}/{answer.__name__}": answer
    for area, answers in {
        "access": [exceptions, roles],
        "analysis": [class_hierarchy, dataflow, java, pointer_analyses, points_to, type_checker, unification],
        "build": [dependencies, planner],
        "business": [attendance, company_control, mlm_bonus],
        "games": [win_move],
        "graphs": [bipartite, components, reachability, same_generation, triangles],
        "numbers": [primes],
        "parts": [bill_of_materials],
        "paths": [family, metro, packages, potential_friends],
        "planning": [schedule],
        "rdfs": [rdfs],
        "routes": [shortest, simple_paths],
        "text": [grammar, log_report],
    }.items()
    for answer in answers
}
