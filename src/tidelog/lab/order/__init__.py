"""Does order matter: one program over the same changes, in other batches, on other partitions, by other messages.

Law: the facts after all changes do not depend on how they came, for every program whose functions are functions and
that makes no choice. What may break that is told before anything runs (`suspects`); what does is found by running
(`ways`, `compare`), made small (`shrink`) and shown as two runs side by side (`picture`).
"""

from tidelog.lab.order.check import OrderReport, check_order
from tidelog.lab.order.suspects import Suspect, suspects

__all__ = ["OrderReport", "Suspect", "check_order", "suspects"]
