(** The checker as OCaml. Only booleans, options, pairs, lists and the unit are mapped to OCaml's own types; numbers
    stay the inductive types of the proofs, so no arithmetic is taken on trust. *)

From Coq Require Import Extraction ExtrOcamlBasic.
From Tidelog Require Import Datalog Certificate Checker.

Extraction Language OCaml.
Extraction "checker.ml" check number_of.
