(** Epochs exist, and every epoch ends: from a state with I1 and I2 the steps of Epoch.v reach any other list of rules.

    [epoch_exists]: whatever rules go and come, there is an epoch that does it. [retract_shrinks] and [enter_shrinks]: a
    step of the first phase makes rules and visible facts fewer, a fact that enters leaves fewer out of sight; so
    neither phase goes on for ever, in whatever order its steps are taken. Finiteness is no assumption: a fact that is
    present has a support (I2), so that it is the head of one of finitely many rules. *)

From Coq Require Import List Arith Lia Bool Permutation.
From Tidelog Require Import Ranked Epoch.
Import ListNotations.

Section Progress.

Variable fact : Type.
Variable fact_dec : forall f g : fact, {f = g} + {f <> g}.

Notation support := (support fact).
Notation state := (state fact).
Notation equal := (equal fact fact_dec).
Notation supports := (supports fact fact_dec).
Notation supports_low := (supports_low fact fact_dec).
Notation mem := (mem fact fact_dec).
Notation retract := (retract fact fact_dec).
Notation assert := (assert fact fact_dec).
Notation exact := (exact fact fact_dec).
Notation steps := (steps fact).
Notation retracted := (retracted fact).
Notation asserted := (asserted fact).
Notation epoch := (epoch fact fact_dec).
Notation I1 := (I1 fact fact_dec).
Notation I2 := (I2 fact fact_dec).

(** All visible facts are among [U]. *)
Definition covered (U : list fact) (s : state) : Prop := forall f, present s f = true -> In f U.

Lemma count_less : forall (A : Type) (p q : A -> bool) l x,
  (forall y, q y = true -> p y = true) -> In x l -> p x = true -> q x = false -> count q l < count p l.
Proof.
  intros A p q l x S. unfold count. induction l as [| y l IH]; intros [] P Q.
  - subst y. simpl. rewrite P, Q. simpl. clear IH. apply le_n_S.
    induction l as [| z l IH]; simpl; [lia |]. specialize (S z).
    destruct (q z); [rewrite (S eq_refl); simpl; lia | destruct (p z); simpl; lia].
  - simpl. specialize (IH H P Q). specialize (S y).
    destruct (q y); [rewrite (S eq_refl); simpl; lia | destruct (p y); simpl; lia].
Qed.

(** ** Every phase ends *)

Definition weight (U : list fact) (s : state) : nat := length (rules s) + count (present s) U.

Theorem retract_shrinks : forall U s t, covered U s -> retract s t -> weight U t < weight U s.
Proof.
  intros U s t C [r P [V _] _ _ | f F _ E V _ _ _]; unfold weight.
  - apply Permutation_length in P. simpl in P. rewrite (count_same _ (present t) (present s)) by (intros; apply V). lia.
  - rewrite E. apply Nat.add_lt_mono_l. apply (count_less _ _ _ U f); auto.
    + intros g. rewrite V. intro G. now apply andb_true_iff in G.
    + now rewrite V, F, equal_refl.
Qed.

Theorem enter_shrinks : forall U s t, (forall r, In r (rules s) -> In (gives r) U) -> assert s t ->
  length (rules t) = length (rules s) ->
  count (fun f => negb (present t f)) U < count (fun f => negb (present s f)) U.
Proof.
  intros U s t H [r P _ _ _ | f k F E (r & R & S) V _ _ _ _ _] L.
  - apply Permutation_length in P. simpl in P. lia.
  - apply (count_less _ _ _ U f).
    + intros g. rewrite V, negb_orb, andb_true_iff. tauto.
    + unfold Ranked.supports_low, Ranked.supports in S. rewrite !andb_true_iff in S. destruct S as [[S _] _].
      apply equal_spec in S. subst f. now apply H.
    + now rewrite F.
    + rewrite V, equal_refl, orb_true_r. reflexivity.
Qed.

(** ** Retracting *)

Definition lost (s : state) (r : support) (rest : list support) : state :=
  State rest (present s) (rank_of s) (fun h => all s h - one (supports (present s) h r))
    (fun h => low s h - one (supports_low (present s) (rank_of s) h (rank_of s h) r)).

Definition suspended (s : state) (f : fact) : state :=
  State (rules s) (fun g => present s g && negb (equal g f)) (rank_of s)
    (fun h => all s h - count (fun r => supports (present s) h r && mem f (needs r)) (rules s))
    (fun h => low s h -
      count (fun r => supports_low (present s) (rank_of s) h (rank_of s h) r && mem f (needs r)) (rules s)).

Lemma steps_app : forall step s t u, steps step s t -> steps step t u -> steps step s u.
Proof.
  intros step s t u S T. induction S; [exact T |]. eapply steps_cons; eauto.
Qed.

Lemma lose_all : forall gone kept s, Permutation (rules s) (gone ++ kept) ->
  exists t, steps retract s t /\ Permutation (rules t) kept /\ forall f, present t f = present s f.
Proof.
  induction gone as [| r gone IH]; intros kept s P.
  - exists s. repeat split; [constructor | exact P].
  - destruct (IH kept (lost s r (gone ++ kept))) as (t & S & R & V); [reflexivity |].
    exists t. repeat split; [| exact R | exact V]. eapply steps_cons; [| exact S].
    apply (lose _ _ _ _ r); unfold same_facts; auto.
Qed.

Lemma search_fact : forall (p : fact -> bool) U, {f | In f U /\ p f = true} + {forall f, In f U -> p f = false}.
Proof.
  intros p U. destruct (find p U) as [f |] eqn:F.
  - left. exists f. now apply find_some.
  - right. now apply find_none.
Qed.

Lemma suspend_all : forall U s, covered U s ->
  exists t, steps retract s t /\ rules t = rules s /\ covered U t /\ retracted t.
Proof.
  intro U. assert (W : forall n s, weight U s < n -> covered U s ->
    exists t, steps retract s t /\ rules t = rules s /\ covered U t /\ retracted t).
  { induction n as [| n IH]; intros s L C; [lia |].
    destruct (search_fact (fun f => present s f && (low s f =? 0)) U) as [(f & _ & F) | N].
    - apply andb_true_iff in F. destruct F as [F Z]. apply Nat.eqb_eq in Z.
      assert (S : retract s (suspended s f)) by (apply (suspend _ _ _ _ f); auto).
      destruct (IH (suspended s f)) as (t & T & R & C' & Q).
      + pose proof (retract_shrinks U _ _ C S). lia.
      + intros g G. simpl in G. apply andb_true_iff in G. now apply C.
      + exists t. repeat split; auto. eapply steps_cons; eauto.
    - exists s. repeat split; auto; [constructor |]. intros f F. specialize (N f (C f F)). rewrite F in N.
      simpl in N. apply Nat.eqb_neq in N. lia. }
  intros s C. exact (W (S (weight U s)) s (Nat.lt_succ_diag_r _) C).
Qed.

(** ** Asserting *)

Definition gained (s : state) (r : support) : state :=
  State (r :: rules s) (present s) (rank_of s) (fun h => all s h + one (supports (present s) h r))
    (fun h => low s h + one (supports_low (present s) (rank_of s) h (rank_of s h) r)).

Definition entered_with (s : state) (f : fact) (k : rank) : state :=
  let V := fun g => present s g || equal g f in
  let rk := fun g => if fact_dec g f then k else rank_of s g in
  State (rules s) V rk
    (fun h => all s h + count (fun r => supports V h r && mem f (needs r)) (rules s))
    (fun h => if fact_dec h f then count (supports_low (present s) (rank_of s) f k) (rules s)
      else low s h + count (fun r => supports_low V rk h (rk h) r && mem f (needs r)) (rules s)).

Lemma gain_all : forall new s,
  exists t, steps assert s t /\ Permutation (rules t) (new ++ rules s).
Proof.
  induction new as [| r new IH]; intro s.
  - exists s. split; [constructor | reflexivity].
  - destruct (IH (gained s r)) as (t & S & R). exists t. split.
    + eapply steps_cons; [| exact S]. apply (gain _ _ _ _ r); unfold same_facts; auto.
    + rewrite R. simpl. symmetry. apply Permutation_middle.
Qed.

(** The rule that supports a fact is above its body with a rank one deeper. *)
Lemma enter_step : forall s f, exact s -> present s f = false -> all s f > 0 -> exists k, assert s (entered_with s f k).
Proof.
  intros s f [A _] F P. rewrite A in P. apply count_positive in P. destruct P as (r & R & S).
  set (k := (Datatypes.S (deepest fact (rank_of s) (needs r)), 0)). exists k.
  apply (enter _ _ _ _ f k); simpl; auto.
  - exists r. split; [exact R |]. unfold Ranked.supports_low. rewrite S. apply new_rank_above.
  - destruct (fact_dec f f); congruence.
  - intros g N. destruct (fact_dec g f); congruence.
  - destruct (fact_dec f f); congruence.
  - intros h N. destruct (fact_dec h f); congruence.
Qed.

Lemma enter_all : forall U s, exact s -> (forall r, In r (rules s) -> In (gives r) U) ->
  exists t, steps assert s t /\ rules t = rules s /\ asserted t.
Proof.
  intro U. assert (W : forall n s, count (fun f => negb (present s f)) U < n -> exact s ->
    (forall r, In r (rules s) -> In (gives r) U) -> exists t, steps assert s t /\ rules t = rules s /\ asserted t).
  { induction n as [| n IH]; intros s L X H; [lia |].
    destruct (search_fact (fun f => negb (present s f) && (0 <? all s f)) U) as [(f & _ & F) | N].
    - apply andb_true_iff in F. destruct F as [F Z]. apply negb_true_iff in F. apply Nat.ltb_lt in Z.
      destruct (enter_step s f X F Z) as [k S].
      destruct (IH (entered_with s f k)) as (t & T & R & Q).
      + pose proof (enter_shrinks U _ _ H S eq_refl). lia.
      + now apply (assert_exact _ _ s).
      + exact H.
      + exists t. repeat split; auto. eapply steps_cons; eauto.
    - exists s. repeat split; [constructor |]. intros f F. destruct (all s f) as [| m] eqn:Z; [reflexivity |].
      exfalso. assert (P : all s f > 0) by lia. destruct X as [A _]. rewrite A in P. apply count_positive in P.
      destruct P as (r & R & S). unfold Ranked.supports in S. apply andb_true_iff in S. destruct S as [S _].
      apply equal_spec in S. specialize (N f). rewrite <- S in N. specialize (N (H r R)). rewrite S, F, Z in N.
      discriminate. }
  intros s X H. exact (W _ s (Nat.lt_succ_diag_r _) X H).
Qed.

(** From I1 and I2 there is an epoch for whatever rules go and come. *)
Theorem epoch_exists : forall s gone kept new, I1 s -> I2 s -> Permutation (rules s) (gone ++ kept) ->
  exists t, epoch s t /\ Permutation (rules t) (new ++ kept).
Proof.
  intros s gone kept new [A _] [L P] R.
  assert (C : covered (map gives (rules s)) s).
  { intros f F. specialize (P f F). rewrite L in P. apply count_positive in P. destruct P as (r & I & S).
    unfold Ranked.supports_low, Ranked.supports in S. rewrite !andb_true_iff in S. destruct S as [[S _] _].
    apply equal_spec in S. subst f. now apply in_map. }
  destruct (lose_all gone kept s R) as (s1 & S1 & R1 & V1).
  destruct (suspend_all (map gives (rules s)) s1) as (s2 & S2 & R2 & _ & Q2).
  { intros f F. apply C. now rewrite <- V1. }
  destruct (gain_all new s2) as (s3 & S3 & R3).
  assert (X3 : exact s3).
  { apply (steps_keep _ _ _ (assert_exact _ _) _ _ S3), (steps_keep _ _ _ (retract_exact _ _) _ _ S2),
      (steps_keep _ _ _ (retract_exact _ _) _ _ S1). now split. }
  destruct (enter_all (map gives (rules s3)) s3 X3) as (t & T & RT & QT); [intros r I; now apply in_map |].
  exists t. split.
  - exists s2. repeat split; auto; eapply steps_app; eauto.
  - now rewrite RT, R3, R2, R1.
Qed.

End Progress.
