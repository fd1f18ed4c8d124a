(** The forward engine of Regular Datalog as OCaml. As for the checker, only booleans, options, pairs, lists and the
    unit are mapped to OCaml's own types. *)

From Coq Require Import Extraction ExtrOcamlBasic.
From Tidelog Require Import Datalog Regular Forward.

Extraction Language OCaml.
Extraction "forward.ml" session is_program empty_table rows_of fact_at.
