(** Theorem 16 of the 2011 paper: every execution of the extended algorithm ends.

    An update speaks of a fact and carries two sets: S, the facts used to derive it, and H, those of them that were met
    again. When the update of [p] is picked, [p] joins H if it is in S. A head that is derived from it gets [p], all
    of S and all of H, perhaps more from the other facts of the body, and is sent only if it is not in H ([sends]).

    So S or H grows along every chain of updates. Facts are finitely many, so chains are finite ([chain_bounded]), and
    no fact comes three times in one ([at_most_twice]). Of a bag of updates each may be replaced, in any order, by any
    finite number of updates that it sends: this ends ([theorem_16]). Of tables, rules and schedules nothing is
    assumed. *)

From Coq Require Import List Arith Lia Permutation Wf_nat.
Import ListNotations.

(** * Bags of numbers of which each may be replaced by smaller ones *)

Definition replaced (after before : list nat) : Prop :=
  exists n smaller rest, Permutation before (n :: rest) /\ Permutation after (smaller ++ rest) /\
    forall m, In m smaller -> m < n.

Lemma replaced_permutation : forall l m, Permutation l m -> Acc replaced l -> Acc replaced m.
Proof.
  intros l m P [A]. constructor. intros k (n & s & r & B & C & D). apply A. exists n, s, r.
  split; [now rewrite P | auto].
Qed.

Lemma replaced_cons : forall n, (forall m, m < n -> forall l, Acc replaced l -> Acc replaced (m :: l)) ->
  forall l, Acc replaced l -> Acc replaced (n :: l).
Proof.
  intros n H l A. induction A as [l A IH]. constructor. intros k (x & s & r & B & C & D).
  destruct (in_inv (Permutation_in n B (or_introl eq_refl))) as [-> | I].
  - apply Permutation_cons_inv in B. apply (replaced_permutation (s ++ l)); [now rewrite B, C |].
    clear C. induction s as [| m s IHs]; simpl; [now constructor |].
    apply H; [apply D; now left |]. apply IHs. intros y Y. apply D. now right.
  - apply in_split in I. destruct I as (r1 & r2 & ->).
    assert (P : Permutation (x :: r1 ++ n :: r2) (n :: x :: r1 ++ r2)).
    { rewrite <- Permutation_middle. constructor. }
    rewrite P in B. apply Permutation_cons_inv in B.
    apply (replaced_permutation (n :: s ++ r1 ++ r2)).
    + rewrite C, <- Permutation_middle. rewrite <- !Permutation_middle. reflexivity.
    + apply IH. exists x, s, (r1 ++ r2). auto.
Qed.

Theorem bags_end : well_founded replaced.
Proof.
  assert (C : forall n l, Acc replaced l -> Acc replaced (n :: l)).
  { induction n as [n IH] using lt_wf_ind. now apply replaced_cons. }
  intro l. induction l as [| n l IH]; [| now apply C].
  constructor. intros k (n & s & r & B & _). apply Permutation_nil in B. discriminate B.
Qed.

(** * Updates with the sets S and H *)

Section Updates.

Variable fact : Type.
Variable fact_dec : forall p q : fact, {p = q} + {p <> q}.

(** All facts there are. *)
Variable all : list fact.

Record update := Update { about : fact; used : list fact; again : list fact }.

(** H when the update is picked. *)
Definition recorded (u : update) : list fact :=
  if in_dec fact_dec (about u) (used u) then about u :: again u else again u.

(** The update [v] is of a head with [u] in its body, and it is sent. *)
Definition sends (u v : update) : Prop :=
  In (about v) all /\ In (about u) (used v) /\ incl (used u) (used v) /\ incl (recorded u) (again v) /\
  ~ In (about v) (again v).

(** Base facts are new, with empty sets; so is all that is sent. *)
Definition is_new (u : update) : Prop := In (about u) all /\ ~ In (about u) (again u).

Lemma sends_new : forall u v, sends u v -> is_new v.
Proof.
  intros u v (A & _ & _ & _ & N). now split.
Qed.

Definition missing (l : list fact) : nat := length (filter (fun p => if in_dec fact_dec p l then false else true) all).

Definition room (u : update) : nat := missing (used u) + missing (again u).

Lemma missing_le : forall l m, incl l m -> missing m <= missing l.
Proof.
  intros l m I. unfold missing. induction all as [| p q IH]; simpl; [lia |].
  destruct (in_dec fact_dec p m) as [M | M], (in_dec fact_dec p l) as [L | L]; simpl; try lia.
  exfalso. apply M, I, L.
Qed.

Lemma missing_lt : forall l m p, incl l m -> In p all -> In p m -> ~ In p l -> missing m < missing l.
Proof.
  intros l m p I A M N. unfold missing. revert A. induction all as [| q r IH]; simpl; [intros [] |].
  assert (L : length (filter (fun p => if in_dec fact_dec p m then false else true) r) <=
    length (filter (fun p => if in_dec fact_dec p l then false else true) r)).
  { clear IH. induction r as [| x r IH]; simpl; [lia |].
    destruct (in_dec fact_dec x m) as [X | X], (in_dec fact_dec x l) as [Y | Y]; simpl; try lia.
    exfalso. apply X, I, Y. }
  intros [-> | A].
  - destruct (in_dec fact_dec p m); [| contradiction]. destruct (in_dec fact_dec p l); [contradiction |]. simpl. lia.
  - specialize (IH A).
    destruct (in_dec fact_dec q m) as [X | X], (in_dec fact_dec q l) as [Y | Y]; simpl; try lia.
    exfalso. apply X, I, Y.
Qed.

Lemma again_recorded : forall u, incl (again u) (recorded u).
Proof.
  intros u p P. unfold recorded. destruct (in_dec fact_dec (about u) (used u)); [now right | exact P].
Qed.

(** S or H grows. *)
Lemma sends_room : forall u v, is_new u -> sends u v -> room v < room u.
Proof.
  intros u v [A N] (_ & U & I & J & _). unfold room.
  assert (K : incl (again u) (again v)) by (intros p P; now apply J, again_recorded).
  pose proof (missing_le _ _ I) as LI. pose proof (missing_le _ _ K) as LK.
  destruct (in_dec fact_dec (about u) (used u)) as [S | S].
  - assert (R : In (about u) (again v)).
    { apply J. unfold recorded. destruct (in_dec fact_dec (about u) (used u)); [now left | contradiction]. }
    pose proof (missing_lt _ _ _ K A R N). lia.
  - pose proof (missing_lt _ _ _ I A U S). lia.
Qed.

(** ** Chains *)

Inductive chain : update -> nat -> Prop :=
| chain_end : forall u, chain u 0
| chain_more : forall u v n, sends u v -> chain v n -> chain u (S n).

Theorem chain_bounded : forall u n, is_new u -> chain u n -> n <= 2 * length all.
Proof.
  assert (B : forall l, missing l <= length all).
  { intro l. unfold missing. induction all as [| p r IH]; simpl; [lia |].
    destruct (in_dec fact_dec p l); simpl; lia. }
  assert (R : forall u n, chain u n -> is_new u -> n <= room u).
  { induction 1 as [u | u v n X C IH]; intro N; [lia |].
    pose proof (sends_room u v N X). specialize (IH (sends_new u v X)). lia. }
  intros u n N C. pose proof (R u n C N). unfold room in H. pose proof (B (used u)). pose proof (B (again u)). lia.
Qed.

Inductive later : update -> update -> Prop :=
| later_sent : forall u v, sends u v -> later u v
| later_more : forall u v w, sends u v -> later v w -> later u w.

Lemma later_grows : forall u v, later u v ->
  In (about u) (used v) /\ incl (used u) (used v) /\ incl (recorded u) (again v) /\ ~ In (about v) (again v).
Proof.
  induction 1 as [u v (_ & U & I & J & N) | u v w (_ & U & I & J & _) _ (_ & K & L & N)].
  - do 3 (split; [assumption |]). exact N.
  - split; [now apply K |]. split; [intros p P; now apply K, I |]. split; [| exact N].
    intros p P. apply L, again_recorded. now apply J.
Qed.

(** A fact comes, comes again, and does not come a third time. *)
Theorem at_most_twice : forall u v w, later u v -> later v w -> about u = about v -> about v = about w -> False.
Proof.
  intros u v w A B E F. destruct (later_grows u v A) as (U & _). destruct (later_grows v w B) as (_ & _ & J & N).
  apply N. rewrite <- F. apply J. unfold recorded. rewrite E in U.
  destruct (in_dec fact_dec (about v) (used v)) as [I | I]; [now left | contradiction].
Qed.

(** ** Executions *)

(** An update of the bag is fired: whatever it sends takes its place. *)
Definition fires (after before : list update) : Prop :=
  exists u sent rest, Permutation before (u :: rest) /\ Permutation after (sent ++ rest) /\
    forall v, In v sent -> sends u v.

Theorem theorem_16 : forall bag, (forall u, In u bag -> is_new u) -> Acc fires bag.
Proof.
  assert (W : forall rooms, Acc replaced rooms -> forall bag, (forall u, In u bag -> is_new u) ->
    rooms = map room bag -> Acc fires bag).
  { induction 1 as [rooms _ IH]. intros bag N ->. constructor. intros after (u & sent & rest & B & C & D).
    assert (U : is_new u) by (apply N; rewrite B; now left).
    apply (IH (map room after)); [| | reflexivity].
    - exists (room u), (map room sent), (map room rest). split; [now rewrite B |].
      split; [now rewrite C, map_app |].
      intros m M. apply in_map_iff in M. destruct M as (v & <- & V). now apply sends_room; [| apply D].
    - intros v V. rewrite C in V. apply in_app_iff in V. destruct V as [V | V]; [now apply (sends_new u), D |].
      apply N. rewrite B. now right. }
  intros bag N. apply (W (map room bag)); [apply bags_end | exact N | reflexivity].
Qed.

End Updates.
