(** Delta rules find every derivation exactly once, and do not look at the order of tables.

    Rules are ground, tables are finite multisets. The delta rule at position i reads the table with ν before i, the
    update at i, and the table without ν after i. A rule has as many derivations as there are ways to choose a copy of
    each body item; [delta_insertion] and [delta_deletion]: what the delta rules of one update find is the difference,
    also when one item stands in a body several times. [delta_rules_any_order] puts these rules into Commands.v. *)

From Coq Require Import List Arith Lia Permutation.
From Tidelog Require Import Commands.
Import ListNotations.

Record ground_rule (item : Type) := Rule { rule_head : item; rule_body : list item }.
Arguments Rule {item}.
Arguments rule_head {item}.
Arguments rule_body {item}.

Section Delta.

Variable item : Type.
Variable item_dec : forall x y : item, {x = y} + {x <> y}.

Notation copies := (count_occ item_dec).

(** How many derivations a body has over a table. *)
Fixpoint derivations (table : list item) (body : list item) : nat :=
  match body with
  | [] => 1
  | b :: rest => copies table b * derivations table rest
  end.

(** How many matches the delta rules of one body have, all positions together. *)
Fixpoint matches (old new : list item) (x : item) (body : list item) : nat :=
  match body with
  | [] => 0
  | b :: rest => (if item_dec b x then derivations old rest else 0) + copies new b * matches old new x rest
  end.

Theorem delta_insertion : forall old x body,
  derivations (x :: old) body = derivations old body + matches old (x :: old) x body.
Proof.
  intros old x body. induction body as [| b rest IH]; [reflexivity |]. simpl in *. rewrite IH.
  destruct (item_dec x b), (item_dec b x); try congruence; lia.
Qed.

Theorem delta_deletion : forall new x body,
  derivations (x :: new) body = derivations new body + matches (x :: new) new x body.
Proof.
  intros new x body. induction body as [| b rest IH]; [reflexivity |]. simpl in *. rewrite IH.
  destruct (item_dec x b), (item_dec b x); try congruence; lia.
Qed.

(** What an update derives: the heads, as often as their bodies match, with its own sign. *)
Definition derived (rules : list (ground_rule item)) (old new : list item) (u : update item) : list (update item) :=
  flat_map (fun r => repeat (Update (sign_of u) (rule_head r)) (matches old new (item_of u) (rule_body r))) rules.

Lemma derivations_same : forall t t' body, Permutation t t' -> derivations t body = derivations t' body.
Proof.
  intros t t' body P. induction body as [| b rest IH]; simpl; [reflexivity |].
  rewrite IH. f_equal. now apply Permutation_count_occ.
Qed.

Lemma matches_same : forall o o' n n' x body, Permutation o o' -> Permutation n n' ->
  matches o n x body = matches o' n' x body.
Proof.
  intros o o' n n' x body O N. induction body as [| b rest IH]; simpl; [reflexivity |].
  rewrite IH, (derivations_same o o' rest O). f_equal. f_equal. now apply Permutation_count_occ.
Qed.

Theorem delta_rules_any_order : forall rules us vs c c' d d', Permutation us vs -> same item c c' ->
  iteration item (derived rules) us c d -> iteration item (derived rules) vs c' d' -> same item d d'.
Proof.
  intros rules. apply iteration_any_order. intros o o' n n' u O N. unfold derived.
  induction rules as [| r rules IH]; simpl; [constructor |].
  rewrite (matches_same o o' n n' _ _ O N). now apply Permutation_app_head.
Qed.

End Delta.
