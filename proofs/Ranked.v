(** Ranked support itself: the invariants I1 and I2, and why they say that a state is the least model.

    A program is a list of ground rules; an assertion is a rule without body, and what a stratum reads of lower strata
    is decided, so that it stands in no body: lower facts come and go as rules of the stratum do. A state says which
    facts are present, gives every fact a rank and two counts. A rank is a depth and a clock, compared in that order.

    I1: [all] counts the supports of a fact over the facts present, and a fact that is absent has none.
    I2: [low] counts those of lower rank, and a fact that is present has one.

    [ranked_least_model]: then the facts present are exactly those that all models hold. [ranked_datalog] says the same
    of a program with variables and the instances of its rules. That epochs keep I1 and I2 is in Epoch.v. *)

From Coq Require Import List Arith Lia Bool PArith.
From Tidelog Require Datalog.
Import ListNotations.

(** ** Ranks *)

Definition rank : Type := nat * nat.

Definition below (k l : rank) : bool := (fst k <? fst l) || ((fst k =? fst l) && (snd k <? snd l)).

Lemma below_spec : forall k l, below k l = true <-> fst k < fst l \/ (fst k = fst l /\ snd k < snd l).
Proof.
  intros k l. unfold below. rewrite orb_true_iff, andb_true_iff, !Nat.ltb_lt, Nat.eqb_eq. reflexivity.
Qed.

(** No rank is below itself: a fact cannot support itself from below. *)
Lemma below_irreflexive : forall k, below k k = false.
Proof.
  intro k. destruct (below k k) eqn:B; [| reflexivity]. apply below_spec in B. lia.
Qed.

(** There is no endless way down, so that facts may be followed to what they rest on. *)
Lemma rank_induction : forall P : rank -> Prop,
  (forall k, (forall l, below l k = true -> P l) -> P k) -> forall k, P k.
Proof.
  intros P H.
  assert (W : forall d c, P (d, c)).
  { induction d as [d IHd] using (well_founded_induction lt_wf).
    induction c as [c IHc] using (well_founded_induction lt_wf).
    apply H. intros [d' c'] B. apply below_spec in B. simpl in B. destruct B as [L | [E L]]; [now apply IHd |].
    subst. now apply IHc. }
  intros [d c]. apply W.
Qed.

(** One deeper than a rank is above it, whatever the clock says. *)
Lemma deeper_above : forall k d c, fst k < d -> below k (d, c) = true.
Proof.
  intros k d c L. apply below_spec. now left.
Qed.

(** ** Programs and their meaning *)

Record support (fact : Type) := Support { gives : fact; needs : list fact }.
Arguments Support {fact}.
Arguments gives {fact}.
Arguments needs {fact}.

Record state (fact : Type) := State {
  rules : list (support fact);
  present : fact -> bool;
  rank_of : fact -> rank;
  all : fact -> nat;
  low : fact -> nat
}.
Arguments State {fact}.
Arguments rules {fact}.
Arguments present {fact}.
Arguments rank_of {fact}.
Arguments all {fact}.
Arguments low {fact}.

Definition count {A : Type} (p : A -> bool) (l : list A) : nat := length (filter p l).

Section Ranked.

Variable fact : Type.
Variable fact_dec : forall f g : fact, {f = g} + {f <> g}.

Notation support := (support fact).
Notation state := (state fact).

Definition equal (f g : fact) : bool := if fact_dec f g then true else false.

Lemma equal_spec : forall f g, equal f g = true <-> f = g.
Proof.
  intros f g. unfold equal. destruct (fact_dec f g); split; intro H; congruence.
Qed.

Definition model (program : list support) (I : fact -> Prop) : Prop :=
  forall r, In r program -> (forall g, In g (needs r) -> I g) -> I (gives r).

Definition least_model (program : list support) (f : fact) : Prop := forall I, model program I -> I f.

(** A rule that gives the fact, from facts that are present; then one whose body is of lower rank. *)
Definition supports (seen : fact -> bool) (f : fact) (r : support) : bool :=
  equal (gives r) f && forallb seen (needs r).

Definition lower (rk : fact -> rank) (k : rank) (r : support) : bool := forallb (fun g => below (rk g) k) (needs r).

Definition supports_low (seen : fact -> bool) (rk : fact -> rank) (f : fact) (k : rank) (r : support) : bool :=
  supports seen f r && lower rk k r.

Definition exact_all (s : state) : Prop := forall f, all s f = count (supports (present s) f) (rules s).

Definition exact_low (s : state) : Prop :=
  forall f, low s f = count (supports_low (present s) (rank_of s) f (rank_of s f)) (rules s).

Definition I1 (s : state) : Prop := exact_all s /\ forall f, present s f = false -> all s f = 0.

Definition I2 (s : state) : Prop := exact_low s /\ forall f, present s f = true -> low s f > 0.

Lemma count_positive : forall (A : Type) (p : A -> bool) l, count p l > 0 <-> exists x, In x l /\ p x = true.
Proof.
  intros A p l. unfold count. split.
  - destruct (filter p l) as [| x m] eqn:F; simpl; [lia |]. intros _. exists x. apply filter_In. rewrite F. now left.
  - intros (x & H). apply filter_In in H. destruct (filter p l); [destruct H | simpl; lia].
Qed.

(** I1 makes the facts present a model: what follows from them is among them. *)
Lemma present_model : forall s, I1 s -> model (rules s) (fun f => present s f = true).
Proof.
  intros s [A Z] r R B. destruct (present s (gives r)) eqn:P; [reflexivity |].
  exfalso. specialize (Z _ P). rewrite A in Z.
  enough (count (supports (present s) (gives r)) (rules s) > 0) by lia.
  apply count_positive. exists r. split; [exact R |]. apply andb_true_iff. split; [now apply equal_spec |].
  now apply forallb_forall.
Qed.

(** I2 lets every fact present be followed down to rules without body: every model holds it. *)
Lemma present_least : forall s, I2 s -> forall f, present s f = true -> least_model (rules s) f.
Proof.
  intros s [L Z] f P I M.
  remember (rank_of s f) as k eqn:K. revert f K P. induction k as [k IH] using rank_induction. intros f K P.
  specialize (Z _ P). rewrite L in Z. apply count_positive in Z. destruct Z as (r & R & S).
  apply andb_true_iff in S. destruct S as [S B]. apply andb_true_iff in S. destruct S as [E V].
  apply equal_spec in E. subst f. apply M; [exact R |]. intros g G.
  unfold lower in B. rewrite forallb_forall in V, B.
  apply (IH (rank_of s g)); [subst k; now apply B | reflexivity | now apply V].
Qed.

Theorem ranked_least_model : forall s, I1 s -> I2 s ->
  forall f, present s f = true <-> least_model (rules s) f.
Proof.
  intros s H1 H2 f. split; [now apply present_least |].
  intro L. exact (L _ (present_model s H1)).
Qed.

End Ranked.

(** ** Programs with variables *)

Section Instances.

Import Datalog.

Lemma datalog_fact_dec : forall f g : fact, {f = g} + {f <> g}.
Proof.
  decide equality; [apply list_eq_dec |]; apply Pos.eq_dec.
Qed.

Definition instance (v : valuation) (r : rule) : support fact := Support (ground v (head r)) (map (ground v) (body r)).

Definition assertion (f : fact) : support fact := Support f [].

(** The ground rules of a state are instances and assertions, and no instance over the facts present is missing. *)
Definition grounds (program : list rule) (base : list fact) (s : state fact) : Prop :=
  (forall g, In g (rules s) ->
    (exists f, In f base /\ g = assertion f) \/ (exists r v, In r program /\ g = instance v r)) /\
  (forall f, In f base -> In (assertion f) (rules s)) /\
  (forall r v, In r program -> (forall a, In a (body r) -> present s (ground v a) = true) ->
    In (instance v r) (rules s)).

Theorem ranked_datalog : forall program base s, grounds program base s ->
  I1 fact datalog_fact_dec s -> I2 fact datalog_fact_dec s ->
  forall f, present s f = true <-> Datalog.least_model program base f.
Proof.
  intros program base s (Only & Base & Every) H1 H2 f. rewrite (ranked_least_model _ _ s H1 H2 f). split.
  - intros L I M. apply L. intros g G B. destruct (Only g G) as [(h & Hb & ->) | (r & v & Hr & ->)]; apply M.
    + now left.
    + right. exists r, v. repeat split; [exact Hr |]. intros a A. apply B. simpl. now apply in_map.
  - intro L. rewrite <- (ranked_least_model _ _ s H1 H2 f).
    apply (L (fun f => present s f = true)). intros g [G | (r & v & Hr & B & <-)].
    + now apply (present_model _ _ s H1 (assertion g) (Base g G)).
    + apply (present_model _ _ s H1 (instance v r) (Every r v Hr B)). simpl. intros h H.
      apply in_map_iff in H. destruct H as (a & <- & A). now apply B.
Qed.

End Instances.
