(** Theorem 14 over any commutative ring.

    A table gives every item a weight of the ring: numbers of copies, polynomials of provenance, polynomials over those
    of any commutative ring. An update is an item with a weight to add; rules have coefficients, and a body weighs the
    product of its items. An iteration picks any updates, fires the delta rules of all of them between the table without
    and the table with them, and commits them. What waits is a weight for every item.

    As in Theorem14.v, a table plus what waits minus what rules derive never changes ([ring_balance]), so when nothing
    waits the table is what rules derive plus this constant ([ring_scratch]), and without recursion there is one such
    table ([ring_theorem_14]). An iteration may even pick what does not wait: the opposite then waits. *)

From Coq Require Import List Arith Lia Ring.
Import ListNotations.

Section WeightedTables.

Variable R : Type.
Variables (zero one : R) (plus times minus : R -> R -> R) (opposite : R -> R).
Hypothesis ring_laws : ring_theory zero one plus times minus opposite (@eq R).

Add Ring weights : ring_laws.

Infix "+" := plus.
Infix "*" := times.
Infix "-" := minus.

Variable item : Type.
Variable item_dec : forall x y : item, {x = y} + {x <> y}.

Record weighted_rule := Weighted { coefficient : R; concludes : item; premises : list item }.

Variable rules : list weighted_rule.

Definition table := item -> R.

(** An item, and the weight that is added to it. *)
Notation change := (prod item R).

Fixpoint sum {A : Type} (f : A -> R) (l : list A) : R := match l with [] => zero | x :: l => f x + sum f l end.

Definition net (us : list change) (x : item) : R := sum (fun u => if item_dec x (fst u) then snd u else zero) us.

Fixpoint weight (t : table) (body : list item) : R :=
  match body with [] => one | b :: rest => t b * weight t rest end.

(** The delta rules of one item: the old table after its place in the body, the new one before it. *)
Fixpoint hits (o n : table) (x : item) (body : list item) : R :=
  match body with
  | [] => zero
  | b :: rest => (if item_dec b x then weight o rest else zero) + n b * hits o n x rest
  end.

(** What rules derive for an item from a table, and what the delta rules derive for it from changes. *)
Definition derives (t : table) (h : item) : R :=
  sum (fun r => if item_dec h (concludes r) then coefficient r * weight t (premises r) else zero) rules.

Definition fires (o n : table) (us : list change) (h : item) : R :=
  sum (fun u => sum (fun r => if item_dec h (concludes r)
    then coefficient r * (snd u * hits o n (fst u) (premises r)) else zero) rules) us.

Record state := State { tables : table; waits : table }.

Definition iteration (us : list change) (c d : state) : Prop :=
  (forall x, tables d x = tables c x + net us x) /\
  (forall x, waits d x = (waits c x - net us x) + fires (tables c) (tables d) us x).

Inductive execution : state -> state -> Prop :=
| execution_nil : forall c, execution c c
| execution_cons : forall us c d e, iteration us c d -> execution d e -> execution c e.

(** ** Sums *)

Lemma sum_same : forall (A : Type) (f g : A -> R) l, (forall x, In x l -> f x = g x) -> sum f l = sum g l.
Proof.
  intros A f g l. induction l as [| x l IH]; intro H; simpl; [reflexivity |].
  rewrite (H x (or_introl eq_refl)), IH; [reflexivity |]. intros y Y. apply H. now right.
Qed.

Lemma sum_zero : forall (A : Type) (f : A -> R) l, (forall x, f x = zero) -> sum f l = zero.
Proof.
  intros A f l H. induction l as [| x l IH]; simpl; [reflexivity |]. rewrite H, IH. ring.
Qed.

Lemma sum_plus : forall (A : Type) (f g : A -> R) l, sum (fun x => f x + g x) l = sum f l + sum g l.
Proof.
  intros A f g l. induction l as [| x l IH]; simpl; [ring |]. rewrite IH. ring.
Qed.

Lemma sum_times : forall (A : Type) (f : A -> R) k l, sum (fun x => k * f x) l = k * sum f l.
Proof.
  intros A f k l. induction l as [| x l IH]; simpl; [ring |]. rewrite IH. ring.
Qed.

Lemma sum_swap : forall (A B : Type) (f : A -> B -> R) l m,
  sum (fun x => sum (f x) m) l = sum (fun y => sum (fun x => f x y) l) m.
Proof.
  intros A B f l m. induction l as [| x l IH]; simpl.
  - symmetry. now apply sum_zero.
  - now rewrite IH, <- sum_plus.
Qed.

(** ** A batch of changes *)

(** The matches of the delta rules of a batch are the difference that the batch makes to the weight of a body. *)
Theorem ring_batch : forall us o n, (forall x, n x = o x + net us x) ->
  forall body, weight n body = weight o body + sum (fun u => snd u * hits o n (fst u) body) us.
Proof.
  intros us o n H body. induction body as [| b rest IH]; simpl.
  - rewrite sum_zero; [ring | intro u; ring].
  - assert (M : forall u : change, snd u * ((if item_dec b (fst u) then weight o rest else zero)
      + n b * hits o n (fst u) rest) =
      weight o rest * (if item_dec b (fst u) then snd u else zero) + n b * (snd u * hits o n (fst u) rest)).
    { intro u. destruct (item_dec b (fst u)); ring. }
    rewrite (sum_same _ _ _ us (fun u _ => M u)), sum_plus, !sum_times, IH.
    change (sum (fun u => if item_dec b (fst u) then snd u else zero) us) with (net us b).
    rewrite (H b). ring.
Qed.

Lemma fires_exact : forall us o n, (forall x, n x = o x + net us x) ->
  forall h, derives n h = derives o h + fires o n us h.
Proof.
  intros us o n H h. unfold fires. rewrite sum_swap. unfold derives. rewrite <- sum_plus. apply sum_same. intros r _.
  destruct (item_dec h (concludes r)).
  - rewrite (ring_batch us o n H), sum_times. ring.
  - rewrite sum_zero by reflexivity. ring.
Qed.

(** ** Executions *)

Definition balance (c : state) (h : item) : R := (tables c h + waits c h) - derives (tables c) h.

Theorem ring_balance : forall us c d, iteration us c d -> forall h, balance d h = balance c h.
Proof.
  intros us c d [T W] h. unfold balance. rewrite W, (fires_exact us _ _ T h), T. ring.
Qed.

Lemma execution_balance : forall c d, execution c d -> forall h, balance d h = balance c h.
Proof.
  induction 1 as [| us c d e I E IH]; intro h; [reflexivity |]. rewrite IH. now apply (ring_balance us).
Qed.

(** When nothing waits, a table is what rules derive, and what the start has given besides. *)
Theorem ring_scratch : forall c d, execution c d -> (forall x, waits d x = zero) ->
  forall h, tables d h = derives (tables d) h + balance c h.
Proof.
  intros c d E W h. rewrite <- (execution_balance c d E h). unfold balance. rewrite W. ring.
Qed.

(** No recursion: every premise is below its conclusion. *)
Definition layered (level : item -> nat) : Prop :=
  forall r, In r rules -> forall b, In b (premises r) -> level b < level (concludes r).

Lemma weight_same : forall s t body, (forall b, In b body -> s b = t b) -> weight s body = weight t body.
Proof.
  intros s t body. induction body as [| b rest IH]; intro H; simpl; [reflexivity |].
  rewrite (H b (or_introl eq_refl)), IH; [reflexivity |]. intros c C. apply H. now right.
Qed.

Theorem ring_theorem_14 : forall level c d d', layered level ->
  execution c d -> (forall x, waits d x = zero) -> execution c d' -> (forall x, waits d' x = zero) ->
  forall x, tables d x = tables d' x.
Proof.
  intros level c d d' L E W E' W'.
  assert (S : forall n h, level h < n -> tables d h = tables d' h).
  { induction n as [| n IH]; intros h H; [lia |].
    rewrite (ring_scratch c d E W h), (ring_scratch c d' E' W' h). f_equal. apply sum_same. intros r Hr.
    destruct (item_dec h (concludes r)) as [-> |]; [| reflexivity]. f_equal.
    apply weight_same. intros b B. apply IH. specialize (L r Hr b B). lia. }
  intro x. exact (S (Datatypes.S (level x)) x (Nat.lt_succ_diag_r _)).
Qed.

End WeightedTables.
