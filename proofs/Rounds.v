(** Rounds: batches found by delta joins, and supports under way as messages, in any order of delivery.

    Epoch.v changes one fact at a time and all counts at once. Here a round changes any set of facts, finds the
    supports that they took part in, or complete, by delta joins, and sends them; a count changes when a message is
    taken. How many partitions there are, and which fact lives where, does not matter: a message may wait as long as
    it likes and messages overtake each other, up to the barrier between the phases, where none is left.

    - [send_lose], [send_gain]: a rule goes or comes; the support that it is is sent.
    - [send_suspend]: a set of visible facts whose [low] is 0 goes out of sight; what they took part in is sent.
    - [send_enter]: a set of facts out of sight comes into sight, each with a support that was taken and that its rank
      is above; what they complete is sent.
    - [take_loss], [take_gain]: one message is taken off, or added to, the counts of the fact that it is about;
      whether it is of lower rank is decided then.

    [found_lost], [found_new], [found_signed]: delta joins find every support once. [sent_lost], [sent_gained]: counts
    and messages together are exact after every step. [rounds_keep_invariants]: I1 and I2 after an epoch, if before. *)

From Coq Require Import List Arith Lia Bool Permutation.
From Tidelog Require Import Ranked Epoch Progress.
Import ListNotations.

(** ** Delta joins *)

Section Joins.

Variable item : Type.

(** The matches of the plans of one body: the plan that is triggered at one place reads what is before it in the body
    as it is after the round ([A]) and what is behind it as it was before ([B]); [D] is what triggers. *)
Fixpoint found (A B D : item -> bool) (l : list item) : nat :=
  match l with
  | [] => 0
  | b :: l => one (D b && forallb B l) + (if A b then found A B D l else 0)
  end.

(** Matches that come, less those that go, are the difference that the round makes: for any change at all, of facts and
    of negated facts. *)
Theorem found_signed : forall A B l,
  found A B (fun g => A g && negb (B g)) l + one (forallb B l) =
  found A B (fun g => B g && negb (A g)) l + one (forallb A l).
Proof.
  intros A B l. induction l as [| b l IH]; simpl; [reflexivity |].
  destruct (A b), (B b), (forallb B l), (forallb A l); simpl in *; lia.
Qed.

(** What goes is found once if it took part, whatever else goes. *)
Theorem found_lost : forall B D l, (forall g, D g = true -> B g = true) ->
  found (fun g => B g && negb (D g)) B D l = one (forallb B l && existsb D l).
Proof.
  intros B D l S. induction l as [| b l IH]; simpl; [reflexivity |]. rewrite IH. specialize (S b).
  destruct (D b); [rewrite (S eq_refl) |]; destruct (B b), (forallb B l), (existsb D l); simpl in *; reflexivity.
Qed.

Lemma forallb_apart : forall (B D : item -> bool) l, (forall g, D g = true -> B g = false) ->
  forallb (fun g => B g || D g) l && negb (existsb D l) = forallb B l.
Proof.
  intros B D l S. induction l as [| b l IH]; simpl; [reflexivity |]. rewrite <- IH. specialize (S b).
  destruct (D b); [rewrite (S eq_refl) |]; destruct (B b), (forallb (fun g => B g || D g) l), (existsb D l);
    simpl in *; reflexivity.
Qed.

(** What comes is found once if it completes, whatever else comes. *)
Theorem found_new : forall B D l, (forall g, D g = true -> B g = false) ->
  found (fun g => B g || D g) B D l = one (forallb (fun g => B g || D g) l && existsb D l).
Proof.
  intros B D l S. induction l as [| b l IH]; simpl; [reflexivity |]. rewrite IH.
  rewrite <- (forallb_apart B D l S). specialize (S b).
  destruct (D b); [rewrite (S eq_refl) |]; destruct (B b), (forallb (fun g => B g || D g) l), (existsb D l);
    simpl in *; reflexivity.
Qed.

End Joins.

Section Rounds.

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
Notation exact := (exact fact fact_dec).
Notation retracted := (retracted fact).
Notation asserted := (asserted fact).
Notation found := (found fact).

(** ** What a round sends *)

Definition fired (A B D : fact -> bool) (l : list support) : list support :=
  flat_map (fun r => repeat r (found A B D (needs r))) l.

Lemma count_app : forall (T : Type) (p : T -> bool) l m, count p (l ++ m) = count p l + count p m.
Proof.
  intros T p l m. unfold count. now rewrite filter_app, app_length.
Qed.

Lemma count_fired : forall A B D (q p : support -> bool) l,
  (forall r, found A B D (needs r) = one (q r)) -> count p (fired A B D l) = count (fun r => p r && q r) l.
Proof.
  intros A B D q p l H. induction l as [| r l IH]; simpl; [reflexivity |].
  rewrite count_app, IH, count_cons, H. unfold one. destruct (q r); simpl.
  - rewrite count_cons. destruct (p r); reflexivity.
  - now rewrite andb_false_r.
Qed.

Record configuration := Configuration { held : state; pending : list support }.

Definition to (h : fact) (r : support) : bool := equal (gives r) h.
Definition visible (s : state) (r : support) : bool := forallb (present s) (needs r).
Definition to_low (s : state) (h : fact) (k : rank) (r : support) : bool := to h r && lower (rank_of s) k r.

Definition same_counts (s t : state) : Prop := (forall h, all t h = all s h) /\ (forall h, low t h = low s h).
Definition when (b : bool) (r : support) : list support := if b then [r] else [].

Inductive retract_round (c d : configuration) : Prop :=
| send_lose : forall r, Permutation (rules (held c)) (r :: rules (held d)) ->
    same_facts fact (held c) (held d) -> same_counts (held c) (held d) ->
    pending d = when (visible (held c) r) r ++ pending c -> retract_round c d
| send_suspend : forall D, (exists f, D f = true) -> (forall f, D f = true -> present (held c) f = true /\ low
  (held c) f = 0) ->
    rules (held d) = rules (held c) ->
    (forall g, present (held d) g = present (held c) g && negb (D g)) ->
    (forall g, rank_of (held d) g = rank_of (held c) g) -> same_counts (held c) (held d) ->
    pending d = fired (fun g => present (held c) g && negb (D g)) (present (held c)) D (rules (held c)) ++ pending c ->
    retract_round c d
| take_loss : forall r, Permutation (pending c) (r :: pending d) -> rules (held d) = rules (held c) ->
    same_facts fact (held c) (held d) ->
    (forall h, all (held d) h = all (held c) h - one (to h r)) ->
    (forall h, low (held d) h = low (held c) h - one (to_low (held c) h (rank_of (held c) h) r)) -> retract_round c d.

(** Supports of a fact that were taken, and that a rank is above. *)
Definition taken_low (c : configuration) (f : fact) (k : rank) : nat :=
  count (supports_low (present (held c)) (rank_of (held c)) f k) (rules (held c)) -
  count (to_low (held c) f k) (pending c).

Inductive assert_round (c d : configuration) : Prop :=
| send_gain : forall r, Permutation (rules (held d)) (r :: rules (held c)) ->
    same_facts fact (held c) (held d) -> same_counts (held c) (held d) ->
    pending d = when (visible (held c) r) r ++ pending c -> assert_round c d
| send_enter : forall E, (exists f, E f = true) -> (forall f, E f = true -> present (held c) f = false) ->
    rules (held d) = rules (held c) ->
    (forall g, present (held d) g = present (held c) g || E g) ->
    (forall g, E g = false -> rank_of (held d) g = rank_of (held c) g) ->
    (forall h, all (held d) h = all (held c) h) ->
    (forall h, E h = false -> low (held d) h = low (held c) h) ->
    (forall f, E f = true -> low (held d) f = taken_low c f (rank_of (held d) f) /\ low (held d) f > 0) ->
    pending d = fired (fun g => present (held c) g || E g) (present (held c)) E (rules (held c)) ++ pending c ->
    assert_round c d
| take_gain : forall r, Permutation (pending c) (r :: pending d) -> rules (held d) = rules (held c) ->
    same_facts fact (held c) (held d) ->
    (forall h, all (held d) h = all (held c) h + one (to h r)) ->
    (forall h, low (held d) h = low (held c) h + one (to_low (held c) h (rank_of (held c) h) r)) -> assert_round c d.

(** ** Counts and messages together *)

(** While supports are lost: a count is what is right and what is still to be taken off. *)
Definition owes (c : configuration) : Prop :=
  (forall h, all (held c) h = count (supports (present (held c)) h) (rules (held c)) + count (to h) (pending c)) /\
  (forall h, low (held c) h =
    count (supports_low (present (held c)) (rank_of (held c)) h (rank_of (held c) h)) (rules (held c)) +
    count (to_low (held c) h (rank_of (held c) h)) (pending c)).

Lemma to_low_same : forall s t h k r, (forall g, rank_of t g = rank_of s g) -> to_low t h k r = to_low s h k r.
Proof.
  intros s t h k r E. unfold to_low, Ranked.lower. f_equal. apply forallb_same. intros g _. now rewrite E.
Qed.

Lemma count_when : forall (p : support -> bool) b r, count p (when b r) = one (p r && b).
Proof.
  intros p b r. unfold when, count. destruct b; simpl; [| now rewrite andb_false_r]. rewrite andb_true_r.
  now destruct (p r).
Qed.

Theorem sent_lost : forall c d, retract_round c d -> owes c -> owes d.
Proof.
  intros c d [r P [V R] [A L] M | D X S E V R [A L] M | r P E [V R] A L] [XA XL]; split; intro h.
  - rewrite A, XA, M, count_app, count_when, (count_permutation _ _ _ _ P), count_cons.
    rewrite (count_same _ (supports (present (held d)) h) (supports (present (held c)) h))
      by (intros; now apply supports_same).
    unfold Ranked.supports at 1. fold (to h r) (visible (held c) r). unfold one. lia.
  - rewrite L, XL, M, R, count_app, count_when, (count_permutation _ _ _ _ P), count_cons.
    rewrite (count_same _ (supports_low (present (held d)) (rank_of (held d)) h (rank_of (held c) h))
      (supports_low (present (held c)) (rank_of (held c)) h (rank_of (held c) h)))
      by (intros; now apply supports_low_same).
    rewrite (count_same _ (to_low (held d) h (rank_of (held c) h)) (to_low (held c) h (rank_of (held c) h))
      (pending c))
      by (intros; now apply to_low_same).
    rewrite (to_low_same (held c) (held d)) by exact R.
    unfold Ranked.supports_low at 1, Ranked.supports. fold (to h r) (visible (held c) r). unfold to_low, one.
    destruct (to h r), (visible (held c) r), (lower (rank_of (held c)) (rank_of (held c) h) r); simpl; lia.
  - rewrite A, XA, M, E, count_app.
    rewrite (count_fired _ _ _ (fun r => forallb (present (held c)) (needs r) && existsb D (needs r)))
      by (intro; apply found_lost; intros g G; now apply S).
    rewrite (count_split _ (supports (present (held c)) h) (fun r => existsb D (needs r))).
    rewrite (count_same _ (supports (present (held d)) h)
      (fun r => supports (present (held c)) h r && negb (existsb D (needs r)))).
    + rewrite (count_same _ (fun r => to h r && (forallb (present (held c)) (needs r) && existsb D (needs r)))
        (fun r => supports (present (held c)) h r && existsb D (needs r))); [lia |].
      intros r _. unfold Ranked.supports. fold (to h r). now rewrite andb_assoc.
    + intros r _. unfold Ranked.supports. rewrite <- andb_assoc. f_equal.
      rewrite (forallb_same _ (present (held d)) (fun g => present (held c) g && negb (D g))) by (intros; apply V).
      clear. induction (needs r) as [| g l IH]; simpl; [reflexivity |]. rewrite IH.
      destruct (present (held c) g), (D g), (forallb (present (held c)) l), (existsb D l); reflexivity.
  - rewrite L, XL, M, E, R, count_app.
    rewrite (count_same _ (to_low (held d) h (rank_of (held c) h)) (to_low (held c) h (rank_of (held c) h))
      (pending c))
      by (intros; now apply to_low_same).
    rewrite (count_fired _ _ _ (fun r => forallb (present (held c)) (needs r) && existsb D (needs r)))
      by (intro; apply found_lost; intros g G; now apply S).
    rewrite (count_split _ (supports_low (present (held c)) (rank_of (held c)) h (rank_of (held c) h))
      (fun r => existsb D (needs r))).
    rewrite (count_same _ (supports_low (present (held d)) (rank_of (held d)) h (rank_of (held c) h))
      (fun r => supports_low (present (held c)) (rank_of (held c)) h (rank_of (held c) h) r &&
        negb (existsb D (needs r)))).
    + rewrite (count_same _
        (fun r => to_low (held d) h (rank_of (held c) h) r &&
          (forallb (present (held c)) (needs r) && existsb D (needs r)))
        (fun r => supports_low (present (held c)) (rank_of (held c)) h (rank_of (held c) h) r &&
          existsb D (needs r))); [lia |].
      intros r _. rewrite (to_low_same (held c) (held d)) by exact R.
      unfold Ranked.supports_low, Ranked.supports, to_low. fold (to h r).
      destruct (to h r), (forallb (present (held c)) (needs r)), (existsb D (needs r)),
        (lower (rank_of (held c)) (rank_of (held c) h) r); reflexivity.
    + intros r _. rewrite (supports_low_same _ _ (present (held d)) (fun g => present (held c) g && negb (D g))
        (rank_of (held d)) (rank_of (held c))) by assumption.
      unfold Ranked.supports_low, Ranked.supports.
      replace (forallb (fun g => present (held c) g && negb (D g)) (needs r))
        with (forallb (present (held c)) (needs r) && negb (existsb D (needs r))).
      * destruct (equal (gives r) h), (forallb (present (held c)) (needs r)), (existsb D (needs r)),
          (lower (rank_of (held c)) (rank_of (held c) h) r); reflexivity.
      * clear. induction (needs r) as [| g l IH]; simpl; [reflexivity |]. rewrite <- IH.
        destruct (present (held c) g), (D g), (forallb (present (held c)) l), (existsb D l); reflexivity.
  - rewrite A, XA, E, (count_permutation _ _ _ _ P), count_cons.
    rewrite (count_same _ (supports (present (held d)) h) (supports (present (held c)) h))
      by (intros; now apply supports_same).
    unfold one. destruct (to h r); lia.
  - rewrite L, XL, E, R, (count_permutation _ _ _ _ P), count_cons.
    rewrite (count_same _ (supports_low (present (held d)) (rank_of (held d)) h (rank_of (held c) h))
      (supports_low (present (held c)) (rank_of (held c)) h (rank_of (held c) h)))
      by (intros; now apply supports_low_same).
    rewrite (count_same _ (to_low (held d) h (rank_of (held c) h)) (to_low (held c) h (rank_of (held c) h))
      (pending d))
      by (intros; now apply to_low_same).
    unfold one. destruct (to_low (held c) h (rank_of (held c) h) r); lia.
Qed.

(** While supports are gained: what is right is a count and what is still to be added; what is under way is among the
    supports, each as often as there. *)
Definition due (c : configuration) : Prop :=
  (forall h, all (held c) h + count (to h) (pending c) = count (supports (present (held c)) h) (rules (held c))) /\
  (forall h, low (held c) h + count (to_low (held c) h (rank_of (held c) h)) (pending c) =
    count (supports_low (present (held c)) (rank_of (held c)) h (rank_of (held c) h)) (rules (held c))) /\
  (forall p : support -> bool, count p (pending c) <= count (fun r => p r && visible (held c) r) (rules (held c))).

Lemma pending_visible : forall c, due c -> forall r, In r (pending c) -> visible (held c) r = true.
Proof.
  intros c (_ & _ & U) r R. destruct (visible (held c) r) eqn:V; [reflexivity |]. exfalso.
  specialize (U (fun x => negb (visible (held c) x))).
  assert (P : count (fun x => negb (visible (held c) x)) (pending c) > 0).
  { apply count_positive. exists r. now rewrite V. }
  rewrite (count_same _ (fun x => negb (visible (held c) x) && visible (held c) x) (fun _ => false)) in U
    by (intros x _; now destruct (visible (held c) x)).
  assert (Z : count (fun _ : support => false) (rules (held c)) = 0).
  { unfold count. clear. induction (rules (held c)); simpl; auto. }
  lia.
Qed.

Lemma lower_apart : forall (p q : fact -> rank) (V E : fact -> bool) k r,
  (forall g, E g = false -> p g = q g) -> (forall g, E g = true -> V g = false) -> forallb V (needs r) = true ->
  lower p k r = lower q k r.
Proof.
  intros p q V E k r S X W. apply forallb_same. intros g G. rewrite S; [reflexivity |].
  rewrite forallb_forall in W. specialize (W g G). destruct (E g) eqn:T; [rewrite X in W; congruence | reflexivity].
Qed.

Theorem sent_gained : forall c d, assert_round c d -> due c -> due d.
Proof.
  intros c d S X. pose proof (pending_visible c X) as PV. destruct X as (XA & XL & U).
  destruct S as [r P [V R] [A L] M | E Y S F V R A L N M | r P F [V R] A L].
  - assert (SV : forall x, visible (held d) x = visible (held c) x) by (intro; apply forallb_same; intros; apply V).
    repeat split.
    + intro h. rewrite A, M, count_app, count_when, (count_permutation _ _ _ _ P), count_cons.
      rewrite (count_same _ (supports (present (held d)) h) (supports (present (held c)) h) (rules (held c)))
        by (intros; now apply supports_same).
      rewrite (supports_same _ _ (present (held d)) (present (held c))) by exact V.
      unfold Ranked.supports at 1. fold (to h r) (visible (held c) r). rewrite <- XA. unfold one. lia.
    + intro h. rewrite L, M, R, count_app, count_when, (count_permutation _ _ _ _ P), count_cons.
      rewrite (count_same _ (supports_low (present (held d)) (rank_of (held d)) h (rank_of (held c) h))
        (supports_low (present (held c)) (rank_of (held c)) h (rank_of (held c) h)) (rules (held c)))
        by (intros; now apply supports_low_same).
      rewrite (supports_low_same _ _ (present (held d)) (present (held c)) (rank_of (held d)) (rank_of (held c)))
        by assumption.
      rewrite (count_same _ (to_low (held d) h (rank_of (held c) h)) (to_low (held c) h (rank_of (held c) h))
        (pending c)) by (intros; now apply to_low_same).
      rewrite (to_low_same (held c) (held d)) by exact R.
      rewrite <- XL. unfold Ranked.supports_low, Ranked.supports. fold (to h r) (visible (held c) r). unfold
        to_low, one.
      destruct (to h r), (visible (held c) r), (lower (rank_of (held c)) (rank_of (held c) h) r); simpl; lia.
    + intro p. rewrite M, count_app, count_when, (count_permutation _ _ _ _ P), count_cons, SV.
      rewrite (count_same _ (fun x => p x && visible (held d) x) (fun x => p x && visible (held c) x))
        by (intros; now rewrite SV).
      specialize (U p). unfold one. lia.
  - set (W := fun g => present (held c) g || E g) in *.
    assert (New : forall r, found W (present (held c)) E (needs r) = one (forallb W (needs r) && existsb E (needs r)))
      by (intro; now apply found_new).
    assert (VW : forall x, visible (held d) x = forallb W (needs x)) by (intro; apply forallb_same; intros; apply V).
    assert (Old : forall x, forallb W (needs x) && negb (existsb E (needs x)) = visible (held c) x)
      by (intro; now apply forallb_apart).
    assert (SL : forall h k x, visible (held c) x = true -> to_low (held d) h k x = to_low (held c) h k x).
    { intros h k x G. unfold to_low. f_equal. now apply (lower_apart _ _ (present (held c)) E). }
    repeat split.
    + intro h. rewrite A, M, F, count_app, (count_fired _ _ _ _ _ _ New).
      rewrite (count_split _ (supports (present (held d)) h) (fun r => existsb E (needs r))).
      rewrite (count_same _ (fun x => supports (present (held d)) h x && negb (existsb E (needs x)))
        (supports (present (held c)) h)).
      * rewrite <- XA. rewrite (count_same _ (fun x => to h x && (forallb W (needs x) && existsb E (needs x)))
          (fun x => supports (present (held d)) h x && existsb E (needs x))); [lia |].
        intros x _. unfold Ranked.supports. fold (to h x) (visible (held d) x). rewrite VW. now rewrite andb_assoc.
      * intros x _. unfold Ranked.supports. fold (to h x) (visible (held d) x) (visible (held c) x).
        rewrite VW, <- andb_assoc, Old. reflexivity.
    + intro h. rewrite M, F, count_app, (count_fired _ _ _ _ _ _ New).
      rewrite (count_split _ (supports_low (present (held d)) (rank_of (held d)) h (rank_of (held d) h))
        (fun r => existsb E (needs r))).
      rewrite (count_same _ (fun x => supports_low (present (held d)) (rank_of (held d)) h (rank_of (held d) h) x &&
          negb (existsb E (needs x)))
        (supports_low (present (held c)) (rank_of (held c)) h (rank_of (held d) h))).
      2: { intros x _. unfold Ranked.supports_low, Ranked.supports.
        fold (to h x) (visible (held d) x) (visible (held c) x). rewrite VW, <- Old.
        destruct (existsb E (needs x)) eqn:Ex; [now rewrite !andb_false_r |].
        rewrite !andb_true_r. destruct (forallb W (needs x)) eqn:Fw; [| now rewrite !andb_false_r].
        f_equal. apply (lower_apart _ _ (present (held c)) E); auto.
        fold (visible (held c) x). now rewrite <- Old, Ex, Fw. }
      rewrite (count_same _ (fun x => to_low (held d) h (rank_of (held d) h) x &&
          (forallb W (needs x) && existsb E (needs x)))
        (fun x => supports_low (present (held d)) (rank_of (held d)) h (rank_of (held d) h) x &&
          existsb E (needs x))).
      2: { intros x _. unfold Ranked.supports_low, Ranked.supports, to_low. fold (to h x) (visible (held d) x).
        rewrite VW. destruct (to h x), (forallb W (needs x)), (existsb E (needs x)),
          (lower (rank_of (held d)) (rank_of (held d) h) x); reflexivity. }
      rewrite (count_same _ (to_low (held d) h (rank_of (held d) h)) (to_low (held c) h (rank_of (held d) h))
        (pending c)) by (intros x Hx; apply SL; now apply PV).
      destruct (E h) eqn:Eh.
      * destruct (N h Eh) as [N1 _]. rewrite N1. unfold taken_low.
        assert (Q : count (to_low (held c) h (rank_of (held d) h)) (pending c) <=
          count (supports_low (present (held c)) (rank_of (held c)) h (rank_of (held d) h)) (rules (held c))).
        { rewrite (U (to_low (held c) h (rank_of (held d) h))). apply Nat.eq_le_incl. apply count_same.
          intros x _. unfold Ranked.supports_low, Ranked.supports, to_low. fold (to h x) (visible (held c) x).
          destruct (to h x), (visible (held c) x), (lower (rank_of (held c)) (rank_of (held d) h) x); reflexivity. }
        lia.
      * rewrite (L h Eh), (R h Eh), <- XL. lia.
    + intro p. rewrite M, F, count_app, (count_fired _ _ _ _ _ _ New).
      rewrite (count_split _ (fun x => p x && visible (held d) x) (fun x => existsb E (needs x))).
      rewrite (count_same _ (fun x => p x && visible (held d) x && negb (existsb E (needs x)))
        (fun x => p x && visible (held c) x)) by (intros x _; rewrite VW, <- andb_assoc; now rewrite Old).
      rewrite (count_same _ (fun x => p x && visible (held d) x && existsb E (needs x))
        (fun x => p x && (forallb W (needs x) && existsb E (needs x)))) by (intros x _; now rewrite VW, andb_assoc).
      specialize (U p). lia.
  - assert (SV : forall x, visible (held d) x = visible (held c) x) by (intro; apply forallb_same; intros; apply V).
    repeat split.
    + intro h. rewrite A, F. rewrite (count_same _ (supports (present (held d)) h) (supports (present (held c)) h))
        by (intros; now apply supports_same).
      rewrite <- XA, (count_permutation _ _ _ _ P), count_cons. unfold one. lia.
    + intro h. rewrite L, F, R.
      rewrite (count_same _ (supports_low (present (held d)) (rank_of (held d)) h (rank_of (held c) h))
        (supports_low (present (held c)) (rank_of (held c)) h (rank_of (held c) h)))
        by (intros; now apply supports_low_same).
      rewrite (count_same _ (to_low (held d) h (rank_of (held c) h)) (to_low (held c) h (rank_of (held c) h))
        (pending d)) by (intros; now apply to_low_same).
      rewrite <- XL, (count_permutation _ _ _ _ P), count_cons. unfold one. lia.
    + intro p. rewrite F. rewrite (count_same _ (fun x => p x && visible (held d) x) (fun x => p x && visible
      (held c) x))
        by (intros; now rewrite SV).
      rewrite <- (U p), (count_permutation _ _ _ _ P), count_cons. lia.
Qed.

(** ** Epochs *)

Inductive runs (step : configuration -> configuration -> Prop) : configuration -> configuration -> Prop :=
| runs_nil : forall c, runs step c c
| runs_cons : forall c d e, step c d -> runs step d e -> runs step c e.

Lemma runs_keep : forall (step : configuration -> configuration -> Prop) (P : configuration -> Prop),
  (forall c d, step c d -> P c -> P d) -> forall c d, runs step c d -> P c -> P d.
Proof.
  intros step P K c d S. induction S; eauto.
Qed.

Lemma assert_round_retracted : forall c d, assert_round c d -> retracted (held c) -> retracted (held d).
Proof.
  intros c d [r P [V R] [A L] M | E Y S F V R A L N M | r P F [V R] A L] Q f G.
  - rewrite V in G. rewrite L. now apply Q.
  - destruct (E f) eqn:T; [now apply N |]. rewrite (L f T). apply Q. rewrite V, T, orb_false_r in G. exact G.
  - rewrite V in G. specialize (Q f G). rewrite L. lia.
Qed.

(** Messages may wait as long as they like; at the barrier, and at the end, none is left. *)
Definition epoch_of_rounds (s t : state) : Prop :=
  exists b, runs retract_round (Configuration s []) (Configuration b []) /\ retracted b /\
    runs assert_round (Configuration b []) (Configuration t []) /\ asserted t.

Lemma nothing_owed : forall s, owes (Configuration s []) <-> exact s.
Proof.
  intro s. split; intros [A L]; split; intro h; specialize (A h); specialize (L h); simpl in *;
    unfold count in *; simpl in *; lia.
Qed.

Lemma nothing_due : forall s, due (Configuration s []) <-> exact s.
Proof.
  intro s. split.
  - intros (A & L & _). split; intro h; specialize (A h); specialize (L h); simpl in *; unfold count in *; simpl in *;
      lia.
  - intros [A L]. repeat split; simpl.
    + intro h. specialize (A h). unfold count in *. simpl. lia.
    + intro h. specialize (L h). unfold count in *. simpl. lia.
    + intro p. unfold count. simpl. lia.
Qed.

Theorem rounds_from_exact : forall s t, epoch_of_rounds s t -> exact s -> I1 t /\ I2 t.
Proof.
  intros s t (b & R & Q & A & Z) X.
  assert (B : exact b) by now apply nothing_owed, (runs_keep _ _ sent_lost _ _ R), nothing_owed.
  assert (T : exact t) by now apply nothing_due, (runs_keep _ _ sent_gained _ _ A), nothing_due.
  assert (P : retracted t).
  { exact (runs_keep _ (fun c => retracted (held c)) assert_round_retracted _ _ A Q). }
  destruct T as [TA TL]. split; split; assumption.
Qed.

Theorem rounds_keep_invariants : forall s t, epoch_of_rounds s t -> I1 s -> I2 s -> I1 t /\ I2 t.
Proof.
  intros s t E [XA _] [XL _]. apply (rounds_from_exact s t E). now split.
Qed.

Theorem rounds_least_model : forall s t, epoch_of_rounds s t -> I1 s -> I2 s ->
  forall f, present t f = true <-> least_model fact (rules t) f.
Proof.
  intros s t E H1 H2. destruct (rounds_keep_invariants s t E H1 H2). now apply (ranked_least_model fact fact_dec).
Qed.

(** ** Every phase ends *)

Notation covered := (covered fact).
Notation weight := (weight fact).

(** A round of the first phase leaves fewer rules and visible facts, or as many and fewer messages. *)
Theorem retract_round_shrinks : forall U c d, covered U (held c) -> retract_round c d ->
  weight U (held d) < weight U (held c) \/
  (weight U (held d) = weight U (held c) /\ length (pending d) < length (pending c)).
Proof.
  intros U c d C [r P [V R] K M | D (f & Df) S E V R K M | r P E [V R] A L]; unfold Progress.weight.
  - left. apply Permutation_length in P. simpl in P.
    rewrite (count_same _ (present (held d)) (present (held c))) by (intros; apply V). lia.
  - left. rewrite E. apply Nat.add_lt_mono_l. destruct (S f Df) as [F _]. apply (count_less _ _ _ U f); auto.
    + intros g. rewrite V. intro G. now apply andb_true_iff in G.
    + now rewrite V, F, Df.
  - right. rewrite E, (count_same _ (present (held d)) (present (held c))) by (intros; apply V).
    apply Permutation_length in P. simpl in P. lia.
Qed.

(** A round of the second phase that brings no rule leaves fewer facts out of sight, or as many and fewer messages. *)
Theorem assert_round_shrinks : forall U c d, (forall r, In r (rules (held c)) -> In (gives r) U) -> assert_round c d ->
  length (rules (held d)) = length (rules (held c)) ->
  let out s := count (fun f => negb (present s f)) U in
  out (held d) < out (held c) \/ (out (held d) = out (held c) /\ length (pending d) < length (pending c)).
Proof.
  intros U c d H [r P [V R] K M | E (f & Ef) S F V R A L N M | r P F [V R] A L] Same out; unfold out.
  - apply Permutation_length in P. simpl in P. lia.
  - left. destruct (N f Ef) as [Q T]. rewrite Q in T. unfold taken_low in T.
    assert (Z : count (supports_low (present (held c)) (rank_of (held c)) f (rank_of (held d) f)) (rules (held c)) > 0)
      by lia.
    apply count_positive in Z. destruct Z as (r & Rr & Z). unfold Ranked.supports_low, Ranked.supports in Z.
    rewrite !andb_true_iff in Z. destruct Z as [[Z _] _]. apply equal_spec in Z.
    apply (count_less _ _ _ U f).
    + intros g. rewrite V, negb_orb, andb_true_iff. tauto.
    + rewrite <- Z. now apply H.
    + now rewrite (S f Ef).
    + now rewrite V, Ef, orb_true_r.
  - right. rewrite (count_same _ (fun f => negb (present (held d) f)) (fun f => negb (present (held c) f)))
      by (intros; now rewrite V).
    apply Permutation_length in P. simpl in P. lia.
Qed.

(** ** No search for those that enter, and no body in a message *)

Lemma taken_all : forall c f k, due c ->
  taken_low c f k + count (fun r => supports (present (held c)) f r && negb (lower (rank_of (held c)) k r))
    (rules (held c)) =
  all (held c) f + count (fun r => to f r && negb (lower (rank_of (held c)) k r)) (pending c).
Proof.
  intros c f k (XA & _ & U). specialize (XA f).
  rewrite (count_split _ _ (lower (rank_of (held c)) k)) in XA.
  rewrite (count_split _ (supports (present (held c)) f) (lower (rank_of (held c)) k)) in XA.
  specialize (U (to_low (held c) f k)). unfold taken_low. fold (to_low (held c) f k) in XA.
  change (count (fun r => to f r && lower (rank_of (held c)) k r) (pending c)) with (count (to_low (held c) f
    k) (pending c)) in XA.
  change (count (fun r => supports (present (held c)) f r && lower (rank_of (held c)) k r) (rules (held c)))
    with (count (supports_low (present (held c)) (rank_of (held c)) f k) (rules (held c))) in XA.
  rewrite (count_same _ (fun r => to_low (held c) f k r && visible (held c) r)
    (supports_low (present (held c)) (rank_of (held c)) f k)) in U.
  - lia.
  - intros x _. unfold Ranked.supports_low, Ranked.supports, to_low. fold (to f x) (visible (held c) x).
    destruct (to f x), (visible (held c) x), (lower (rank_of (held c)) k x); reflexivity.
Qed.

(** Above every fact in sight: what was taken is of lower rank, [low] is [all], whatever is still under way. *)
Theorem revived_low_taken : forall c f k, due c ->
  (forall g, present (held c) g = true -> below (rank_of (held c) g) k = true) -> taken_low c f k = all (held c) f.
Proof.
  intros c f k X T. pose proof (taken_all c f k X) as H.
  assert (Low : forall r, visible (held c) r = true -> lower (rank_of (held c)) k r = true).
  { intros r V. apply forallb_forall. intros g G. unfold visible in V. rewrite forallb_forall in V. auto. }
  assert (Z : forall (p : support -> bool) l, (forall r, In r l -> p r = false) -> count p l = 0).
  { intros p l N. rewrite (count_same _ p (fun _ => false)) by exact N. unfold count. clear. induction l;
    simpl; auto. }
  rewrite !Z in H; [lia | |].
  - intros r R. rewrite (Low r); [now rewrite andb_false_r | now apply (pending_visible c X)].
  - intros r _. unfold Ranked.supports. fold (visible (held c) r). destruct (visible (held c) r) eqn:V.
    + rewrite (Low r V). now rewrite andb_false_r.
    + now rewrite andb_false_r.
Qed.

(** With one support taken that its rank is above, a fact enters with [low] = 1, whatever is still under way. *)
Theorem first_low_taken : forall c f k, due c -> all (held c) f = 1 -> taken_low c f k > 0 -> taken_low c f k = 1.
Proof.
  intros c f k X One P. pose proof (taken_all c f k X) as H. destruct X as (_ & _ & U).
  specialize (U (fun r => to f r && negb (lower (rank_of (held c)) k r))).
  rewrite (count_same _ (fun r => to f r && negb (lower (rank_of (held c)) k r) && visible (held c) r)
    (fun r => supports (present (held c)) f r && negb (lower (rank_of (held c)) k r))) in U; [lia |].
  intros x _. unfold Ranked.supports. fold (to f x) (visible (held c) x).
  destruct (to f x), (visible (held c) x), (lower (rank_of (held c)) k x); reflexivity.
Qed.

(** The higher of two ranks, and the highest of a body: all that a message has to carry. *)
Definition higher (k l : rank) : rank := if below k l then l else k.

Definition highest (rk : fact -> rank) (l : list fact) : option rank :=
  fold_right (fun f k => Some (match k with None => rk f | Some k => higher (rk f) k end)) None l.

Lemma higher_below : forall k l m, below (higher k l) m = below k m && below l m.
Proof.
  intros k l m. unfold higher. destruct (below k l) eqn:B, (below k m) eqn:K, (below l m) eqn:L; auto; exfalso;
    repeat match goal with
    | H : below _ _ = true |- _ => apply below_spec in H
    | H : below ?a ?b = false |- _ =>
      assert (~ (fst a < fst b \/ (fst a = fst b /\ snd a < snd b))) by (rewrite <- below_spec; congruence); clear H
    end; lia.
Qed.

Theorem message_rank : forall rk k r,
  lower rk k r = match highest rk (needs r) with None => true | Some m => below m k end.
Proof.
  intros rk k [h l]. unfold Ranked.lower, needs. induction l as [| g l IH]; simpl; [reflexivity |]. rewrite IH.
  destruct (highest rk l); simpl; [| now rewrite andb_true_r]. now rewrite higher_below.
Qed.

End Rounds.
