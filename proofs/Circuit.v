(** Datalog as a circuit over streams of Z-sets, while facts and rules change: the naive circuit and the nested one.

    A Z-set assigns a weight to each element, a stream assigns one to each time. [I] adds up a stream, [D] is the stream
    of its differences, [delay] is z^-1; [D] and [I] are inverse ([D_I], [I_D]). The circuits interpret rules, which
    have weights like facts and change like them. What they need of the operator T of immediate consequences is in
    [Consequences]: of weights that are not negative it makes such weights, positive exactly for what some rule derives.

    - The naive circuit (Figure 1 of the DYRE paper) feeds its own facts back over time. While facts and rules are only
      added, all that it shows can be derived ([naive_sound]); if nothing is sent for n times, it shows all that n + 1
      rounds derive ([naive_stage]); and where it comes to rest, it shows the least model ([naive_settled]).
    - The nested circuit starts its loop again at each time of the changes. At each time, whatever was added or removed,
      round k has what k rounds of consequences derive ([nested_stage]), and the round in which nothing is new is the
      least model ([nested_least]). The circuits of Figures 2 and 3 are incremental forms of it: what they send adds up
      to what it shows ([nested_changes]). *)

From Coq Require Import ZArith List Lia Arith.
From Tidelog Require Datalog.
Import ListNotations.
Open Scope Z_scope.

Definition zset (A : Type) : Type := A -> Z.
Definition stream (A : Type) : Type := nat -> A.

(** ** Streams of Z-sets *)

Section Streams.

Variable A : Type.

Fixpoint I (s : stream (zset A)) (t : nat) : zset A :=
  match t with
  | O => s O
  | S u => fun x => I s u x + s (S u) x
  end.

Definition delay (s : stream (zset A)) : stream (zset A) := fun t => match t with O => fun _ => 0 | S u => s u end.

Definition D (s : stream (zset A)) : stream (zset A) := fun t x => s t x - delay s t x.

Definition plus (s r : stream (zset A)) : stream (zset A) := fun t x => s t x + r t x.

Definition distinct (z : zset A) : zset A := fun x => if 0 <? z x then 1 else 0.

Theorem D_I : forall s t x, D (I s) t x = s t x.
Proof.
  intros s [| t] x; unfold D; simpl; lia.
Qed.

Theorem I_D : forall s t x, I (D s) t x = s t x.
Proof.
  intros s t x. induction t as [| t IH]; unfold D in *; simpl in *; [lia |]. rewrite IH. lia.
Qed.

Lemma I_same : forall s r, (forall t x, s t x = r t x) -> forall t x, I s t x = I r t x.
Proof.
  intros s r E t x. induction t as [| t IH]; simpl; [apply E |]. now rewrite IH, E.
Qed.

Lemma I_plus : forall s r t x, I (plus s r) t x = I s t x + I r t x.
Proof.
  intros s r t x. induction t as [| t IH]; unfold plus in *; simpl; [reflexivity |]. rewrite IH. lia.
Qed.

Lemma I_delay : forall s t x, I (delay s) (S t) x = I s t x.
Proof.
  intros s t x. induction t as [| t IH]; simpl in *; [lia |]. rewrite IH. lia.
Qed.

Lemma distinct_positive : forall z x, 0 < distinct z x <-> 0 < z x.
Proof.
  intros z x. unfold distinct. destruct (Z.ltb_spec 0 (z x)); lia.
Qed.

Lemma distinct_least : forall z x, 0 <= distinct z x.
Proof.
  intros z x. unfold distinct. destruct (0 <? z x); lia.
Qed.

End Streams.

Arguments I {A}.
Arguments D {A}.
Arguments delay {A}.
Arguments plus {A}.
Arguments distinct {A}.

(** ** Programs *)

Section Circuits.

Import Datalog.

Definition derives (rules : rule -> Prop) (K : fact -> Prop) (f : fact) : Prop :=
  exists r v, rules r /\ (forall a, In a (body r) -> K (ground v a)) /\ ground v (head r) = f.

Definition closed (rules : rule -> Prop) (base K : fact -> Prop) : Prop :=
  (forall f, base f -> K f) /\ forall f, derives rules K f -> K f.

Definition least (rules : rule -> Prop) (base : fact -> Prop) (f : fact) : Prop :=
  forall K, closed rules base K -> K f.

Fixpoint rounds (rules : rule -> Prop) (base : fact -> Prop) (n : nat) (f : fact) : Prop :=
  match n with
  | O => False
  | S m => base f \/ derives rules (rounds rules base m) f
  end.

Definition positive {A : Type} (z : zset A) (x : A) : Prop := 0 < z x.
Definition counts {A : Type} (z : zset A) : Prop := forall x, 0 <= z x.

(** Immediate consequences of weighted rules over weighted facts. *)
Variable T : zset rule -> zset fact -> zset fact.

Hypothesis Consequences : forall R K, counts R -> counts K ->
  counts (T R K) /\ forall f, positive (T R K) f <-> derives (positive R) (positive K) f.

Lemma derives_more : forall (R Q : rule -> Prop) (K L : fact -> Prop),
  (forall r, R r -> Q r) -> (forall f, K f -> L f) -> forall f, derives R K f -> derives Q L f.
Proof.
  intros R Q K L HR HK f (r & v & H & B & E). exists r, v. repeat split; auto.
Qed.

Lemma least_base : forall (R : rule -> Prop) (B : fact -> Prop) f, B f -> least R B f.
Proof.
  intros R B f H K [Base _]. now apply Base.
Qed.

Lemma least_step : forall (R : rule -> Prop) (B K : fact -> Prop) f, (forall g, K g -> least R B g) -> derives R K f ->
  least R B f.
Proof.
  intros R B K f H Df L C. apply (proj2 C). revert Df. apply derives_more; [auto |]. intros g G. now apply (H g G).
Qed.

Lemma least_more : forall (R Q : rule -> Prop) (B C : fact -> Prop), (forall r, R r -> Q r) -> (forall f, B f -> C f) ->
  forall f, least R B f -> least Q C f.
Proof.
  intros R Q B C HR HB f L. apply L. split.
  - intros g G. apply least_base. auto.
  - intros g G. apply (least_step Q C (least Q C)); [auto |]. revert G. now apply derives_more.
Qed.

Lemma rounds_least : forall R B n f, rounds R B n f -> least R B f.
Proof.
  intros R B. induction n as [| n IH]; intros f H; [destruct H |].
  destruct H as [H | H]; [now apply least_base | now apply (least_step R B (rounds R B n))].
Qed.

Lemma rounds_fixed : forall R B n, (forall f, rounds R B (S n) f -> rounds R B n f) ->
  forall f, least R B f <-> rounds R B n f.
Proof.
  intros R B n Fix f. split; [| apply rounds_least]. intro L. apply L. split.
  - intros g G. apply Fix. now left.
  - intros g G. apply Fix. now right.
Qed.

(** ** The naive circuit *)

Section Naive.

Variable rules : stream (zset rule).
Variable facts : stream (zset fact).
Variable inferred : stream (zset fact).

(** What the operators see at a time: all rules, and all facts with what was inferred before. *)
Definition known (t : nat) : zset fact := I (plus facts (delay inferred)) t.

(** The loop: the changes of the distinct consequences. *)
Hypothesis loop : forall t f, inferred t f = D (fun u => distinct (T (I rules u) (known u))) t f.

Definition state (t : nat) : zset fact := distinct (I (plus facts inferred) t).

Lemma inferred_sum : forall t f, I inferred t f = distinct (T (I rules t) (known t)) f.
Proof.
  intros t f. rewrite (I_same _ _ _ loop), I_D. reflexivity.
Qed.

Lemma known_sum : forall t f, known (S t) f = I facts (S t) f + distinct (T (I rules t) (known t)) f.
Proof.
  intros t f. unfold known at 1. rewrite I_plus, I_delay, inferred_sum. reflexivity.
Qed.

Lemma known_first : forall f, known O f = facts O f.
Proof.
  intro f. unfold known, plus. simpl. lia.
Qed.

Hypothesis counted_rules : forall t, counts (I rules t).
Hypothesis counted_facts : forall t, counts (I facts t).

Lemma known_counts : forall t, counts (known t).
Proof.
  intros [| t] f.
  - rewrite known_first. exact (counted_facts O f).
  - rewrite known_sum. pose proof (counted_facts (S t) f).
    pose proof (distinct_least _ (T (I rules t) (known t)) f). lia.
Qed.

Lemma state_positive : forall t f,
  positive (state t) f <-> positive (I facts t) f \/ derives (positive (I rules t)) (positive (known t)) f.
Proof.
  intros t f. unfold positive at 1, state. rewrite distinct_positive, I_plus, inferred_sum.
  destruct (Consequences _ _ (counted_rules t) (known_counts t)) as [_ C]. rewrite <- C. unfold positive.
  pose proof (counted_facts t f). pose proof (distinct_least _ (T (I rules t) (known t)) f).
  rewrite <- (distinct_positive _ (T (I rules t) (known t)) f). lia.
Qed.

Lemma known_positive : forall t f, positive (known (S t)) f <->
  positive (I facts (S t)) f \/ derives (positive (I rules t)) (positive (known t)) f.
Proof.
  intros t f. unfold positive at 1. rewrite known_sum.
  destruct (Consequences _ _ (counted_rules t) (known_counts t)) as [_ C]. rewrite <- C. unfold positive.
  pose proof (counted_facts (S t) f). pose proof (distinct_least _ (T (I rules t) (known t)) f).
  rewrite <- (distinct_positive _ (T (I rules t) (known t)) f). lia.
Qed.

(** Facts and rules are only added. *)
Definition grows {A : Type} (s : stream (zset A)) : Prop := forall t x, positive (I s t) x -> positive (I s (S t)) x.

Theorem naive_sound : grows rules -> grows facts ->
  forall t f, positive (state t) f -> least (positive (I rules t)) (positive (I facts t)) f.
Proof.
  intros GR GF.
  assert (Known : forall t f, positive (known t) f -> least (positive (I rules t)) (positive (I facts t)) f).
  { induction t as [| t IH]; intros f H.
    - apply least_base. unfold positive in *. now rewrite known_first in H.
    - apply known_positive in H. destruct H as [H | H]; [now apply least_base |].
      apply (least_more (positive (I rules t)) _ (positive (I facts t)) _); [apply GR | apply GF |].
      now apply (least_step _ _ (positive (known t))). }
  intros t f H. apply state_positive in H. destruct H as [H | H]; [now apply least_base |].
  apply (least_step _ _ (positive (known t))); auto.
Qed.

(** Nothing is sent from one time to another. *)
Definition quiet (t u : nat) : Prop :=
  forall v, (t < v <= u)%nat -> (forall r, rules v r = 0) /\ (forall f, facts v f = 0).

Lemma quiet_sums : forall t n, quiet t (t + n) ->
  (forall r, I rules (t + n) r = I rules t r) /\ (forall f, I facts (t + n) f = I facts t f).
Proof.
  intros t n. induction n as [| n IH]; intro Q; [rewrite Nat.add_0_r; now split |].
  destruct IH as [HR HF]; [intros v V; apply Q; lia |]. destruct (Q (t + S n)%nat) as [QR QF]; [lia |].
  rewrite Nat.add_succ_r in *. split; intro x; simpl; [rewrite HR, QR | rewrite HF, QF]; lia.
Qed.

Theorem naive_stage : forall t n, quiet t (t + n) ->
  forall f, rounds (positive (I rules t)) (positive (I facts t)) (S n) f -> positive (state (t + n)) f.
Proof.
  intros t n. induction n as [| n IH]; intros Q f H; apply state_positive.
  - rewrite Nat.add_0_r. destruct H as [H | H]; [now left | right]. revert H. apply derives_more; [auto | intros g []].
  - destruct (quiet_sums t (S n) Q) as [HR HF].
    assert (Qn : quiet t (t + n)) by (intros v V; apply Q; lia). destruct (quiet_sums t n Qn) as [HR' HF'].
    destruct H as [H | H].
    + left. unfold positive in *. now rewrite HF.
    + right. revert H. apply derives_more.
      * intros r R. unfold positive in *. now rewrite HR.
      * intros g G. rewrite Nat.add_succ_r. apply known_positive. specialize (IH Qn g G).
        apply state_positive in IH. destruct IH as [IH | IH]; [left | now right].
        unfold positive in *. rewrite Nat.add_succ_r in HF. now rewrite HF, <- HF'.
Qed.

(** At rest: nothing was inferred, and nothing is sent. *)
Theorem naive_settled : grows rules -> grows facts -> forall t, quiet t (S t) -> (forall f, inferred (S t) f = 0) ->
  forall f, positive (state (S t)) f <-> least (positive (I rules (S t))) (positive (I facts (S t))) f.
Proof.
  intros GR GF t Q Rest f. split; [now apply naive_sound |]. intro L. apply L. clear L f.
  assert (K : forall f, positive (state (S t)) f -> positive (known (S t)) f).
  { intros f H. apply state_positive in H. destruct H as [H | H]; [now apply known_positive; left |].
    apply known_positive. right. destruct (Consequences _ _ (counted_rules (S t)) (known_counts (S t))) as [_ C].
    apply C, distinct_positive in H.
    destruct (Consequences _ _ (counted_rules t) (known_counts t)) as [_ C']. apply C', distinct_positive.
    rewrite <- inferred_sum in *. specialize (Rest f). simpl in H. unfold positive. lia. }
  split.
  - intros f H. apply state_positive. now left.
  - intros f H. apply state_positive. right. revert H. apply derives_more; auto.
Qed.

End Naive.

(** ** The nested circuit *)

Section Nested.

Variable rules : stream (zset rule).
Variable facts : stream (zset fact).

Hypothesis counted_rules : forall t, counts (I rules t).
Hypothesis counted_facts : forall t, counts (I facts t).

(** At each time of the changes a loop of rounds, from nothing, over the sums of the changes so far. *)
Fixpoint round (t k : nat) : zset fact :=
  match k with
  | O => fun _ => 0
  | S j => distinct (fun f => I facts t f + T (I rules t) (round t j) f)
  end.

Lemma round_counts : forall t k, counts (round t k).
Proof.
  intros t [| k] f; simpl; [lia | apply distinct_least].
Qed.

Theorem nested_stage : forall t k f,
  positive (round t k) f <-> rounds (positive (I rules t)) (positive (I facts t)) k f.
Proof.
  intros t. induction k as [| k IH]; intro f; [unfold positive; simpl; split; [lia | tauto] |].
  destruct (Consequences _ _ (counted_rules t) (round_counts t k)) as [N C]. simpl.
  assert (E : positive (T (I rules t) (round t k)) f <->
    derives (positive (I rules t)) (rounds (positive (I rules t)) (positive (I facts t)) k) f).
  { rewrite C. split; apply derives_more; auto; intros g; apply IH. }
  rewrite <- E. unfold positive at 1. rewrite distinct_positive. unfold positive.
  pose proof (counted_facts t f). specialize (N f). lia.
Qed.

(** The round in which nothing is new: the least model, whatever was added or removed before. *)
Theorem nested_least : forall t k, (forall f, round t (S k) f = round t k f) ->
  forall f, positive (round t k) f <-> least (positive (I rules t)) (positive (I facts t)) f.
Proof.
  intros t k Fix f. rewrite nested_stage. symmetry. apply rounds_fixed. intros g G. apply nested_stage.
  apply nested_stage in G. unfold positive in *. now rewrite <- Fix.
Qed.

(** An incremental form sends the changes of this result from one time to the next; they add up to it. *)
Theorem nested_changes : forall (result : stream (zset fact)) t f, I (D result) t f = result t f.
Proof.
  intros. apply I_D.
Qed.

End Nested.

End Circuits.
