(** What the theorems rest on: each line of output must say that it is closed under the global context. *)

From Tidelog Require Import Datalog Certificate Checker Existence Commands Delta Theorem14 Ranked Epoch Progress Regular
  Maintain.

Print Assumptions derivable_least_model.
Print Assumptions derivable_stage.
Print Assumptions certified_derivable.
Print Assumptions certified_least_model.
Print Assumptions violates_uncertified.
Print Assumptions check_none.
Print Assumptions check_certified.
Print Assumptions check_least_model.
Print Assumptions check_violation.
Print Assumptions certificate_exists.
Print Assumptions swap.
Print Assumptions step_unique.
Print Assumptions diamond.
Print Assumptions iteration_any_order.
Print Assumptions insertions_first.
Print Assumptions ranked_least_model.
Print Assumptions ranked_datalog.
Print Assumptions step_exact.
Print Assumptions epoch_keeps_invariants.
Print Assumptions epoch_least_model.
Print Assumptions revived_low.
Print Assumptions first_low.
Print Assumptions new_rank_above.
Print Assumptions revived_rank_above.
Print Assumptions delta_matching.
Print Assumptions forward_exact.
Print Assumptions forward_least_model.
Print Assumptions closures_exact.
Print Assumptions maintain_exact.
Print Assumptions maintain_keeps_support.
Print Assumptions maintain_least_model.
Print Assumptions compute_maintained.
Print Assumptions maintain_whole_support.
Print Assumptions delta_insertion.
Print Assumptions delta_deletion.
Print Assumptions delta_rules_any_order.
Print Assumptions retract_shrinks.
Print Assumptions enter_shrinks.
Print Assumptions epoch_exists.
Print Assumptions delta_batch.
Print Assumptions iteration_balance.
Print Assumptions execution_scratch.
Print Assumptions theorem_14.
