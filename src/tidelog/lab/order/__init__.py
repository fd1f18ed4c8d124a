"""Does order matter: one program and the same changes, with different batches, partitions and messages.

Law: the facts after all changes do not depend on how they arrived, for every program whose functions are pure and that
makes no choice. What may violate this is reported before anything runs (`suspects`); what does is found by running
(`ways`, `compare`), reduced (`shrink`) and shown as two runs side by side (`picture`).
"""

from tidelog.lab.order.check import OrderReport, check_order
from tidelog.lab.order.suspects import Suspect, suspects

__all__ = ["OrderReport", "Suspect", "check_order", "suspects"]
