(** When a state is a certificate, and what it certifies.

    A state holds a program, base facts, and the facts that are present, each with a rank; predicates stand in strata.
    [certified] says: it is closed under the rules, holds the base facts, and every fact is a base fact or has a
    support of lower rank. Then the facts present are exactly the least model ([certified_least_model]).

    Nothing here computes; the checker is in Checker.v. That such ranks always exist is shown in Existence.v. *)

From Coq Require Import PArith NArith List Lia.
From Tidelog Require Import Datalog.
Import ListNotations.

(** A fact with its rank. *)
Definition ranked : Type := fact * N.

Record state := State {
  program : list rule;
  base : list fact;
  facts : list ranked;
  stratum : positive -> N
}.

Definition present (s : state) (f : fact) : Prop := exists n, In (f, n) (facts s).

(** In a lower stratum, or in the same one with a lower rank. *)
Definition lower (s : state) (g h : ranked) : Prop :=
  (stratum s (relation (fst g)) < stratum s (relation (fst h)))%N \/
  (stratum s (relation (fst g)) = stratum s (relation (fst h)) /\ (snd g < snd h)%N).

(** One way to derive [h]: a rule whose ground body is present, every fact of it lower than [h]. *)
Definition support (s : state) (h : ranked) : Prop :=
  exists r v, In r (program s) /\ ground v (head r) = fst h /\
    forall a, In a (body r) -> exists n, In (ground v a, n) (facts s) /\ lower s (ground v a, n) h.

Record certified (s : state) : Prop := Certified {
  all_safe : forall r, In r (program s) -> safe r;
  layered : forall r a, In r (program s) -> In a (body r) ->
    (stratum s (predicate a) <= stratum s (predicate (head r)))%N;
  one_rank : NoDup (map fst (facts s));
  based : forall f, In f (base s) -> present s f;
  closed : forall r v, In r (program s) ->
    (forall a, In a (body r) -> present s (ground v a)) -> present s (ground v (head r));
  supported : forall h, In h (facts s) -> In (fst h) (base s) \/ support s h
}.

(** Closure: nothing derivable is absent. *)
Lemma derivable_present : forall s, certified s ->
  forall f, derivable (program s) (base s) f -> present s f.
Proof.
  intros s C f D. induction D as [f H | r v Hr _ IH].
  - now apply (based s C).
  - now apply (closed s C).
Qed.

(** Well-foundedness: nothing present is underivable. By induction on the stratum and, inside it, on the rank. *)
Lemma present_derivable : forall s, certified s ->
  forall f, present s f -> derivable (program s) (base s) f.
Proof.
  intros s C.
  assert (W : forall k n f, stratum s (relation f) = k -> In (f, n) (facts s) ->
    derivable (program s) (base s) f).
  { induction k as [k IHk] using (well_founded_induction N.lt_wf_0).
    induction n as [n IHn] using (well_founded_induction N.lt_wf_0).
    intros f K H. destruct (supported s C _ H) as [B | (r & v & Hr & Hh & Hb)].
    - now apply derivable_base.
    - simpl in Hh. subst f. apply derivable_rule; [exact Hr |].
      intros a Ha. destruct (Hb a Ha) as (m & Hm & [L | [L1 L2]]); simpl in *.
      + eapply IHk; [| reflexivity | exact Hm]. now rewrite <- K.
      + eapply IHn; [exact L2 | now rewrite <- K | exact Hm]. }
  intros f [n H]. exact (W _ n f eq_refl H).
Qed.

Theorem certified_derivable : forall s, certified s ->
  forall f, present s f <-> derivable (program s) (base s) f.
Proof.
  intros s C f. split; [now apply present_derivable | now apply derivable_present].
Qed.

Theorem certified_least_model : forall s, certified s ->
  forall f, present s f <-> least_model (program s) (base s) f.
Proof.
  intros s C f. rewrite <- derivable_least_model. now apply certified_derivable.
Qed.
