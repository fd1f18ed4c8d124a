(** One epoch keeps I1 and I2: retract, the barrier, assert.

    An epoch leads from one list of ground rules to another one; a fact that is deleted or inserted is a rule without
    body that goes or comes. It is a run of steps, each of which changes the counts by what it takes or adds, as an
    engine does that never counts anew:

    - [lose]: a rule goes, and with it the support that it may be;
    - [suspend]: a fact that is visible and has no support of lower rank left goes out of sight, and the supports that
      it took part in are lost;
    - [gain]: a rule comes;
    - [enter]: a fact out of sight gets a rank above the body of one of its supports and comes into sight; the
      supports that it completes are gained.

    Steps of the first two kinds until every visible fact has [low] > 0, then steps of the other two until every fact
    out of sight has [all] = 0. Then I1 and I2 hold for the new rules ([epoch_keeps_invariants]), and the facts are
    their least model ([epoch_least_model]). The counts are right after every single step ([step_exact]).

    How a fact that enters gets its counts and its rank without any search is in [revived_low], [first_low],
    [new_rank_above] and [revived_rank_above]. *)

From Coq Require Import List Arith Lia Bool Permutation.
From Tidelog Require Import Ranked.
Import ListNotations.

Section Epoch.

Variable fact : Type.
Variable fact_dec : forall f g : fact, {f = g} + {f <> g}.

Notation support := (support fact).
Notation state := (state fact).
Notation equal := (equal fact fact_dec).
Notation supports := (supports fact fact_dec).
Notation lower := (lower fact).
Notation supports_low := (supports_low fact fact_dec).
Notation I1 := (I1 fact fact_dec).
Notation I2 := (I2 fact fact_dec).

Definition mem (f : fact) (l : list fact) : bool := existsb (equal f) l.

(** ** Counting *)

Lemma count_split : forall (A : Type) (p q : A -> bool) l,
  count p l = count (fun x => p x && q x) l + count (fun x => p x && negb (q x)) l.
Proof.
  intros A p q l. unfold count. induction l as [| x l IH]; simpl; [reflexivity |].
  destruct (p x), (q x); simpl; lia.
Qed.

Lemma count_same : forall (A : Type) (p q : A -> bool) l,
  (forall x, In x l -> p x = q x) -> count p l = count q l.
Proof.
  intros A p q l. unfold count. induction l as [| x l IH]; intro H; simpl; [reflexivity |].
  rewrite <- (H x (or_introl eq_refl)). destruct (p x); simpl; rewrite IH; auto; intros y Y; apply H; now right.
Qed.

Lemma count_cons : forall (A : Type) (p : A -> bool) x l, count p (x :: l) = (if p x then 1 else 0) + count p l.
Proof.
  intros A p x l. unfold count. simpl. now destruct (p x).
Qed.

Lemma count_permutation : forall (A : Type) (p : A -> bool) l m, Permutation l m -> count p l = count p m.
Proof.
  intros A p l m P. unfold count. induction P; simpl; try (destruct (p x)); try (destruct (p y)); simpl; lia.
Qed.

(** ** Facts in sight *)

Lemma forallb_same : forall (p q : fact -> bool) l, (forall f, In f l -> p f = q f) -> forallb p l = forallb q l.
Proof.
  intros p q l. induction l as [| f l IH]; intro H; simpl; [reflexivity |].
  rewrite (H f (or_introl eq_refl)), IH; [reflexivity |]. intros g G. apply H. now right.
Qed.

Lemma equal_refl : forall f, equal f f = true.
Proof.
  intro f. now apply equal_spec.
Qed.

(** A body is in sight without [f] if it is in sight and does not need [f]. *)
Lemma without : forall (V : fact -> bool) f l,
  forallb (fun g => V g && negb (equal g f)) l = forallb V l && negb (mem f l).
Proof.
  intros V f l. induction l as [| g l IH]; simpl; [reflexivity |]. rewrite IH.
  replace (equal f g) with (equal g f) by (unfold Ranked.equal; destruct (fact_dec g f), (fact_dec f g); congruence).
  destruct (V g), (equal g f), (forallb V l), (mem f l); reflexivity.
Qed.

(** ** Steps *)

(** What a step leaves as it is. *)
Definition same_facts (s t : state) : Prop :=
  (forall g, present t g = present s g) /\ (forall g, rank_of t g = rank_of s g).

(** The support that a rule is, at a state: 1 or 0. *)
Definition one (b : bool) : nat := if b then 1 else 0.

Inductive retract (s t : state) : Prop :=
| lose : forall r, Permutation (rules s) (r :: rules t) -> same_facts s t ->
    (forall h, all t h = all s h - one (supports (present s) h r)) ->
    (forall h, low t h = low s h - one (supports_low (present s) (rank_of s) h (rank_of s h) r)) ->
    retract s t
| suspend : forall f, present s f = true -> low s f = 0 -> rules t = rules s ->
    (forall g, present t g = present s g && negb (equal g f)) -> (forall g, rank_of t g = rank_of s g) ->
    (forall h, all t h = all s h - count (fun r => supports (present s) h r && mem f (needs r)) (rules s)) ->
    (forall h, low t h = low s h -
      count (fun r => supports_low (present s) (rank_of s) h (rank_of s h) r && mem f (needs r)) (rules s)) ->
    retract s t.

Inductive assert (s t : state) : Prop :=
| gain : forall r, Permutation (rules t) (r :: rules s) -> same_facts s t ->
    (forall h, all t h = all s h + one (supports (present s) h r)) ->
    (forall h, low t h = low s h + one (supports_low (present s) (rank_of s) h (rank_of s h) r)) ->
    assert s t
| enter : forall f k, present s f = false -> rules t = rules s ->
    (exists r, In r (rules s) /\ supports_low (present s) (rank_of s) f k r = true) ->
    (forall g, present t g = present s g || equal g f) ->
    rank_of t f = k -> (forall g, g <> f -> rank_of t g = rank_of s g) ->
    (forall h, all t h = all s h + count (fun r => supports (present t) h r && mem f (needs r)) (rules s)) ->
    low t f = count (supports_low (present s) (rank_of s) f k) (rules s) ->
    (forall h, h <> f -> low t h = low s h +
      count (fun r => supports_low (present t) (rank_of t) h (rank_of t h) r && mem f (needs r)) (rules s)) ->
    assert s t.

Definition exact (s : state) : Prop := exact_all fact fact_dec s /\ exact_low fact fact_dec s.

(** A count that depends on presence and ranks alone does not see who else changed. *)
Lemma supports_same : forall V W f r, (forall g, V g = W g) -> supports V f r = supports W f r.
Proof.
  intros V W f r E. unfold Ranked.supports. f_equal. now apply forallb_same.
Qed.

Lemma supports_low_same : forall V W p q f k r, (forall g, V g = W g) -> (forall g, p g = q g) ->
  supports_low V p f k r = supports_low W q f k r.
Proof.
  intros V W p q f k r E F. unfold Ranked.supports_low, Ranked.lower. f_equal; [now apply supports_same |].
  apply forallb_same. intros g _. now rewrite F.
Qed.

Lemma retract_exact : forall s t, retract s t -> exact s -> exact t.
Proof.
  intros s t [r P [V R] A L | f F Z E V R A L] [XA XL]; split; intro h.
  - rewrite A, XA, (count_permutation _ _ _ _ P), count_cons. unfold one.
    rewrite (count_same _ (supports (present t) h) (supports (present s) h)).
    + destruct (supports (present s) h r); lia.
    + intros x _. now apply supports_same.
  - rewrite L, XL, (count_permutation _ _ _ _ P), count_cons. unfold one. rewrite R.
    rewrite (count_same _ (supports_low (present t) (rank_of t) h (rank_of s h))
      (supports_low (present s) (rank_of s) h (rank_of s h))).
    + destruct (supports_low (present s) (rank_of s) h (rank_of s h) r); lia.
    + intros x _. now apply supports_low_same.
  - rewrite A, XA, E, (count_split _ (supports (present s) h) (fun r => mem f (needs r))).
    rewrite Nat.add_comm, Nat.add_sub. apply count_same. intros x _. unfold Ranked.supports.
    rewrite (forallb_same (present t) (fun g => present s g && negb (equal g f))) by (intros; apply V).
    rewrite without. now rewrite andb_assoc.
  - rewrite L, XL, E, R,
      (count_split _ (supports_low (present s) (rank_of s) h (rank_of s h)) (fun r => mem f (needs r))).
    rewrite Nat.add_comm, Nat.add_sub. apply count_same. intros x _.
    rewrite (supports_low_same (present t) (fun g => present s g && negb (equal g f)) (rank_of t) (rank_of s));
      [| exact V | exact R].
    unfold Ranked.supports_low, Ranked.supports. rewrite without.
    destruct (equal (gives x) h), (forallb (present s) (needs x)), (mem f (needs x)),
      (lower (rank_of s) (rank_of s h) x); reflexivity.
Qed.

(** A body that needs [f] is in sight only when [f] is; one that does not need it does not see that it came. *)
Lemma with_or_without : forall (V W : fact -> bool) f l, V f = false -> (forall g, W g = V g || equal g f) ->
  forallb V l = forallb W l && negb (mem f l).
Proof.
  intros V W f l F E.
  rewrite (forallb_same V (fun g => W g && negb (equal g f))); [apply without |].
  intros g _. rewrite E. destruct (fact_dec g f) as [-> | N].
  - rewrite F, equal_refl. reflexivity.
  - replace (equal g f) with false.
    + now rewrite orb_false_r, andb_true_r.
    + unfold Ranked.equal. now destruct (fact_dec g f).
Qed.

Lemma mem_spec : forall f l, mem f l = true <-> In f l.
Proof.
  intros f l. unfold mem. rewrite existsb_exists. split.
  - intros (g & G & E). apply equal_spec in E. now subst.
  - intro H. exists f. split; [exact H | apply equal_refl].
Qed.

(** Ranks matter for bodies that do not need [f] as they did. *)
Lemma lower_without : forall p q f k r, (forall g, g <> f -> p g = q g) -> mem f (needs r) = false ->
  lower p k r = lower q k r.
Proof.
  intros p q f k r E M. apply forallb_same. intros g G. rewrite E; [reflexivity |]. intros ->.
  apply mem_spec in G. congruence.
Qed.

(** A support that needs the fact itself is never of lower rank. *)
Lemma own_support : forall p f r, mem f (needs r) = true -> lower p (p f) r = false.
Proof.
  intros p f r M. apply mem_spec in M. destruct (lower p (p f) r) eqn:L; [| reflexivity].
  unfold Ranked.lower in L. rewrite forallb_forall in L. specialize (L f M). now rewrite below_irreflexive in L.
Qed.

Lemma assert_exact : forall s t, assert s t -> exact s -> exact t.
Proof.
  intros s t [r P [V R] A L | f k F E _ V K R A LF L] [XA XL]; split; intro h.
  - rewrite A, XA, (count_permutation _ _ _ _ P), count_cons. unfold one.
    rewrite (supports_same (present t) (present s)) by exact V.
    rewrite (count_same _ (supports (present t) h) (supports (present s) h)); [lia |].
    intros x _. now apply supports_same.
  - rewrite L, XL, (count_permutation _ _ _ _ P), count_cons. unfold one. rewrite R.
    rewrite (supports_low_same (present t) (present s) (rank_of t) (rank_of s)) by assumption.
    rewrite (count_same _ (supports_low (present t) (rank_of t) h (rank_of s h))
      (supports_low (present s) (rank_of s) h (rank_of s h))); [lia |].
    intros x _. now apply supports_low_same.
  - rewrite A, XA, E, (count_split _ (supports (present t) h) (fun r => mem f (needs r))), Nat.add_comm. f_equal.
    apply count_same. intros x _. unfold Ranked.supports. rewrite (with_or_without (present s) (present t) f) by auto.
    now rewrite andb_assoc.
  - rewrite E, (count_split _ (supports_low (present t) (rank_of t) h (rank_of t h)) (fun r => mem f (needs r))).
    assert (Old : forall x, supports_low (present t) (rank_of t) h (rank_of t h) x && negb (mem f (needs x)) =
      supports_low (present s) (rank_of s) h (rank_of t h) x).
    { intro x. unfold Ranked.supports_low, Ranked.supports.
      rewrite (with_or_without (present s) (present t) f) by auto.
      destruct (mem f (needs x)) eqn:M.
      - now rewrite !andb_false_r.
      - rewrite !andb_true_r. f_equal. apply (lower_without _ _ f); auto. }
    rewrite (count_same _ _ _ _ (fun x _ => Old x)).
    destruct (fact_dec h f) as [-> | N].
    + rewrite (count_same _ (fun r => supports_low (present t) (rank_of t) f (rank_of t f) r && mem f (needs r))
        (fun _ => false)).
      * rewrite LF, K. replace (count (fun _ : support => false) (rules s)) with 0; [reflexivity |].
        unfold count. clear. induction (rules s); simpl; auto.
      * intros x _. destruct (mem f (needs x)) eqn:M; [| now rewrite andb_false_r].
        unfold Ranked.supports_low. rewrite own_support by exact M. now rewrite andb_false_r.
    + rewrite (L h N), XL, (R h N), Nat.add_comm. reflexivity.
Qed.

(** The counts are right after every step of either phase. *)
Theorem step_exact : forall s t, retract s t \/ assert s t -> exact s -> exact t.
Proof.
  intros s t [S | S]; [now apply retract_exact | now apply assert_exact].
Qed.

(** ** The two phases *)

Inductive steps (step : state -> state -> Prop) : state -> state -> Prop :=
| steps_nil : forall s, steps step s s
| steps_cons : forall s t u, step s t -> steps step t u -> steps step s u.

Lemma steps_keep : forall (step : state -> state -> Prop) (P : state -> Prop),
  (forall s t, step s t -> P s -> P t) -> forall s t, steps step s t -> P s -> P t.
Proof.
  intros step P K s t S. induction S; eauto.
Qed.

Definition retracted (s : state) : Prop := forall f, present s f = true -> low s f > 0.
Definition asserted (s : state) : Prop := forall f, present s f = false -> all s f = 0.

(** Nothing loses a support of lower rank after the barrier. *)
Lemma assert_retracted : forall s t, assert s t -> retracted s -> retracted t.
Proof.
  intros s t [r P [V R] A L | f k F E B V K R A LF L] Q g G.
  - rewrite V in G. rewrite L. specialize (Q g G). lia.
  - destruct (fact_dec g f) as [-> | N].
    + rewrite LF. now apply count_positive.
    + rewrite (L g N). rewrite V in G. enough (low s g > 0) by lia. apply Q.
      apply orb_true_iff in G. destruct G as [G | G]; [exact G |]. apply equal_spec in G. contradiction.
Qed.

Definition epoch (s t : state) : Prop :=
  exists b, steps retract s b /\ retracted b /\ steps assert b t /\ asserted t.

(** Exact counts are enough at the start: the phases establish the rest. *)
Theorem epoch_from_exact : forall s t, epoch s t -> exact s -> I1 t /\ I2 t.
Proof.
  intros s t (b & R & Q & A & Z) X.
  destruct (steps_keep _ _ assert_exact _ _ A (steps_keep _ _ retract_exact _ _ R X)) as [XA XL].
  split; split; try assumption. exact (steps_keep _ _ assert_retracted _ _ A Q).
Qed.

Theorem epoch_keeps_invariants : forall s t, epoch s t -> I1 s -> I2 s -> I1 t /\ I2 t.
Proof.
  intros s t E [XA _] [XL _]. apply (epoch_from_exact s t E). now split.
Qed.

Theorem epoch_least_model : forall s t, epoch s t -> I1 s -> I2 s ->
  forall f, present t f = true <-> least_model fact (rules t) f.
Proof.
  intros s t E H1 H2. destruct (epoch_keeps_invariants s t E H1 H2) as [H1' H2'].
  exact (ranked_least_model fact fact_dec t H1' H2').
Qed.

(** ** No search for those that enter *)

(** Above every fact in sight, all supports are of lower rank: [low] is [all]. *)
Theorem revived_low : forall s f k, exact s -> (forall g, present s g = true -> below (rank_of s g) k = true) ->
  count (supports_low (present s) (rank_of s) f k) (rules s) = all s f.
Proof.
  intros s f k [XA _] T. rewrite XA. apply count_same. intros r _. unfold Ranked.supports_low.
  destruct (supports (present s) f r) eqn:S; simpl; [| reflexivity].
  unfold Ranked.supports in S. apply andb_true_iff in S. destruct S as [_ S]. rewrite forallb_forall in S.
  apply forallb_forall. intros g G. now apply T, S.
Qed.

(** A fact that enters with its first support, ranked above that one's body, has [low] = 1. *)
Theorem first_low : forall s f k r, exact s -> all s f = 1 ->
  In r (rules s) -> supports_low (present s) (rank_of s) f k r = true ->
  count (supports_low (present s) (rank_of s) f k) (rules s) = 1.
Proof.
  intros s f k r [XA _] One R S.
  assert (P : count (supports_low (present s) (rank_of s) f k) (rules s) > 0) by (apply count_positive; eauto).
  rewrite XA, (count_split _ _ (lower (rank_of s) k)) in One. unfold Ranked.supports_low in *. lia.
Qed.

Fixpoint deepest (rk : fact -> rank) (l : list fact) : nat :=
  match l with
  | [] => 0
  | f :: l => max (fst (rk f)) (deepest rk l)
  end.

Lemma deepest_least : forall rk l f, In f l -> fst (rk f) <= deepest rk l.
Proof.
  intros rk l f. induction l as [| g l IH]; intros []; simpl; [subst | specialize (IH H)]; lia.
Qed.

(** One deeper than the deepest fact of a body is above the body, whatever the clock. *)
Theorem new_rank_above : forall rk r clock, lower rk (S (deepest rk (needs r)), clock) r = true.
Proof.
  intros rk r clock. apply forallb_forall. intros g G. apply deeper_above. pose proof (deepest_least rk _ g G). lia.
Qed.

(** One deeper than every depth given is above every fact in sight. *)
Theorem revived_rank_above : forall (s : state) depth clock,
  (forall g, present s g = true -> fst (rank_of s g) <= depth) ->
  forall g, present s g = true -> below (rank_of s g) (S depth, clock) = true.
Proof.
  intros s depth clock D g G. apply deeper_above. specialize (D g G). lia.
Qed.

End Epoch.
