(** Positive Datalog and its meaning.

    A program is a list of rules; base facts are a list of facts. The meaning is the least model. It is given three
    times: as the intersection of all models, as what has a derivation, and as what some finite stage of the
    immediate consequences holds. The three agree ([derivable_least_model], [derivable_stage]).

    Predicates, variables, constants and labels are positive numbers. There are no comparisons, functions, negations
    or aggregates here. *)

From Coq Require Import PArith List Arith.
Import ListNotations.

Inductive term := Var (x : positive) | Cst (c : positive).

Record atom := Atom { predicate : positive; arguments : list term }.

Record fact := Fact { relation : positive; row : list positive }.

Record rule := Rule { label : positive; head : atom; body : list atom }.

Definition valuation := positive -> positive.

Definition value (v : valuation) (t : term) : positive :=
  match t with Var x => v x | Cst c => c end.

Definition ground (v : valuation) (a : atom) : fact :=
  Fact (predicate a) (map (value v) (arguments a)).

(** Every variable of the head occurs in the body. *)
Definition safe (r : rule) : Prop :=
  forall x, In (Var x) (arguments (head r)) -> exists a, In a (body r) /\ In (Var x) (arguments a).

Section Semantics.

Variable program : list rule.
Variable base : list fact.

(** The immediate consequences of a set of facts. *)
Definition consequence (I : fact -> Prop) (f : fact) : Prop :=
  In f base \/
  exists r v, In r program /\ (forall a, In a (body r) -> I (ground v a)) /\ ground v (head r) = f.

Definition model (I : fact -> Prop) : Prop := forall f, consequence I f -> I f.

Definition least_model (f : fact) : Prop := forall I, model I -> I f.

Inductive derivable : fact -> Prop :=
| derivable_base : forall f, In f base -> derivable f
| derivable_rule : forall r v,
    In r program -> (forall a, In a (body r) -> derivable (ground v a)) -> derivable (ground v (head r)).

Fixpoint stage (n : nat) : fact -> Prop :=
  match n with
  | 0 => fun _ => False
  | S m => consequence (stage m)
  end.

Lemma derivable_model : model derivable.
Proof.
  intros f [H | (r & v & Hr & Hb & <-)]; [now apply derivable_base | now apply derivable_rule].
Qed.

Theorem derivable_least_model : forall f, derivable f <-> least_model f.
Proof.
  intro f; split.
  - intros D I M. induction D as [f H | r v Hr _ IH]; apply M.
    + now left.
    + right. now exists r, v.
  - intro L. apply L, derivable_model.
Qed.

Lemma consequence_monotone : forall I J : fact -> Prop,
  (forall f, I f -> J f) -> forall f, consequence I f -> consequence J f.
Proof.
  intros I J IJ f [H | (r & v & Hr & Hb & E)]; [now left | right; exists r, v; auto].
Qed.

Lemma stage_step : forall n f, stage n f -> stage (S n) f.
Proof.
  induction n as [| n IH]; intros f H; [destruct H |].
  exact (consequence_monotone _ _ IH f H).
Qed.

Lemma stage_monotone : forall n m f, n <= m -> stage n f -> stage m f.
Proof.
  intros n m f L H. induction L as [| m L IH]; [exact H | apply stage_step, IH].
Qed.

(** Finitely many facts, each of some stage, are of one common stage. *)
Lemma stage_common : forall v atoms,
  (forall a, In a atoms -> exists n, stage n (ground v a)) ->
  exists n, forall a, In a atoms -> stage n (ground v a).
Proof.
  intros v atoms. induction atoms as [| a atoms IH]; intro H.
  - exists 0. intros a [].
  - destruct (H a (or_introl eq_refl)) as [n Hn].
    destruct IH as [m Hm]; [intros b Hb; apply H; now right |].
    exists (max n m). intros b [<- | Hb].
    + eapply stage_monotone; [apply Nat.le_max_l | exact Hn].
    + eapply stage_monotone; [apply Nat.le_max_r | now apply Hm].
Qed.

Theorem derivable_stage : forall f, derivable f <-> exists n, stage n f.
Proof.
  intro f; split.
  - induction 1 as [f H | r v Hr _ IH].
    + exists 1. now left.
    + destruct (stage_common v (body r) IH) as [n Hn].
      exists (S n). right. now exists r, v.
  - intros [n H]. revert f H. induction n as [| n IH]; intros f H; [destruct H |].
    apply derivable_model. exact (consequence_monotone _ _ IH f H).
Qed.

End Semantics.
