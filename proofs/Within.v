(** Ranked support beside delete-and-rederive (DRed): what ranked support suspends, DRed over-deletes.

    DRed's over-deletion takes away every fact that has a derivation, over the old state, in which a rule that goes is
    used. [suspended_within_overdeleted]: a fact that goes out of sight in the retract phase is among them, in
    whatever order the steps are taken; [rounds_within_overdeleted] says the same of rounds with messages under way.
    The other direction fails: [within_strict] has a state in which DRed over-deletes a fact that ranked support does
    not touch. So ranked support never suspends more facts than DRed over-deletes, and sometimes fewer. *)

From Coq Require Import List Arith Lia Bool Permutation.
From Tidelog Require Import Ranked Epoch Progress Rounds.
Import ListNotations.

Section Within.

Variable fact : Type.
Variable fact_dec : forall f g : fact, {f = g} + {f <> g}.

Notation support := (support fact).
Notation state := (state fact).
Notation supports_low := (supports_low fact fact_dec).
Notation retract := (retract fact fact_dec).
Notation steps := (steps fact).
Notation I1 := (I1 fact fact_dec).
Notation I2 := (I2 fact fact_dec).
Notation exact := (exact fact fact_dec).
Notation configuration := (configuration fact).
Notation retract_round := (retract_round fact fact_dec).
Notation runs := (runs fact).
Notation owes := (owes fact fact_dec).

(** What has a derivation over the facts of [s] in which a rule is used that [t] does not have. *)
Inductive overdeleted (s t : state) : fact -> Prop :=
| over_lost : forall r, In r (rules s) -> ~ In r (rules t) ->
    (forall g, In g (needs r) -> present s g = true) -> overdeleted s t (gives r)
| over_used : forall r g, In r (rules s) -> In g (needs r) -> overdeleted s t g ->
    (forall h, In h (needs r) -> present s h = true) -> overdeleted s t (gives r).

Lemma missing_fact : forall (V : fact -> bool) l, forallb V l = false -> exists g, In g l /\ V g = false.
Proof.
  intros V l. induction l as [| g l IH]; simpl; [discriminate |]. destruct (V g) eqn:E; simpl; intro H.
  - destruct (IH H) as (h & K & N). exists h. split; [now right | exact N].
  - exists g. split; [now left | exact E].
Qed.

(** Between [s] and [e]: what has gone out of sight so far is over-deleted. *)
Definition fine (s e u : state) : Prop :=
  (forall g, rank_of u g = rank_of s g) /\ (forall g, present u g = true -> present s g = true) /\
  (forall g, present s g = true -> present u g = false -> overdeleted s e g).

(** A fact that had a support of lower rank at the start and has none left: its rule has gone, or one of its
    body has. *)
Lemma unsupported_overdeleted : forall s e u f, I2 s -> fine s e u -> (forall r, In r (rules e) -> In r (rules u)) ->
  present s f = true -> count (supports_low (present u) (rank_of u) f (rank_of u f)) (rules u) = 0 ->
  overdeleted s e f.
Proof.
  intros s e u f [XL Z] (K & _ & O) Later F None. specialize (Z f F). rewrite XL in Z. apply count_positive in Z.
  destruct Z as (r & R & S). apply andb_true_iff in S. destruct S as [S B]. apply andb_true_iff in S.
  destruct S as [Q A]. assert (Q' := Q). apply equal_spec in Q. rewrite forallb_forall in A. rewrite <- Q.
  destruct (forallb (present u) (needs r)) eqn:P.
  - apply over_lost; [exact R | | exact A]. intro Re. apply Later in Re.
    enough (count (supports_low (present u) (rank_of u) f (rank_of u f)) (rules u) > 0) by lia.
    apply count_positive. exists r. split; [exact Re |]. unfold Ranked.supports_low, Ranked.supports.
    rewrite Q', P. simpl. unfold Ranked.lower in *. rewrite forallb_forall in *. intros g G. rewrite !K. now apply B.
  - destruct (missing_fact _ _ P) as (g & G & N). apply (over_used s e r g); auto.
Qed.

(** ** Step by step *)

Lemma rules_shrink : forall s t, retract s t -> forall r, In r (rules t) -> In r (rules s).
Proof.
  intros s t [r P _ _ _ | f _ _ E _ _ _ _] x X.
  - apply Permutation_in with (l := r :: rules t); [now symmetry | now right].
  - now rewrite <- E.
Qed.

Lemma rules_shrink_all : forall s t, steps retract s t -> forall r, In r (rules t) -> In r (rules s).
Proof.
  intros s t S. induction S as [s | s t u H S IH]; intros r R; [exact R |].
  apply (rules_shrink s t H). now apply IH.
Qed.

Lemma step_fine : forall s e u v, I2 s -> exact u -> fine s e u -> retract u v ->
  (forall r, In r (rules e) -> In r (rules u)) -> fine s e v.
Proof.
  intros s e u v H2 [_ XL] N H Later. assert (N' := N). destruct N as (K & V & O).
  destruct H as [r P [W R] _ _ | f F L E W R _ _]; repeat split.
  - intro g. now rewrite R.
  - intros g G. apply V. now rewrite <- W.
  - intros g G D. apply O; [exact G | now rewrite <- W].
  - intro g. now rewrite R.
  - intros g G. apply V. rewrite W in G. now apply andb_true_iff in G.
  - intros g G D. destruct (present u g) eqn:U; [| now apply O]. rewrite W, U in D. simpl in D.
    apply negb_false_iff, equal_spec in D. subst g. apply (unsupported_overdeleted s e u f); auto.
    now rewrite <- XL.
Qed.

Theorem suspended_within_overdeleted : forall s t, I1 s -> I2 s -> steps retract s t ->
  forall f, present s f = true -> present t f = false -> overdeleted s t f.
Proof.
  intros s t [XA _] H2 S.
  assert (G : forall u w, steps retract u w -> exact u -> fine s w u -> fine s w w).
  { intros u w Su. induction Su as [u | u v w H Sv IH]; intros X F; [exact F |].
    apply IH; [now apply (retract_exact fact fact_dec u v) |]. apply (step_fine s w u v H2 X F H).
    intros r R. apply (rules_shrink u v H). now apply (rules_shrink_all v w Sv). }
  assert (F : fine s t s) by (repeat split; auto; intros; congruence).
  destruct (G s t S (conj XA (proj1 H2)) F) as (_ & _ & O). exact O.
Qed.

(** ** Round by round *)

Lemma round_rules_shrink : forall c d, retract_round c d -> forall r, In r (rules (held fact d)) -> In r (rules
  (held fact c)).
Proof.
  intros c d [r P _ _ _ | D _ _ E _ _ _ _ | r _ E _ _ _] x X.
  - apply Permutation_in with (l := r :: rules (held fact d)); [now symmetry | now right].
  - now rewrite <- E.
  - now rewrite <- E.
Qed.

Lemma rounds_rules_shrink : forall c d, runs retract_round c d ->
  forall r, In r (rules (held fact d)) -> In r (rules (held fact c)).
Proof.
  intros c d S. induction S as [c | c d e H S IH]; intros r R; [exact R |].
  apply (round_rules_shrink c d H). now apply IH.
Qed.

Lemma round_fine : forall s e c d, I2 s -> owes c -> fine s e (held fact c) -> retract_round c d ->
  (forall r, In r (rules e) -> In r (rules (held fact c))) -> fine s e (held fact d).
Proof.
  intros s e c d H2 [_ XL] N H Later. assert (N' := N). destruct N as (K & V & O).
  destruct H as [r P [W R] _ _ | D _ S E W R _ _ | r P E [W R] _ _]; repeat split.
  1, 4, 7: intro g; now rewrite R.
  1, 5: intros g G; apply V; now rewrite <- W.
  1, 4: intros g G Q; apply O; [exact G | now rewrite <- W].
  - intros g G. apply V. rewrite W in G. now apply andb_true_iff in G.
  - intros g G Q. destruct (present (held fact c) g) eqn:U; [| now apply O]. rewrite W, U in Q. simpl in Q.
    apply negb_false_iff in Q. destruct (S g Q) as [_ L]. rewrite XL in L.
    apply (unsupported_overdeleted s e (held fact c) g); auto. lia.
Qed.

Theorem rounds_within_overdeleted : forall s t, I1 s -> I2 s ->
  runs retract_round (Configuration fact s []) (Configuration fact t []) ->
  forall f, present s f = true -> present t f = false -> overdeleted s t f.
Proof.
  intros s t [XA _] H2 S.
  assert (G : forall c d, runs retract_round c d -> owes c -> fine s (held fact d) (held fact c) ->
    fine s (held fact d) (held fact d)).
  { intros c d Sc. induction Sc as [c | c d e H Sd IH]; intros X F; [exact F |].
    apply IH; [now apply (sent_lost fact fact_dec c d) |]. apply (round_fine s (held fact e) c d H2 X F H).
    intros r R. apply (round_rules_shrink c d H). now apply (rounds_rules_shrink d e Sd). }
  assert (F : fine s t s) by (repeat split; auto; intros; congruence).
  destruct (G _ _ S (proj2 (nothing_owed fact fact_dec s) (conj XA (proj1 H2))) F) as (_ & _ & O). exact O.
Qed.

(** ** Heights *)

(** What the first [n] iterations derive. *)
Fixpoint within_stage (R : list support) (n : nat) (f : fact) : bool :=
  match n with
  | 0 => false
  | S n => existsb (supports fact fact_dec (within_stage R n) f) R
  end.

Lemma stage_present : forall s, I1 s -> forall n f, within_stage (rules s) n f = true -> present s f = true.
Proof.
  intros s H1. induction n as [| n IH]; simpl; intros f F; [discriminate |].
  apply existsb_exists in F. destruct F as (r & R & S). apply andb_true_iff in S. destruct S as [E B].
  apply equal_spec in E. subst f. apply (present_model fact fact_dec s H1 r R). rewrite forallb_forall in B. auto.
Qed.

Lemma support_dec : forall r q : support, {r = q} + {r <> q}.
Proof.
  decide equality. now apply list_eq_dec.
Qed.

(** A circuit that keeps iterations apart sees a fact that an iteration has no longer: DRed over-deletes it, too. *)
Theorem later_within_overdeleted : forall s t, I1 s -> forall n f,
  within_stage (rules s) n f = true -> within_stage (rules t) n f = false -> overdeleted s t f.
Proof.
  intros s t H1. induction n as [| n IH]; intros f F N; [discriminate |].
  simpl in F, N. apply existsb_exists in F. destruct F as (r & R & S). apply andb_true_iff in S. destruct S as [E B].
  assert (E' := E). apply equal_spec in E. rewrite forallb_forall in B. rewrite <- E.
  assert (A : forall g, In g (needs r) -> present s g = true) by (intros g G; apply (stage_present s H1 n); auto).
  destruct (in_dec support_dec r (rules t)) as [T | T]; [| now apply over_lost].
  destruct (forallb (within_stage (rules t) n) (needs r)) eqn:W.
  - exfalso. enough (K : existsb (supports fact fact_dec (within_stage (rules t) n) f) (rules t) = true) by congruence.
    apply existsb_exists. exists r. split; [exact T |]. unfold Ranked.supports. now rewrite E', W.
  - destruct (missing_fact _ _ W) as (g & G & M). apply (over_used s t r g); auto.
Qed.

(** ** Without recursion *)

(** Where no body has a fact of the stratum itself, [low] is [all]: a fact is suspended only if nothing supports it. *)
Theorem flat_low : forall s, exact s -> (forall r, In r (rules s) -> needs r = []) -> forall f, low s f = all s f.
Proof.
  intros s [A L] E f. rewrite A, L. apply count_same. intros r R. unfold Ranked.supports_low, Ranked.lower.
  rewrite (E r R). simpl. apply andb_true_r.
Qed.

End Within.

(** ** Strictly *)

(** 2 follows from 0 and from 1; the assertion of 0 goes. DRed over-deletes 2, ranked support leaves it in sight. *)
Definition feeders : state nat :=
  State [Support 0 []; Support 1 []; Support 2 [0]; Support 2 [1]] (fun f => f <? 3)
    (fun f => (if f =? 2 then 2 else 1, 0)) (fun f => if f =? 2 then 2 else if f <? 2 then 1 else 0)
    (fun f => if f =? 2 then 2 else if f <? 2 then 1 else 0).

Theorem within_strict : exists t f, I1 nat Nat.eq_dec feeders /\ I2 nat Nat.eq_dec feeders /\
  steps nat (retract nat Nat.eq_dec) feeders t /\ retracted nat t /\
  overdeleted nat feeders t f /\ present t f = true.
Proof.
  set (u := lost nat Nat.eq_dec feeders (Support 0 []) [Support 1 []; Support 2 [0]; Support 2 [1]]).
  exists (suspended nat Nat.eq_dec u 0), 2.
  split; [| split; [| split; [| split; [| split]]]].
  - split; intros [| [| [| f]]]; try reflexivity; discriminate.
  - split; intros [| [| [| f]]]; try reflexivity; simpl; intros; try discriminate; lia.
  - apply steps_cons with (t := u); [apply (lose _ _ _ _ (Support 0 [])); unfold same_facts; simpl; auto |].
    apply steps_cons with (t := suspended nat Nat.eq_dec u 0); [| apply steps_nil]. apply (suspend _ _ _ _ 0); auto.
  - intros [| [| [| f]]] F; cbv in F |- *; try discriminate; lia.
  - apply (over_used nat feeders _ (Support 2 [0]) 0).
    + simpl. auto.
    + simpl. auto.
    + apply (over_lost nat feeders _ (Support 0 [])); [simpl; auto | | intros g []].
      simpl. intros [H | [H | [H | []]]]; discriminate.
    + intros h [<- | []]. reflexivity.
  - reflexivity.
Qed.
