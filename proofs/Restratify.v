(** Strata that merge, split or are ranked anew within an epoch, and strata that are built again.

    When rules change, an epoch first loses the supports of the removed clauses ([removed_exact]), then computes the
    strata again, and only then visits them. In between, counts are exact, but a fact may have lost its last support
    of lower rank; that is why the theorems here are about exact counts and not about I2.

    - Merging stacks the old strata in their old order, each with an offset on its depths, and changes no count
      ([restacked_exact], [stacked]). Ranks that are numbered again in the same order are the case without a merge.
    - Splitting changes no rank, and adds to [low] the supports that are of lower rank only now; clauses that do not
      cross the parts have none ([split_exact], [uncrossed]).
    - An epoch over the new strata then keeps I1 and I2, and leaves the perfect model ([restratified_epoch]).
    - A stratum may also be emptied and built from below ([rebuild_invariants], [rebuild_exists]), whatever the
      others do ([strata_rebuilt_or_maintained]). *)

From Coq Require Import List Arith Lia Bool Permutation.
From Tidelog Require Import Ranked Epoch Progress Rounds Strata.
Import ListNotations.

Section Restratify.

Variable fact : Type.
Variable fact_dec : forall f g : fact, {f = g} + {f <> g}.

Notation clause := (clause fact).
Notation state := (state fact).
Notation whole := (whole fact).
Notation stratified := (stratified fact).
Notation gives_support := (gives_support fact fact_dec).
Notation gives_low := (gives_low fact fact_dec).
Notation J1 := (J1 fact fact_dec).
Notation J2 := (J2 fact fact_dec).
Notation slice := (slice fact).
Notation exact := (exact fact fact_dec).

Definition exact_low_at (level : fact -> nat) (w : whole) : Prop :=
  forall f, counted_low fact w f = count (gives_low level w f) (clauses fact w).

(** ** Removed clauses *)

Definition removed (level : fact -> nat) (gone : list clause) (w x : whole) : Prop :=
  Permutation (clauses fact w) (gone ++ clauses fact x) /\
  (forall f, shown fact x f = shown fact w f) /\ (forall f, ranked_at fact x f = ranked_at fact w f) /\
  (forall f, counted fact x f = counted fact w f - count (gives_support w f) gone) /\
  (forall f, counted_low fact x f = counted_low fact w f - count (gives_low level w f) gone).

Lemma count_app : forall (A : Type) (p : A -> bool) l m, count p (l ++ m) = count p l + count p m.
Proof.
  intros A p l m. unfold count. now rewrite filter_app, app_length.
Qed.

(** Supports and supports of lower rank depend on presence, ranks and levels of shown facts only. *)
Lemma gives_support_same : forall w x f c, (forall g, shown fact x g = shown fact w g) ->
  gives_support x f c = gives_support w f c.
Proof.
  intros w x f c V. unfold Strata.gives_support, holds. f_equal. f_equal; apply forallb_same; intros g _; now rewrite V.
Qed.

Lemma gives_low_same : forall level w x f c, (forall g, shown fact x g = shown fact w g) ->
  (forall g, ranked_at fact x g = ranked_at fact w g) -> gives_low level x f c = gives_low level w f c.
Proof.
  intros level w x f c V R. unfold Strata.gives_low. rewrite (gives_support_same w x) by exact V. f_equal.
  apply forallb_same. intros g _. now rewrite !R.
Qed.

Theorem removed_exact : forall level gone w x, removed level gone w x -> J1 w -> exact_low_at level w ->
  J1 x /\ exact_low_at level x.
Proof.
  intros level gone w x (P & V & R & A & L) [XA Z] XL. split; [split |]; intro f.
  - rewrite A, XA, (count_permutation _ _ _ _ P), count_app, Nat.add_comm, Nat.add_sub.
    apply count_same. intros c _. symmetry. now apply gives_support_same.
  - rewrite V, A. intro F. specialize (Z f F). lia.
  - rewrite L, XL, (count_permutation _ _ _ _ P), count_app, Nat.add_comm, Nat.add_sub.
    apply count_same. intros c _. symmetry. now apply gives_low_same.
Qed.

(** A fact that is absent has no supports, of lower rank or not, whatever the strata are. *)
Lemma absent_low : forall level w f, J1 w -> shown fact w f = false ->
  count (gives_low level w f) (clauses fact w) = 0.
Proof.
  intros level w f [A Z] F. specialize (Z f F). rewrite A in Z. apply count_none. intros c K.
  destruct (gives_low level w f c) eqn:G; [| reflexivity]. exfalso.
  enough (count (gives_support w f) (clauses fact w) > 0) by lia. apply count_positive. exists c. split; [exact K |].
  unfold Strata.gives_low in G. now apply andb_true_iff in G.
Qed.

(** The facts of a support are shown. *)
Lemma support_shown : forall w f c, gives_support w f c = true ->
  derives c = f /\ forall g, In g (reads c) -> shown fact w g = true.
Proof.
  intros w f c S. unfold Strata.gives_support, holds in S. rewrite !andb_true_iff in S. destruct S as [E [B _]].
  apply equal_spec in E. split; [exact E |]. now apply forallb_forall.
Qed.

(** ** Merged and renumbered strata *)

(** Facts of one stratum stay in one and keep their order; a fact of a lower one stays in a lower one, or comes to lie
    below in rank. *)
Definition keeps_order (level level' : fact -> nat) (w : whole) (rk' : fact -> rank) : Prop :=
  forall g f, shown fact w g = true -> shown fact w f = true ->
    (level g < level f -> level' g < level' f \/ (level' g = level' f /\ below (rk' g) (rk' f) = true)) /\
    (level g = level f ->
      level' g = level' f /\ below (rk' g) (rk' f) = below (ranked_at fact w g) (ranked_at fact w f)).

Definition reranked (w : whole) (rk' : fact -> rank) : whole :=
  Whole fact (clauses fact w) (shown fact w) rk' (counted fact w) (counted_low fact w).

Theorem restacked_exact : forall level level' w rk', (forall c, In c (clauses fact w) -> stratified level c) ->
  keeps_order level level' w rk' -> J1 w -> exact_low_at level w ->
  J1 (reranked w rk') /\ exact_low_at level' (reranked w rk').
Proof.
  intros level level' w rk' St K H1 XL. split; [exact H1 |]. intro f. simpl. rewrite XL.
  destruct (shown fact w f) eqn:F.
  - apply count_same. intros c C. unfold Strata.gives_low.
    change (gives_support (reranked w rk') f c) with (gives_support w f c).
    destruct (gives_support w f c) eqn:S; [| reflexivity]. simpl. apply support_shown in S. destruct S as [<- B].
    apply forallb_same. intros g G. destruct (K g (derives c) (B g G) F) as [Lower Same].
    destruct (St c C) as [Above _]. specialize (Above g G).
    destruct (Nat.eq_dec (level g) (level (derives c))) as [E | E].
    + destruct (Same E) as [E' ->]. rewrite E, E'. now rewrite !Nat.ltb_irrefl.
    + assert (L : level g < level (derives c)) by lia. specialize (Lower L). apply Nat.ltb_lt in L. rewrite L.
      destruct Lower as [T | [_ ->]]; [apply Nat.ltb_lt in T; now rewrite T | now rewrite orb_true_r].
  - rewrite (absent_low level w f H1 F). symmetry. now apply (absent_low level' (reranked w rk') f).
Qed.

(** What the engine does: an offset for each old stratum, above the depths of those below it in the same new one. *)
Theorem stacked : forall level level' w offset,
  (forall g f, level g < level f -> level' g <= level' f) -> (forall g f, level g = level f -> level' g = level' f) ->
  (forall g f, shown fact w g = true -> level g < level f -> level' g = level' f ->
    offset (level g) + fst (ranked_at fact w g) < offset (level f)) ->
  keeps_order level level' w (fun f => (offset (level f) + fst (ranked_at fact w f), snd (ranked_at fact w f))).
Proof.
  intros level level' w offset M S O g f G F. split; intro L.
  - destruct (Nat.eq_dec (level' g) (level' f)) as [E | E].
    + right. split; [exact E |]. apply below_spec. left. simpl. specialize (O g f G L E). lia.
    + left. specialize (M g f L). lia.
  - split; [now apply S |]. rewrite L. unfold below. simpl.
    destruct (ranked_at fact w g) as [d c], (ranked_at fact w f) as [d' c']. simpl. f_equal.
    + destruct (d <? d') eqn:Q; [apply Nat.ltb_lt in Q; apply Nat.ltb_lt; lia |].
      apply Nat.ltb_ge in Q. apply Nat.ltb_ge. lia.
    + f_equal. destruct (d =? d') eqn:Q; [apply Nat.eqb_eq in Q; apply Nat.eqb_eq; lia |].
      apply Nat.eqb_neq in Q. apply Nat.eqb_neq. lia.
Qed.

(** ** Split strata *)

(** Every old stratum is divided; none is joined with another one. *)
Definition divides (level level' : fact -> nat) : Prop := forall g f, level g < level f -> level' g < level' f.

(** The engine's comparison: a support that has become one of lower rank. *)
Definition newly_low (level level' : fact -> nat) (w : whole) (f : fact) (c : clause) : bool :=
  gives_low level' w f c && negb (gives_low level w f c).

Definition split (level level' : fact -> nat) (w : whole) : whole :=
  Whole fact (clauses fact w) (shown fact w) (ranked_at fact w) (counted fact w)
    (fun f => counted_low fact w f + count (newly_low level level' w f) (clauses fact w)).

Lemma still_low : forall level level' w f c, divides level level' -> stratified level' c ->
  gives_low level w f c = true -> gives_low level' w f c = true.
Proof.
  intros level level' w f c D [B _] G. unfold Strata.gives_low in *. apply andb_true_iff in G. destruct G as [S L].
  rewrite S. simpl. apply support_shown in S. destruct S as [<- _]. rewrite forallb_forall in L.
  apply forallb_forall. intros g R. specialize (L g R). specialize (B g R). apply orb_true_iff in L. apply orb_true_iff.
  destruct L as [L | L]; [left | now right]. apply Nat.ltb_lt in L. apply Nat.ltb_lt. now apply D.
Qed.

Theorem split_exact : forall level level' w, divides level level' ->
  (forall c, In c (clauses fact w) -> stratified level' c) -> J1 w -> exact_low_at level w ->
  J1 (split level level' w) /\ exact_low_at level' (split level level' w).
Proof.
  intros level level' w D St H1 XL. split; [exact H1 |]. intro f. simpl.
  change (gives_low level' (split level level' w) f) with (gives_low level' w f).
  rewrite XL, (count_split _ (gives_low level' w f) (gives_low level w f)). f_equal.
  apply count_same. intros c C. destruct (gives_low level w f c) eqn:G; [| now rewrite andb_false_r].
  now rewrite (still_low level level' w f c D (St c C) G).
Qed.

(** Only clauses that read another part of their old stratum have to be compared. *)
Theorem uncrossed : forall level level' w f c, divides level level' -> stratified level c ->
  (forall g, In g (reads c) -> level g = level (derives c) -> level' g = level' (derives c)) ->
  newly_low level level' w f c = false.
Proof.
  intros level level' w f c D [B _] U. unfold newly_low.
  enough (gives_low level' w f c = gives_low level w f c) as -> by now destruct (gives_low level w f c).
  unfold Strata.gives_low. destruct (gives_support w f c) eqn:S; [| reflexivity]. simpl.
  apply support_shown in S. destruct S as [<- _]. apply forallb_same. intros g R. f_equal.
  specialize (B g R). specialize (U g R). destruct (Nat.eq_dec (level g) (level (derives c))) as [E | E].
  - rewrite (U E), E. now rewrite !Nat.ltb_irrefl.
  - assert (L : level g < level (derives c)) by lia. pose proof (D _ _ L) as L'.
    apply Nat.ltb_lt in L, L'. now rewrite L, L'.
Qed.

(** ** The epoch over the new strata *)

Lemma slice_exact : forall level n w, (forall c, In c (clauses fact w) -> stratified level c) -> J1 w ->
  exact_low_at level w -> exact (slice level n w).
Proof.
  intros level n w St [A _] L. split; intro f; simpl; unfold at_level; destruct (level f =? n) eqn:E.
  - apply Nat.eqb_eq in E. rewrite A. symmetry. now apply slice_supports.
  - apply Nat.eqb_neq in E. symmetry. now apply other_level.
  - apply Nat.eqb_eq in E. rewrite L. symmetry. now apply slice_low.
  - apply Nat.eqb_neq in E. symmetry. now apply other_low.
Qed.

(** A stratum that is emptied, and filled by the second phase alone. *)
Definition rebuild (s t : state) : Prop :=
  exists b, rules b = [] /\ (forall f, present b f = false) /\ (forall f, all b f = 0) /\ (forall f, low b f = 0) /\
    steps fact (assert fact fact_dec) b t /\ asserted fact t.

Theorem rebuild_invariants : forall s t, rebuild s t -> I1 fact fact_dec t /\ I2 fact fact_dec t.
Proof.
  intros s t (b & R & V & A & L & S & Z).
  assert (X : exact b) by (split; intro f; rewrite R; [rewrite A | rewrite L]; reflexivity).
  pose proof (steps_keep _ _ _ (assert_exact _ _) _ _ S X) as [XA XL]. split; split; try assumption.
  apply (steps_keep _ _ _ (assert_retracted _ _) _ _ S). intros f F. now rewrite V in F.
Qed.

Theorem rebuild_exists : forall s program, exists t, rebuild s t /\ Permutation (rules t) program.
Proof.
  intros s program.
  set (b := State [] (fun _ : fact => false) (rank_of s) (fun _ => 0) (fun _ => 0)).
  assert (X : exact b) by now split.
  destruct (gain_all fact fact_dec program b) as (u & S & R). rewrite app_nil_r in R.
  destruct (enter_all fact fact_dec (map gives (rules u)) u) as (t & T & E & Z).
  - apply (steps_keep _ _ _ (assert_exact _ _) _ _ S X).
  - intros r I. now apply in_map.
  - exists t. split; [| now rewrite E]. exists b. repeat split; auto. eapply steps_app; eauto.
Qed.

(** Each stratum is maintained, by steps or by rounds, or built again. *)
Definition epoch_or_rebuild (level : fact -> nat) (w x : whole) : Prop :=
  forall n, exists u, leaves fact level n u x /\
    (epoch fact fact_dec (slice level n w) u \/ epoch_of_rounds fact fact_dec (slice level n w) u \/
     rebuild (slice level n w) u).

Theorem strata_rebuilt_or_maintained : forall level w x, epoch_or_rebuild level w x ->
  (forall c, In c (clauses fact w) -> stratified level c) -> (forall c, In c (clauses fact x) -> stratified level c) ->
  J1 w -> exact_low_at level w -> J1 x /\ J2 level x.
Proof.
  intros level w x E Sw Sx H1 XL. apply slices_invariants; [exact Sx |]. intro n.
  destruct (E n) as (u & F & K). assert (X : exact (slice level n w)) by now apply slice_exact.
  assert (U : I1 fact fact_dec u /\ I2 fact fact_dec u).
  { destruct K as [K | [K | K]].
    - exact (epoch_from_exact _ _ _ _ K X).
    - exact (rounds_from_exact _ _ _ _ K X).
    - exact (rebuild_invariants _ _ K). }
  now apply (leaves_invariants fact fact_dec level n u x F).
Qed.

(** Any number of merges, new numberings and splits, one after the other. *)
Inductive restratified : (fact -> nat) -> whole -> (fact -> nat) -> whole -> Prop :=
| unchanged : forall level w, restratified level w level w
| restacked : forall level level' level'' w rk' x, keeps_order level level' w rk' ->
    (forall c, In c (clauses fact w) -> stratified level' c) ->
    restratified level' (reranked w rk') level'' x -> restratified level w level'' x
| divided : forall level level' level'' w x, divides level level' ->
    (forall c, In c (clauses fact w) -> stratified level' c) ->
    restratified level' (split level level' w) level'' x -> restratified level w level'' x.

Theorem restratified_exact : forall level w level' x, restratified level w level' x ->
  (forall c, In c (clauses fact w) -> stratified level c) -> J1 w -> exact_low_at level w ->
  (forall c, In c (clauses fact x) -> stratified level' c) /\ J1 x /\ exact_low_at level' x.
Proof.
  intros level w level' x R.
  induction R as [| level level' level'' w rk' x K St R IH | level level' level'' w x D St R IH]; intros Sw H1 XL.
  - now split; [| split].
  - destruct (restacked_exact level level' w rk' Sw K H1 XL). now apply IH.
  - destruct (split_exact level level' w D St H1 XL). now apply IH.
Qed.

(** All together: clauses go, strata change, and the new strata are visited. *)
Theorem restratified_epoch : forall level level' gone w w1 w2 x,
  (forall c, In c (clauses fact w) -> stratified level c) -> J1 w -> J2 level w ->
  removed level gone w w1 -> restratified level w1 level' w2 -> epoch_or_rebuild level' w2 x ->
  (forall c, In c (clauses fact x) -> stratified level' c) ->
  J1 x /\ J2 level' x /\ perfect fact level' (fun c => In c (clauses fact x)) (fun f => shown fact x f = true).
Proof.
  intros level level' gone w w1 w2 x St H1 [XL _] G R E Sx.
  destruct (removed_exact level gone w w1 G H1 XL) as [A1 L1].
  assert (St1 : forall c, In c (clauses fact w1) -> stratified level c).
  { intros c C. apply St. destruct G as [P _]. apply (Permutation_in c (Permutation_sym P)), in_app_iff. now right. }
  destruct (restratified_exact level w1 level' w2 R St1 A1 L1) as (St2 & A2 & L2).
  destruct (strata_rebuilt_or_maintained level' w2 x E St2 Sx A2 L2) as [JA JB].
  split; [exact JA | split; [exact JB |]]. now apply (strata_perfect_model fact fact_dec).
Qed.

End Restratify.
