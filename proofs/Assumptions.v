(** What the theorems rest on: each line of output must say that it is closed under the global context. *)

From Tidelog Require Import Datalog Certificate Checker Existence.

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
