(** Several strata with negation: the perfect model, and epochs that visit one stratum after the other.

    A clause derives a fact from facts that it reads and facts that it lacks. Every fact has a level, its stratum; a
    clause reads no higher level and lacks lower levels only. The perfect model has, at every level, what follows
    there once the lower levels are decided ([perfect]); it is the one stable model ([perfect_stable],
    [perfect_unique]).

    The counts are those of the engine: a support is a clause whose facts are present and whose negated facts are
    absent, and it is of lower rank if the facts that it reads *of the same level* are. A [slice] is one level as
    Ranked.v knows it: what lower levels decide is in its list of rules. So the invariants of all levels are those of
    all slices ([slices_invariants]), they make the facts present the perfect model ([strata_perfect_model]), and an
    epoch that takes every slice from its old rules to its new ones, over the new lower levels, keeps them
    ([strata_keep_invariants]). There is one for whatever clauses go and come ([strata_epoch_exists]). *)

From Coq Require Import List Arith Lia Bool Permutation.
From Tidelog Require Import Ranked Epoch Progress Rounds.
Import ListNotations.

Record clause (fact : Type) := Clause { derives : fact; reads : list fact; lacks : list fact }.
Arguments Clause {fact}.
Arguments derives {fact}.
Arguments reads {fact}.
Arguments lacks {fact}.

Section Strata.

Variable fact : Type.
Variable fact_dec : forall f g : fact, {f = g} + {f <> g}.
Variable level : fact -> nat.

Notation clause := (clause fact).
Notation support := (support fact).
Notation state := (state fact).
Notation equal := (equal fact fact_dec).
Notation supports := (supports fact fact_dec).
Notation supports_low := (supports_low fact fact_dec).
Notation I1 := (I1 fact fact_dec).
Notation I2 := (I2 fact fact_dec).

Definition stratified (c : clause) : Prop :=
  (forall g, In g (reads c) -> level g <= level (derives c)) /\
  (forall g, In g (lacks c) -> level g < level (derives c)).

(** ** The perfect model *)

Section Meaning.

Variable C : clause -> Prop.
Hypothesis C_stratified : forall c, C c -> stratified c.

(** What follows at one level, the others being decided. *)
Inductive follows (I : fact -> Prop) (n : nat) : fact -> Prop :=
| follows_clause : forall c, C c -> level (derives c) = n ->
    (forall g, In g (reads c) -> level g < n -> I g) ->
    (forall g, In g (reads c) -> level g = n -> follows I n g) ->
    (forall g, In g (lacks c) -> ~ I g) -> follows I n (derives c).

Definition perfect (I : fact -> Prop) : Prop := forall f, I f <-> follows I (level f) f.

Lemma follows_level : forall I n f, follows I n f -> level f = n.
Proof.
  now intros I n f [c _ L _ _ _].
Qed.

Lemma follows_same : forall I J n, (forall g, level g < n -> (I g <-> J g)) ->
  forall f, follows I n f -> follows J n f.
Proof.
  intros I J n S f F. induction F as [c K L R _ IH N]. apply follows_clause; auto.
  - intros g G H. apply S; auto.
  - intros g G H. apply (N g G). apply S; [| exact H].
    destruct (C_stratified c K) as [_ B]. specialize (B g G). lia.
Qed.

Theorem perfect_unique : forall I J, perfect I -> perfect J -> forall f, I f <-> J f.
Proof.
  intros I J PI PJ f. remember (level f) as n eqn:L. revert f L.
  induction n as [n IH] using (well_founded_induction lt_wf). intros f ->.
  assert (S : forall g, level g < level f -> (I g <-> J g)) by (intros g G; now apply (IH (level g))).
  rewrite (PI f), (PJ f). split; apply follows_same; intros g G; specialize (S g G); tauto.
Qed.

(** The same, not level by level: what is founded when exactly the facts of [I] count as present to negation. *)
Inductive founded (I : fact -> Prop) : fact -> Prop :=
| founded_clause : forall c, C c -> (forall g, In g (reads c) -> founded I g) ->
    (forall g, In g (lacks c) -> ~ I g) -> founded I (derives c).

Definition stable (I : fact -> Prop) : Prop := forall f, I f <-> founded I f.

Theorem perfect_stable : forall I, perfect I <-> stable I.
Proof.
  intro I. split; intro P.
  - intro f. split.
    + remember (level f) as n eqn:L. revert f L. induction n as [n IH] using (well_founded_induction lt_wf).
      intros f L H. apply P in H. rewrite <- L in H. clear L. induction H as [c K L R _ IHc N].
      apply founded_clause; auto. intros g G. destruct (C_stratified c K) as [B _]. specialize (B g G).
      destruct (Nat.eq_dec (level g) n) as [E | E]; [now apply IHc |].
      apply (IH (level g)); [lia | reflexivity |]. apply R; [exact G | lia].
    + intro H. induction H as [c K _ IH N]. apply P. apply follows_clause; auto.
      intros g G E. rewrite <- E. apply P. now apply IH.
  - intro f. split.
    + intro H. apply P in H. induction H as [c K F IH N]. apply follows_clause; auto.
      * intros g G _. apply P. now apply F.
      * intros g G E. rewrite <- E. now apply IH.
    + intro H. apply P. remember (level f) as n eqn:L. clear L. induction H as [c K L R _ IH N].
      apply founded_clause; auto. intros g G. destruct (C_stratified c K) as [B _]. specialize (B g G).
      destruct (Nat.eq_dec (level g) n) as [E | E]; [now apply IH |]. apply P, R; [exact G | lia].
Qed.

End Meaning.

(** ** States of several strata *)

Record whole := Whole {
  clauses : list clause;
  shown : fact -> bool;
  ranked_at : fact -> rank;
  counted : fact -> nat;
  counted_low : fact -> nat
}.

Definition holds (V : fact -> bool) (c : clause) : bool :=
  forallb V (reads c) && forallb (fun g => negb (V g)) (lacks c).

Definition gives_support (w : whole) (f : fact) (c : clause) : bool := equal (derives c) f && holds (shown w) c.

Definition gives_low (w : whole) (f : fact) (c : clause) : bool :=
  gives_support w f c &&
  forallb (fun g => (level g <? level f) || below (ranked_at w g) (ranked_at w f)) (reads c).

Definition J1 (w : whole) : Prop :=
  (forall f, counted w f = count (gives_support w f) (clauses w)) /\ (forall f, shown w f = false -> counted w f = 0).

Definition J2 (w : whole) : Prop :=
  (forall f, counted_low w f = count (gives_low w f) (clauses w)) /\
  (forall f, shown w f = true -> counted_low w f > 0).

(** One level: clauses of which all but the level itself is decided, as ground rules. *)
Definition decided (n : nat) (V : fact -> bool) (c : clause) : bool :=
  (level (derives c) =? n) && forallb (fun g => (level g =? n) || V g) (reads c) &&
  forallb (fun g => negb (V g)) (lacks c).

Definition residue (n : nat) (c : clause) : support :=
  Support (derives c) (filter (fun g => level g =? n) (reads c)).

Definition reduct (n : nat) (V : fact -> bool) (P : list clause) : list support :=
  map (residue n) (filter (decided n V) P).

Definition at_level {A : Type} (n : nat) (f : fact) (x y : A) : A := if level f =? n then x else y.

Definition slice (n : nat) (w : whole) : state :=
  State (reduct n (shown w) (clauses w)) (fun f => shown w f && (level f =? n)) (ranked_at w)
    (fun f => at_level n f (counted w f) 0) (fun f => at_level n f (counted_low w f) 0).

Lemma count_map_filter : forall (A B : Type) (p : B -> bool) (h : A -> B) (q : A -> bool) l,
  count p (map h (filter q l)) = count (fun x => q x && p (h x)) l.
Proof.
  intros A B p h q l. unfold count. induction l as [| x l IH]; simpl; [reflexivity |].
  destruct (q x); simpl; [| exact IH]. destruct (p (h x)); simpl; now rewrite IH.
Qed.

Lemma count_none : forall (A : Type) (p : A -> bool) l, (forall x, In x l -> p x = false) -> count p l = 0.
Proof.
  intros A p l N. rewrite (count_same _ p (fun _ => false)) by exact N. unfold count. clear. induction l; simpl; auto.
Qed.

(** All facts of a body are present if those of lower levels are, and those of the level itself. *)
Lemma split_levels : forall n (V : fact -> bool) l,
  forallb (fun g => (level g =? n) || V g) l && forallb (fun f => V f && (level f =? n)) (filter (fun g =>
    level g =? n) l)
  = forallb V l.
Proof.
  intros n V l. induction l as [| g l IH]; simpl; [reflexivity |]. rewrite <- IH.
  destruct (level g =? n) eqn:E; simpl.
  - rewrite E, andb_true_r. destruct (V g), (forallb (fun g => (level g =? n) || V g) l); reflexivity.
  - destruct (V g); reflexivity.
Qed.

Lemma slice_supports : forall n w f, level f = n ->
  count (supports (present (slice n w)) f) (rules (slice n w)) = count (gives_support w f) (clauses w).
Proof.
  intros n w f L. unfold slice, reduct. simpl. rewrite count_map_filter. apply count_same. intros c _.
  unfold decided, gives_support, holds, Ranked.supports. simpl.
  destruct (equal (derives c) f) eqn:E; simpl; [| now rewrite andb_false_r].
  apply equal_spec in E. rewrite E, L, Nat.eqb_refl. simpl.
  rewrite <- (split_levels n (shown w) (reads c)).
  destruct (forallb (fun g => (level g =? n) || shown w g) (reads c)); simpl; [| reflexivity].
  now rewrite andb_comm.
Qed.

Lemma slice_low : forall n w f, level f = n -> (forall c, In c (clauses w) -> stratified c) ->
  count (supports_low (present (slice n w)) (ranked_at w) f (ranked_at w f)) (rules (slice n w)) =
  count (gives_low w f) (clauses w).
Proof.
  intros n w f L St. unfold slice, reduct. simpl. rewrite count_map_filter. apply count_same. intros c K.
  unfold decided, gives_low, gives_support, holds, Ranked.supports_low, Ranked.supports, Ranked.lower. simpl.
  destruct (equal (derives c) f) eqn:E; simpl; [| now rewrite andb_false_r].
  apply equal_spec in E. rewrite E, L, Nat.eqb_refl. simpl.
  rewrite <- (split_levels n (shown w) (reads c)).
  replace (forallb (fun g => (level g <? n) || below (ranked_at w g) (ranked_at w f)) (reads c))
    with (forallb (fun g => below (ranked_at w g) (ranked_at w f)) (filter (fun g => level g =? n) (reads c))).
  - destruct (forallb (fun g => (level g =? n) || shown w g) (reads c)); simpl; [| reflexivity].
    destruct (forallb (fun g => negb (shown w g)) (lacks c)); simpl; [| now rewrite andb_false_r].
    now rewrite andb_true_r.
  - destruct (St c K) as [B _]. rewrite E, L in B. clear -B.
    induction (reads c) as [| g l IH]; simpl; [reflexivity |]. rewrite <- IH by (intros x X; apply B; now right).
    pose proof (B g (or_introl eq_refl)). destruct (level g =? n) eqn:Q.
    + apply Nat.eqb_eq in Q. rewrite Q, Nat.ltb_irrefl. reflexivity.
    + apply Nat.eqb_neq in Q. assert (T : level g <? n = true) by (apply Nat.ltb_lt; lia). now rewrite T.
Qed.

(** The rules of a slice give facts of its level only. *)
Lemma reduct_level : forall n V P r, In r (reduct n V P) -> level (gives r) = n.
Proof.
  intros n V P r R. unfold reduct in R. apply in_map_iff in R. destruct R as (c & <- & K).
  apply filter_In in K. destruct K as [_ K]. unfold decided in K. rewrite !andb_true_iff in K.
  destruct K as [[K _] _]. now apply Nat.eqb_eq in K.
Qed.

Lemma other_level : forall n V P f (p : support -> bool), level f <> n ->
  count (fun r => equal (gives r) f && p r) (reduct n V P) = 0.
Proof.
  intros n V P f p L. apply count_none. intros r R. apply reduct_level in R.
  destruct (equal (gives r) f) eqn:E; [| reflexivity]. apply equal_spec in E. congruence.
Qed.

Lemma other_low : forall n V P f W rk k, level f <> n -> count (supports_low W rk f k) (reduct n V P) = 0.
Proof.
  intros n V P f W rk k L.
  rewrite (count_same _ _ (fun r => equal (gives r) f && (forallb W (needs r) && lower fact rk k r))).
  - now apply other_level.
  - intros r _. unfold Ranked.supports_low, Ranked.supports. now rewrite andb_assoc.
Qed.

Theorem slices_invariants : forall w, (forall c, In c (clauses w) -> stratified c) ->
  (J1 w /\ J2 w <-> forall n, I1 (slice n w) /\ I2 (slice n w)).
Proof.
  intros w St. split.
  - intros [[A Z] [L P]] n. split; split; intro f; simpl; unfold at_level; destruct (level f =? n) eqn:E.
    + apply Nat.eqb_eq in E. rewrite A. symmetry. now apply slice_supports.
    + apply Nat.eqb_neq in E. symmetry. now apply other_level.
    + rewrite andb_true_r. apply Z.
    + reflexivity.
    + apply Nat.eqb_eq in E. rewrite L. symmetry. now apply slice_low.
    + apply Nat.eqb_neq in E. symmetry. now apply other_low.
    + rewrite andb_true_r. apply P.
    + rewrite andb_false_r. discriminate.
  - intro H.
    assert (S : forall f, exact_all fact fact_dec (slice (level f) w) /\ exact_low fact fact_dec (slice (level f) w)).
    { intro f. destruct (H (level f)) as [[A _] [L _]]. now split. }
    split; split; intro f; destruct (H (level f)) as [[A Z] [L P]].
    + specialize (A f). simpl in A. unfold at_level in A. rewrite Nat.eqb_refl in A. rewrite A.
      now apply slice_supports.
    + specialize (Z f). simpl in Z. unfold at_level in Z. rewrite Nat.eqb_refl, andb_true_r in Z. exact Z.
    + specialize (L f). simpl in L. unfold at_level in L. rewrite Nat.eqb_refl in L. rewrite L. now apply slice_low.
    + specialize (P f). simpl in P. unfold at_level in P. rewrite Nat.eqb_refl, andb_true_r in P. exact P.
Qed.

(** ** They say: this is the perfect model *)

Lemma reduct_follows : forall n w f, (forall c, In c (clauses w) -> stratified c) ->
  (least_model fact (reduct n (shown w) (clauses w)) f <->
   follows (fun c => In c (clauses w)) (fun g => shown w g = true) n f).
Proof.
  intros n w f St. split.
  - intro L. apply L. intros r R B. unfold reduct in R. apply in_map_iff in R. destruct R as (c & <- & K).
    apply filter_In in K. destruct K as [K D]. unfold decided in D. rewrite !andb_true_iff in D.
    destruct D as [[D1 D2] D3]. apply Nat.eqb_eq in D1. rewrite forallb_forall in D2, D3. simpl.
    apply follows_clause; auto.
    + intros g G H. specialize (D2 g G). apply orb_true_iff in D2. destruct D2 as [E | E]; [| exact E].
      apply Nat.eqb_eq in E. lia.
    + intros g G E. apply B. simpl. apply filter_In. split; [exact G | now apply Nat.eqb_eq].
    + intros g G T. specialize (D3 g G). rewrite T in D3. discriminate.
  - intros F I M. induction F as [c K L R _ IH N]. apply (M (residue n c)).
    + unfold reduct. apply in_map. apply filter_In. split; [exact K |]. unfold decided. rewrite !andb_true_iff.
      repeat split; [now apply Nat.eqb_eq | |]; apply forallb_forall; intros g G.
      * apply orb_true_iff. destruct (St c K) as [B _]. specialize (B g G).
        destruct (Nat.eq_dec (level g) n) as [E | E]; [left; now apply Nat.eqb_eq |]. right. apply R; [exact G | lia].
      * specialize (N g G). destruct (shown w g); [exfalso; now apply N | reflexivity].
    + simpl. intros g G. apply filter_In in G. destruct G as [G E]. apply Nat.eqb_eq in E. now apply IH.
Qed.

Theorem strata_perfect_model : forall w, (forall c, In c (clauses w) -> stratified c) -> J1 w -> J2 w ->
  perfect (fun c => In c (clauses w)) (fun f => shown w f = true).
Proof.
  intros w St H1 H2 f. destruct (proj1 (slices_invariants w St) (conj H1 H2) (level f)) as [S1 S2].
  pose proof (ranked_least_model fact fact_dec _ S1 S2 f) as M. simpl in M. rewrite Nat.eqb_refl, andb_true_r in M.
  rewrite M. now apply reduct_follows.
Qed.

(** ** Epochs *)

(** The state that an epoch of one level leaves is the slice of the whole state after it. *)
Definition leaves (n : nat) (u : state) (x : whole) : Prop :=
  Permutation (rules u) (rules (slice n x)) /\
  (forall f, present u f = present (slice n x) f) /\
  (forall f, level f = n -> rank_of u f = ranked_at x f) /\
  (forall f, all u f = all (slice n x) f) /\ (forall f, low u f = low (slice n x) f).

(** Level by level, each over the lower levels as they are afterwards, by steps or by rounds. *)
Definition epoch_of_strata (w x : whole) : Prop :=
  forall n, exists u, (epoch fact fact_dec (slice n w) u \/ epoch_of_rounds fact fact_dec (slice n w) u) /\
    leaves n u x.

Lemma leaves_invariants : forall n u x, leaves n u x -> I1 u -> I2 u -> I1 (slice n x) /\ I2 (slice n x).
Proof.
  intros n u x (P & V & R & A & L) [XA Z] [XL Q]. split; split; intro f.
  - rewrite <- A, XA, (count_permutation _ _ _ _ P). apply count_same. intros r _. now apply supports_same.
  - rewrite <- V, <- A. apply Z.
  - destruct (Nat.eq_dec (level f) n) as [E | E].
    + rewrite <- L, XL, (count_permutation _ _ _ _ P). apply count_same. intros r K. change (rank_of (slice n
      x)) with (ranked_at x).
      rewrite (R f E). unfold Ranked.supports_low. f_equal; [now apply supports_same |].
      unfold Ranked.lower. apply forallb_same. intros g G. rewrite R; [reflexivity |].
      simpl in K. unfold reduct in K. apply in_map_iff in K. destruct K as (c & <- & _). simpl in G.
      apply filter_In in G. now apply Nat.eqb_eq.
    + simpl. rewrite other_low by exact E. unfold at_level. apply Nat.eqb_neq in E. now rewrite E.
  - rewrite <- V, <- L. apply Q.
Qed.

Theorem strata_keep_invariants : forall w x, epoch_of_strata w x ->
  (forall c, In c (clauses w) -> stratified c) -> (forall c, In c (clauses x) -> stratified c) ->
  J1 w -> J2 w -> J1 x /\ J2 x.
Proof.
  intros w x E Sw Sx H1 H2. apply slices_invariants; [exact Sx |]. intro n.
  destruct (proj1 (slices_invariants w Sw) (conj H1 H2) n) as [S1 S2].
  destruct (E n) as (u & [K | K] & F); apply (leaves_invariants n u x F).
  1, 2: now apply (epoch_keeps_invariants fact fact_dec _ _ K).
  1, 2: now apply (rounds_keep_invariants fact fact_dec _ _ K).
Qed.

Theorem strata_epoch_perfect : forall w x, epoch_of_strata w x ->
  (forall c, In c (clauses w) -> stratified c) -> (forall c, In c (clauses x) -> stratified c) ->
  J1 w -> J2 w -> perfect (fun c => In c (clauses x)) (fun f => shown x f = true).
Proof.
  intros w x E Sw Sx H1 H2. destruct (strata_keep_invariants w x E Sw Sx H1 H2). now apply strata_perfect_model.
Qed.

(** ** There is one *)

Lemma reduct_same : forall n V W P, (forall c, In c P -> stratified c) -> (forall g, level g < n -> V g = W g) ->
  reduct n V P = reduct n W P.
Proof.
  intros n V W P St S. unfold reduct. f_equal. apply filter_ext_in. intros c K. unfold decided.
  destruct (level (derives c) =? n) eqn:E; simpl; [| reflexivity]. apply Nat.eqb_eq in E.
  destruct (St c K) as [B D]. f_equal; apply forallb_same; intros g G.
  - specialize (B g G). destruct (level g =? n) eqn:Q; [reflexivity |]. apply Nat.eqb_neq in Q. simpl. apply S. lia.
  - specialize (D g G). f_equal. apply S. lia.
Qed.

Definition joined (n : nat) (u : state) (x : whole) : whole :=
  Whole (clauses x) (fun f => at_level n f (present u f) (shown x f))
    (fun f => at_level n f (rank_of u f) (ranked_at x f)) (fun f => at_level n f (all u f) (counted x f))
    (fun f => at_level n f (low u f) (counted_low x f)).

Lemma at_level_other : forall (A : Type) n f (x y : A), level f <> n -> at_level n f x y = y.
Proof.
  intros A n f x y L. unfold at_level. apply Nat.eqb_neq in L. now rewrite L.
Qed.

Lemma at_level_same : forall (A : Type) n f (x y : A), level f = n -> at_level n f x y = x.
Proof.
  intros A n f x y <-. unfold at_level. now rewrite Nat.eqb_refl.
Qed.

(** What an epoch of one level leaves has nothing at other levels. *)
Lemma nothing_elsewhere : forall n V P u f, I1 u -> I2 u -> Permutation (rules u) (reduct n V P) -> level f <> n ->
  present u f = false /\ all u f = 0 /\ low u f = 0.
Proof.
  intros n V P u f [A _] [L Q] R N.
  assert (AZ : all u f = 0) by (rewrite A, (count_permutation _ _ _ _ R); now apply other_level).
  assert (LZ : low u f = 0) by (rewrite L, (count_permutation _ _ _ _ R); now apply other_low).
  repeat split; auto. destruct (present u f) eqn:E; [| reflexivity]. specialize (Q f E). lia.
Qed.

Lemma levels_built : forall w P, (forall c, In c P -> stratified c) -> (forall n, I1 (slice n w) /\ I2 (slice n w)) ->
  forall k, exists x, clauses x = P /\
    (forall n, n < k -> exists u, epoch fact fact_dec (slice n w) u /\ leaves n u x) /\
    (forall f, level f >= k -> shown x f = false /\ counted x f = 0 /\ counted_low x f = 0 /\
      ranked_at x f = ranked_at w f).
Proof.
  intros w P St H. induction k as [| k (x & <- & Done & Rest)].
  - exists (Whole P (fun _ => false) (ranked_at w) (fun _ => 0) (fun _ => 0)). repeat split; auto. intros n N. lia.
  - destruct (H k) as [S1 S2].
    destruct (epoch_exists fact fact_dec (slice k w) (rules (slice k w)) [] (reduct k (shown x) (clauses x)) S1 S2)
      as (u & E & R); [now rewrite app_nil_r |]. rewrite app_nil_r in R.
    destruct (epoch_keeps_invariants fact fact_dec _ _ E S1 S2) as [U1 U2].
    exists (joined k u x). repeat split.
    + intros n N. destruct (Nat.eq_dec n k) as [-> | D].
      * exists u. split; [exact E |].
        assert (K : reduct k (fun f => at_level k f (present u f) (shown x f)) (clauses x) =
          reduct k (shown x) (clauses x)).
        { apply reduct_same; [exact St |]. intros g G. apply at_level_other. lia. }
        assert (Else : forall f, level f <> k -> present u f = false /\ all u f = 0 /\ low u f = 0)
          by (intros f F; now apply (nothing_elsewhere k (shown x) (clauses x))).
        unfold leaves. simpl. rewrite K. repeat split; [exact R | | | |]; intro f;
          destruct (Nat.eq_dec (level f) k) as [F | F].
        -- rewrite at_level_same, F, Nat.eqb_refl, andb_true_r by exact F. reflexivity.
        -- assert (Q := F). apply Nat.eqb_neq in Q. rewrite Q, andb_false_r. now apply Else.
        -- intros _. now rewrite at_level_same by exact F.
        -- congruence.
        -- now rewrite !at_level_same by exact F.
        -- rewrite !at_level_other by exact F. now apply Else.
        -- now rewrite !at_level_same by exact F.
        -- rewrite !at_level_other by exact F. now apply Else.
      * destruct (Done n) as (v & Ev & (P1 & P2 & P3 & P4 & P5)); [lia |]. exists v. split; [exact Ev |].
        assert (K : reduct n (fun f => at_level k f (present u f) (shown x f)) (clauses x) =
          reduct n (shown x) (clauses x)).
        { apply reduct_same; [exact St |]. intros g G. apply at_level_other. lia. }
        unfold leaves. simpl. rewrite K. repeat split.
        -- exact P1.
        -- intro f. rewrite P2. simpl. destruct (level f =? n) eqn:F; [| now rewrite !andb_false_r].
           apply Nat.eqb_eq in F. now rewrite at_level_other by lia.
        -- intros f F. rewrite (P3 f F). now rewrite at_level_other by lia.
        -- intro f. rewrite P4. simpl. unfold at_level at 1 2. destruct (level f =? n) eqn:F; [| reflexivity].
           apply Nat.eqb_eq in F. now rewrite at_level_other by lia.
        -- intro f. rewrite P5. simpl. unfold at_level at 1 2. destruct (level f =? n) eqn:F; [| reflexivity].
           apply Nat.eqb_eq in F. now rewrite at_level_other by lia.
    + simpl. rewrite at_level_other by lia. now apply Rest; lia.
    + simpl. rewrite at_level_other by lia. now apply Rest; lia.
    + simpl. rewrite at_level_other by lia. now apply Rest; lia.
    + simpl. rewrite at_level_other by lia. now apply Rest; lia.
Qed.

Lemma above_all : forall P : list clause, exists N, forall c, In c P -> level (derives c) < N.
Proof.
  induction P as [| c P (N & IH)].
  - exists 0. intros c [].
  - exists (S (max (level (derives c)) N)). intros d [<- | D]; [lia |]. specialize (IH d D). lia.
Qed.

Lemma reduct_above : forall N n V P, (forall c, In c P -> level (derives c) < N) -> N <= n -> reduct n V P = [].
Proof.
  intros N n V P H L. destruct (reduct n V P) as [| r l] eqn:E; [reflexivity |]. exfalso.
  assert (R : In r (reduct n V P)) by (rewrite E; now left). pose proof (reduct_level n V P r R) as Q.
  unfold reduct in R. apply in_map_iff in R. destruct R as (c & <- & K). apply filter_In in K. destruct K as [K _].
  specialize (H c K). simpl in Q. lia.
Qed.

(** Whatever clauses go and come, also if levels come or go empty: there is an epoch. *)
Theorem strata_epoch_exists : forall w P, (forall c, In c (clauses w) -> stratified c) ->
  (forall c, In c P -> stratified c) -> J1 w -> J2 w -> exists x, clauses x = P /\ epoch_of_strata w x.
Proof.
  intros w P Sw SP H1 H2. pose proof (proj1 (slices_invariants w Sw) (conj H1 H2)) as H.
  destruct (above_all (clauses w ++ P)) as (N & Above).
  destruct (levels_built w P SP H N) as (x & <- & Done & Rest). exists x. split; [reflexivity |]. intro n.
  destruct (le_lt_dec N n) as [L | L]; [| destruct (Done n L) as (u & E & F); exists u; auto].
  exists (slice n w). destruct (H n) as [[A Z] [B Q]].
  assert (Rw : rules (slice n w) = []).
  { apply (reduct_above N); [| exact L]. intros c K. apply Above. apply in_app_iff. now left. }
  assert (Rx : rules (slice n x) = []).
  { apply (reduct_above N); [| exact L]. intros c K. apply Above. apply in_app_iff. now right. }
  split.
  - left. exists (slice n w). repeat split; [constructor | exact Q | constructor | exact Z].
  - assert (AZ : forall f, all (slice n w) f = 0) by (intro f; rewrite A, Rw; reflexivity).
    assert (LZ : forall f, low (slice n w) f = 0) by (intro f; rewrite B, Rw; reflexivity).
    repeat split.
    + rewrite Rw, Rx. constructor.
    + intro f. destruct (present (slice n w) f) eqn:E; [specialize (Q f E); rewrite LZ in Q; lia |].
      simpl. destruct (level f =? n) eqn:F; [| now rewrite andb_false_r]. apply Nat.eqb_eq in F.
      destruct (Rest f) as (-> & _); [lia | reflexivity].
    + intros f F. destruct (Rest f) as (_ & _ & _ & R); [lia |]. now rewrite R.
    + intro f. rewrite AZ. simpl. unfold at_level. destruct (level f =? n) eqn:F; [| reflexivity].
      apply Nat.eqb_eq in F. destruct (Rest f) as (_ & -> & _); [lia | reflexivity].
    + intro f. rewrite LZ. simpl. unfold at_level. destruct (level f =? n) eqn:F; [| reflexivity].
      apply Nat.eqb_eq in F. destruct (Rest f) as (_ & _ & -> & _); [lia | reflexivity].
Qed.

End Strata.
