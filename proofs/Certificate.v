(** When a state is a certificate, and what it certifies.

    A state holds a program, base facts, and the facts that are present, each with a rank; predicates stand in strata.
    A clause is a rule of Datalog.v with conditions: atoms that must be absent, and comparisons of values. What values
    are is left open: equal values are one number, and [place] orders them.

    [certified] says: it is closed under the clauses, holds the base facts, and every fact is a base fact or has a
    support of lower rank; negated atoms are of lower strata. Then the facts present are exactly the perfect model of
    Strata.v ([certified_perfect_model]), of which there is one ([Strata.perfect_unique]); if no clause has conditions,
    they are the least model ([certified_least_model]).

    Nothing here computes; the checker is in Checker.v. That such ranks always exist is shown in Existence.v. *)

From Coq Require Import PArith NArith List Lia.
From Tidelog Require Import Datalog.
From Tidelog Require Strata.
Import ListNotations.

Inductive comparison := Same | Different | Less | AtMost.

Record test := Test { compares : comparison; left : term; right : term }.

Record clause := Clause { core :> rule; negated : list atom; tests : list test }.

(** A fact with its rank. *)
Definition ranked : Type := fact * N.

Record state := State {
  program : list clause;
  base : list fact;
  facts : list ranked;
  stratum : positive -> N;
  place : positive -> N
}.

Definition present (s : state) (f : fact) : Prop := exists n, In (f, n) (facts s).

Definition compared (place : positive -> N) (v : valuation) (t : test) : Prop :=
  let (c, d) := (value v (left t), value v (right t)) in
  match compares t with
  | Same => c = d
  | Different => c <> d
  | Less => (place c < place d)%N
  | AtMost => (place c <= place d)%N
  end.

(** The conditions of a clause: its negated atoms are not among the facts [I], and its comparisons are true. *)
Definition admitted (place : positive -> N) (I : fact -> Prop) (r : clause) (v : valuation) : Prop :=
  (forall a, In a (negated r) -> ~ I (ground v a)) /\ (forall t, In t (tests r) -> compared place v t).

(** In a lower stratum, or in the same one with a lower rank. *)
Definition lower (s : state) (g h : ranked) : Prop :=
  (stratum s (relation (fst g)) < stratum s (relation (fst h)))%N \/
  (stratum s (relation (fst g)) = stratum s (relation (fst h)) /\ (snd g < snd h)%N).

(** One way to derive [h]: a clause whose conditions are met and whose ground body is present, every fact of it lower
    than [h]. *)
Definition support (s : state) (h : ranked) : Prop :=
  exists r v, In r (program s) /\ ground v (head r) = fst h /\ admitted (place s) (present s) r v /\
    forall a, In a (body r) -> exists n, In (ground v a, n) (facts s) /\ lower s (ground v a, n) h.

(** Where variables of a clause have to occur in its body. *)
Definition needs (r : clause) (x : positive) : Prop :=
  (exists a, In a (head r :: negated r) /\ In (Var x) (arguments a)) \/
  (exists t, In t (tests r) /\ (left t = Var x \/ right t = Var x)).

Definition all_bound (r : clause) : Prop :=
  forall x, needs r x -> exists a, In a (body r) /\ In (Var x) (arguments a).

Record certified (s : state) : Prop := Certified {
  all_safe : forall r, In r (program s) -> all_bound r;
  layered : forall r a, In r (program s) -> In a (body r) ->
    (stratum s (predicate a) <= stratum s (predicate (head r)))%N;
  decided_before : forall r a, In r (program s) -> In a (negated r) ->
    (stratum s (predicate a) < stratum s (predicate (head r)))%N;
  one_rank : NoDup (map fst (facts s));
  based : forall f, In f (base s) -> present s f;
  closed : forall r v, In r (program s) -> admitted (place s) (present s) r v ->
    (forall a, In a (body r) -> present s (ground v a)) -> present s (ground v (head r));
  supported : forall h, In h (facts s) -> In (fst h) (base s) \/ support s h
}.

(** * What it means *)

Section Meaning.

Variable program : list clause.
Variable base : list fact.
Variable stratum : positive -> N.
Variable place : positive -> N.

Definition level (f : fact) : nat := N.to_nat (stratum (relation f)).

(** The ground clauses: base facts, and the instances whose comparisons are true. *)
Definition instances (c : Strata.clause fact) : Prop :=
  (exists f, In f base /\ c = Strata.Clause f [] []) \/
  (exists r v, In r program /\ (forall t, In t (tests r) -> compared place v t) /\
    c = Strata.Clause (ground v (head r)) (map (ground v) (body r)) (map (ground v) (negated r))).

Definition founded (I : fact -> Prop) (f : fact) : Prop := Strata.founded fact instances I f.

Lemma founded_base : forall I f, In f base -> founded I f.
Proof.
  intros I f H. apply (Strata.founded_clause fact instances I (Strata.Clause f [] [])); simpl; [left | |].
  - now exists f.
  - intros g [].
  - intros g [].
Qed.

Lemma founded_rule : forall I r v, In r program -> admitted place I r v ->
  (forall a, In a (body r) -> founded I (ground v a)) -> founded I (ground v (head r)).
Proof.
  intros I r v Hr [N T] B.
  apply (Strata.founded_clause fact instances I
    (Strata.Clause (ground v (head r)) (map (ground v) (body r)) (map (ground v) (negated r)))); simpl.
  - right. now exists r, v.
  - intros g G. apply in_map_iff in G. destruct G as (a & <- & Ha). now apply B.
  - intros g G. apply in_map_iff in G. destruct G as (a & <- & Ha). now apply N.
Qed.

Lemma founded_induction : forall (I P : fact -> Prop),
  (forall f, In f base -> P f) ->
  (forall r v, In r program -> admitted place I r v -> (forall a, In a (body r) -> founded I (ground v a)) ->
    (forall a, In a (body r) -> P (ground v a)) -> P (ground v (head r))) ->
  forall f, founded I f -> P f.
Proof.
  intros I P HB HR f F. induction F as [c [(g & G & ->) | (r & v & Hr & T & ->)] F IH N]; simpl in *;
    [now apply HB |].
  apply HR; [exact Hr | | |].
  - split; [| exact T]. intros a Ha. apply N. now apply in_map.
  - intros a Ha. apply F. now apply in_map.
  - intros a Ha. apply IH. now apply in_map.
Qed.

Definition perfect_model (I : fact -> Prop) : Prop := Strata.perfect fact level instances I.

Hypothesis Layered : forall r a, In r program -> In a (body r) ->
  (stratum (predicate a) <= stratum (predicate (head r)))%N.
Hypothesis Decided : forall r a, In r program -> In a (negated r) ->
  (stratum (predicate a) < stratum (predicate (head r)))%N.

Lemma instances_stratified : forall c, instances c -> Strata.stratified fact level c.
Proof.
  intros c [(f & _ & ->) | (r & v & Hr & _ & ->)]; split; simpl; intros g G; try contradiction;
    apply in_map_iff in G; destruct G as (a & <- & Ha); unfold level; simpl;
    [specialize (Layered r a Hr Ha) | specialize (Decided r a Hr Ha)]; lia.
Qed.

Lemma perfect_founded : forall I, perfect_model I <-> forall f, I f <-> founded I f.
Proof.
  exact (Strata.perfect_stable fact level instances instances_stratified).
Qed.

(** There is no other. *)
Theorem perfect_model_unique : forall I J, perfect_model I -> perfect_model J -> forall f, I f <-> J f.
Proof.
  exact (Strata.perfect_unique fact level instances instances_stratified).
Qed.

End Meaning.

(** Closure: nothing derivable is absent. *)
Lemma founded_present : forall s, certified s ->
  forall f, founded (program s) (base s) (place s) (present s) f -> present s f.
Proof.
  intros s C. apply founded_induction.
  - apply (based s C).
  - intros r v Hr A _ H. now apply (closed s C).
Qed.

(** Well-foundedness: nothing present is underivable. By induction on the stratum and, inside it, on the rank. *)
Lemma present_founded : forall s, certified s ->
  forall f, present s f -> founded (program s) (base s) (place s) (present s) f.
Proof.
  intros s C.
  assert (W : forall k n f, stratum s (relation f) = k -> In (f, n) (facts s) ->
    founded (program s) (base s) (place s) (present s) f).
  { induction k as [k IHk] using (well_founded_induction N.lt_wf_0).
    induction n as [n IHn] using (well_founded_induction N.lt_wf_0).
    intros f K H. destruct (supported s C _ H) as [B | (r & v & Hr & Hh & A & Hb)].
    - now apply founded_base.
    - simpl in Hh. subst f. apply founded_rule; [exact Hr | exact A |].
      intros a Ha. destruct (Hb a Ha) as (m & Hm & [L | [L1 L2]]); simpl in *.
      + eapply IHk; [| reflexivity | exact Hm]. now rewrite <- K.
      + eapply IHn; [exact L2 | now rewrite <- K | exact Hm]. }
  intros f [n H]. exact (W _ n f eq_refl H).
Qed.

Theorem certified_perfect_model : forall s, certified s ->
  perfect_model (program s) (base s) (stratum s) (place s) (present s).
Proof.
  intros s C. apply perfect_founded.
  - exact (layered s C).
  - exact (decided_before s C).
  - intro f. split; [now apply present_founded | now apply founded_present].
Qed.

(** * Without conditions *)

Definition unconditional (r : clause) : Prop := negated r = [] /\ tests r = [].

Lemma founded_derivable : forall program base place I, (forall r, In r program -> unconditional r) ->
  forall f, founded program base place I f <-> derivable (map core program) base f.
Proof.
  intros program base place I U f. split.
  - apply founded_induction.
    + intros g H. now apply derivable_base.
    + intros r v Hr _ _ H. apply derivable_rule; [now apply in_map | exact H].
  - induction 1 as [g H | q v Hq _ IH]; [now apply founded_base |].
    apply in_map_iff in Hq. destruct Hq as (r & <- & Hr). apply founded_rule; [exact Hr | | exact IH].
    destruct (U r Hr) as [N T]. split; [rewrite N | rewrite T]; intros x [].
Qed.

Theorem certified_least_model : forall s, certified s -> (forall r, In r (program s) -> unconditional r) ->
  forall f, present s f <-> least_model (map core (program s)) (base s) f.
Proof.
  intros s C U f. rewrite <- derivable_least_model, <- (founded_derivable _ _ (place s) (present s) U).
  split; [now apply present_founded | now apply founded_present].
Qed.
