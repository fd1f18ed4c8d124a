(** Theorem 14 of the 2011 paper, for ground programs without recursion: any two executions end in the same tables.

    An execution is any sequence of complete iterations of any sizes: pipelined ones take one update each, synchronous
    ones all that wait, and everything between is allowed. The proof does not permute commands. It counts: what a fact
    has in its table, plus what waits for it, minus what rules derive for it, never changes ([iteration_balance]), since
    delta rules find exactly what an iteration makes and breaks, in any batch ([delta_batch]). When nothing waits, every
    table is what rules derive and this constant ([execution_scratch]); without recursion only one choice of tables is
    ([theorem_14]).

    Deletions need no condition here: an execution that cannot pick a deletion does not end with nothing waiting. *)

From Coq Require Import List Arith ZArith Lia Permutation.
From Tidelog Require Import Commands Delta.
Import ListNotations.
Open Scope Z_scope.

Section Theorem14.

Variable item : Type.
Variable item_dec : forall x y : item, {x = y} + {x <> y}.
Variable rules : list (ground_rule item).

Notation update := (update item).
Notation configuration := (configuration item).
Notation derived := (derived item item_dec rules).
Notation iteration := (iteration item derived).
Notation same := (same item).

Definition copies (t : list item) (x : item) : Z := Z.of_nat (count_occ item_dec t x).
Definition ways (t : list item) (body : list item) : Z := Z.of_nat (derivations item item_dec t body).
Definition hits (o n : list item) (x : item) (body : list item) : Z := Z.of_nat (matches item item_dec o n x body).

Definition signed (u : update) : Z := match sign_of u with Insert => 1 | Delete => -1 end.

Fixpoint sum {A : Type} (f : A -> Z) (l : list A) : Z := match l with [] => 0 | x :: l => f x + sum f l end.

(** Insertions minus deletions of an item. *)
Definition net (us : list update) (x : item) : Z := sum (fun u => if item_dec x (item_of u) then signed u else 0) us.

(** How many derivations all rules together have for an item. *)
Definition derivable (t : list item) (h : item) : Z :=
  sum (fun r => if item_dec h (rule_head r) then ways t (rule_body r) else 0) rules.

(** ** Sums *)

Lemma sum_app : forall (A : Type) (f : A -> Z) l m, sum f (l ++ m) = sum f l + sum f m.
Proof.
  intros A f l m. induction l as [| x l IH]; simpl; lia.
Qed.

Lemma sum_permutation : forall (A : Type) (f : A -> Z) l m, Permutation l m -> sum f l = sum f m.
Proof.
  intros A f l m P. induction P; simpl; lia.
Qed.

Lemma sum_same : forall (A : Type) (f g : A -> Z) l, (forall x, In x l -> f x = g x) -> sum f l = sum g l.
Proof.
  intros A f g l. induction l as [| x l IH]; intro H; simpl; [reflexivity |].
  rewrite (H x (or_introl eq_refl)), IH; [reflexivity |]. intros y Y. apply H. now right.
Qed.

Lemma sum_zero : forall (A : Type) (f : A -> Z) l, (forall x, f x = 0) -> sum f l = 0.
Proof.
  intros A f l H. induction l as [| x l IH]; simpl; [reflexivity | now rewrite H, IH].
Qed.

Lemma sum_plus : forall (A : Type) (f g : A -> Z) l, sum (fun x => f x + g x) l = sum f l + sum g l.
Proof.
  intros A f g l. induction l as [| x l IH]; simpl; lia.
Qed.

Lemma sum_times : forall (A : Type) (f : A -> Z) k l, sum (fun x => k * f x) l = k * sum f l.
Proof.
  intros A f k l. induction l as [| x l IH]; simpl; lia.
Qed.

Lemma sum_swap : forall (A B : Type) (f : A -> B -> Z) l m,
  sum (fun x => sum (f x) m) l = sum (fun y => sum (fun x => f x y) l) m.
Proof.
  intros A B f l m. induction l as [| x l IH]; simpl.
  - induction m as [| y m IH]; simpl; lia.
  - rewrite IH, <- sum_plus. reflexivity.
Qed.

Lemma net_app : forall us vs x, net (us ++ vs) x = net us x + net vs x.
Proof.
  intros. apply sum_app.
Qed.

Lemma net_permutation : forall us vs x, Permutation us vs -> net us x = net vs x.
Proof.
  intros us vs x P. now apply sum_permutation.
Qed.

Lemma copies_app : forall s t x, copies (s ++ t) x = copies s x + copies t x.
Proof.
  intros s t x. unfold copies. rewrite count_occ_app. lia.
Qed.

Lemma copies_permutation : forall s t x, Permutation s t -> copies s x = copies t x.
Proof.
  intros s t x P. unfold copies. f_equal. now apply Permutation_count_occ.
Qed.

(** A table that loses and gains what updates say changes by their net effect. *)
Lemma copies_net : forall us before after x,
  changed (items item Delete us) (items item Insert us) before after -> copies after x = copies before x + net us x.
Proof.
  intros us before after x C. apply (copies_permutation _ _ x) in C. rewrite !copies_app in C.
  enough (copies (items item Insert us) x - copies (items item Delete us) x = net us x) by lia.
  clear. induction us as [| [[|] y] us IH]; [reflexivity | |]; unfold net, items, copies, signed in *; simpl in *;
    destruct (item_dec x y), (item_dec y x); try congruence; lia.
Qed.

(** ** A batch of updates *)

(** The matches of the delta rules of a batch, with signs, are the difference that the batch makes to a body. *)
Theorem delta_batch : forall us o n, (forall x, copies n x = copies o x + net us x) ->
  forall body, ways n body = ways o body + sum (fun u => signed u * hits o n (item_of u) body) us.
Proof.
  intros us o n H body. induction body as [| b rest IH].
  - rewrite sum_zero; [reflexivity |]. intro u. apply Z.mul_0_r.
  - assert (W : forall t, ways t (b :: rest) = copies t b * ways t rest) by (intro; apply Nat2Z.inj_mul).
    assert (M : forall u, signed u * hits o n (item_of u) (b :: rest) =
      ways o rest * (if item_dec b (item_of u) then signed u else 0) +
      copies n b * (signed u * hits o n (item_of u) rest)).
    { intro u. unfold hits, ways, copies. simpl. rewrite Nat2Z.inj_add, Nat2Z.inj_mul.
      destruct (item_dec b (item_of u)); simpl; ring. }
    rewrite (sum_same _ _ _ us (fun u _ => M u)), sum_plus, !sum_times, !W, IH.
    change (sum (fun u => if item_dec b (item_of u) then signed u else 0) us) with (net us b).
    rewrite (H b). ring.
Qed.

Lemma net_repeat : forall s h k x, net (repeat (Update s h) k) x =
  if item_dec x h then Z.of_nat k * signed (Update s h) else 0.
Proof.
  intros s h k x. unfold net. induction k as [| k IH]; [now simpl; destruct (item_dec x h) |].
  cbn [repeat sum]. rewrite IH, Nat2Z.inj_succ. cbn [item_of]. unfold Z.succ. destruct (item_dec x h); ring.
Qed.

Lemma net_derived : forall o n u h, net (derived o n u) h =
  sum (fun r => if item_dec h (rule_head r) then signed u * hits o n (item_of u) (rule_body r) else 0) rules.
Proof.
  intros o n u h. unfold Delta.derived. induction rules as [| r l IH]; simpl; [reflexivity |].
  rewrite net_app, net_repeat, IH. unfold hits, signed. cbn [sign_of].
  destruct (item_dec h (rule_head r)); [ring | reflexivity].
Qed.

Lemma net_all_derived : forall us o n h, (forall x, copies n x = copies o x + net us x) ->
  net (flat_map (derived o n) us) h = derivable n h - derivable o h.
Proof.
  intros us o n h H.
  transitivity (sum (fun u => sum (fun r => if item_dec h (rule_head r)
    then signed u * hits o n (item_of u) (rule_body r) else 0) rules) us).
  - clear H. induction us as [| u us IH]; simpl; [reflexivity |]. now rewrite net_app, IH, net_derived.
  - rewrite sum_swap. unfold derivable. induction rules as [| r l IH]; simpl; [reflexivity |]. rewrite IH.
    destruct (item_dec h (rule_head r)).
    + rewrite (delta_batch us o n H (rule_body r)). lia.
    + rewrite sum_zero by reflexivity. lia.
Qed.

(** ** What an iteration never changes *)

Definition settled (c : configuration) : Prop := Permutation (old c) (new c).

Definition balance (c : configuration) (h : item) : Z :=
  copies (old c) h + net (waiting c) h - derivable (old c) h.

Lemma derivable_permutation : forall s t h, Permutation s t -> derivable s h = derivable t h.
Proof.
  intros s t h P. apply sum_same. intros r _. unfold ways. now rewrite (derivations_same _ item_dec s t _ P).
Qed.

Lemma derived_same : forall o o' n n' u, Permutation o o' -> Permutation n n' ->
  Permutation (derived o n u) (derived o' n' u).
Proof.
  intros o o' n n' u O N. unfold Delta.derived. induction rules as [| r l IH]; simpl; [constructor |].
  rewrite (matches_same _ item_dec o o' n n' _ _ O N). now apply Permutation_app_head.
Qed.

Theorem iteration_balance : forall us c d, settled c -> iteration us c d ->
  settled d /\ Permutation (picked d) (picked c) /\ Permutation (fired d) (fired c) /\
  forall h, balance d h = balance c h.
Proof.
  intros us c d S (us1 & us2 & us3 & p & f & P1 & P2 & P3 & R1 & R2 & R3).
  apply picks_together in R1. apply (fires_together _ _ derived_same) in R2. apply commits_together in R3.
  destruct R1 as (O1 & N1 & W1 & K1 & F1), R2 as (O2 & N2 & W2 & K2 & F2), R3 as (O3 & N3 & W3 & K3 & F3).
  apply (proj1 (unchanged _ _ _)) in O1, F1, O2, N2, N3, W3, K3. unfold changed in W1, K1, W2, K2, F2, F3. simpl in *.
  pose proof (fun x => copies_net us1 _ _ x N1) as CN. pose proof (fun x => copies_net us3 _ _ x O3) as CO.
  assert (Net : forall vs x, Permutation us vs -> net vs x = net us x) by (intros; symmetry; now apply net_permutation).
  assert (New : forall x, copies (new d) x = copies (old d) x).
  { intro x. rewrite CO, <- (copies_permutation _ _ x O2), <- (copies_permutation _ _ x O1).
    rewrite (copies_permutation _ _ x S).
    rewrite <- (copies_permutation _ _ x N3), <- (copies_permutation _ _ x N2), CN, (Net us1), (Net us3); auto. }
  assert (Settled : settled d).
  { apply (Permutation_count_occ item_dec). intro x. specialize (New x). unfold copies in New. lia. }
  repeat split; [exact Settled | | |].
  - apply Permutation_app_inv_l with (l := us). rewrite <- K3. transitivity (us2 ++ picked f); [now rewrite <- P2 |].
    now rewrite K2, K1, <- P1.
  - apply Permutation_app_inv_l with (l := us). transitivity (us3 ++ fired d); [now rewrite <- P3 |].
    now rewrite F3, F2, <- P2, F1.
  - intro h. unfold balance.
    rewrite <- (net_permutation _ _ h W3), (net_permutation _ _ h W2), <- (net_permutation _ _ h W1), !net_app.
    rewrite (net_all_derived us2 (old p) (new p) h).
    + rewrite (derivable_permutation (old d) (new p) h); [| red in Settled; now rewrite Settled, <- N3, <- N2].
      rewrite <- (derivable_permutation _ _ h O1), CO, (Net us1), (Net us3) by assumption.
      rewrite <- (copies_permutation _ _ h O2), <- (copies_permutation _ _ h O1). lia.
    + intro x. rewrite CN, <- (copies_permutation _ _ x S), (copies_permutation _ _ x O1), (Net us1), (Net us2); auto.
Qed.

(** ** Executions *)

Inductive execution : configuration -> configuration -> Prop :=
| execution_nil : forall c, execution c c
| execution_cons : forall us c d e, iteration us c d -> execution d e -> execution c e.

Lemma execution_balance : forall c d, execution c d -> settled c ->
  settled d /\ Permutation (picked d) (picked c) /\ Permutation (fired d) (fired c) /\
  forall h, balance d h = balance c h.
Proof.
  intros c d E. induction E as [c | us c d e I E IH]; intro S; [auto |].
  destruct (iteration_balance us c d S I) as (S' & P & F & B). destruct (IH S') as (S'' & P' & F' & B').
  repeat split; [exact S'' | now rewrite P' | now rewrite F' |]. intro h. now rewrite B'.
Qed.

(** When nothing waits, a table holds what rules derive, and what the start has given besides. *)
Theorem execution_scratch : forall c d, settled c -> execution c d -> waiting d = [] ->
  forall h, copies (old d) h = derivable (old d) h + balance c h.
Proof.
  intros c d S E W h. destruct (execution_balance c d E S) as (_ & _ & _ & B). rewrite <- B. unfold balance. rewrite W.
  change (net [] h) with 0. lia.
Qed.

(** No recursion: every body is below its head. *)
Definition without_recursion (level : item -> nat) : Prop :=
  forall r, In r rules -> forall b, In b (rule_body r) -> (level b < level (rule_head r))%nat.

Lemma ways_same : forall s t body, (forall b, In b body -> copies s b = copies t b) -> ways s body = ways t body.
Proof.
  intros s t body. unfold ways, copies. induction body as [| b rest IH]; intro H; simpl; [reflexivity |].
  rewrite !Nat2Z.inj_mul, (H b (or_introl eq_refl)), IH; [reflexivity |]. intros c C. apply H. now right.
Qed.

Lemma tables_unique : forall level s t extra, without_recursion level ->
  (forall h, copies s h = derivable s h + extra h) -> (forall h, copies t h = derivable t h + extra h) ->
  Permutation s t.
Proof.
  intros level s t extra N S T.
  assert (E : forall n h, (level h < n)%nat -> copies s h = copies t h).
  { induction n as [| n IH]; intros h L; [lia |]. rewrite S, T. f_equal. apply sum_same. intros r R.
    destruct (item_dec h (rule_head r)) as [-> |]; [| reflexivity].
    apply ways_same. intros b B. apply IH. specialize (N r R b B). lia. }
  apply (Permutation_count_occ item_dec). intro h. specialize (E (Datatypes.S (level h)) h (Nat.lt_succ_diag_r _)).
  unfold copies in E. lia.
Qed.

(** Whatever their iterations, two executions from one configuration that end, end in the same configuration. *)
Theorem theorem_14 : forall level c d d', without_recursion level -> settled c ->
  execution c d -> waiting d = [] -> execution c d' -> waiting d' = [] -> same d d'.
Proof.
  intros level c d d' N S E W E' W'.
  assert (T : Permutation (old d) (old d')).
  { apply (tables_unique level _ _ (balance c) N); now apply execution_scratch. }
  destruct (execution_balance c d E S) as (Sd & P & F & _), (execution_balance c d' E' S) as (Sd' & P' & F' & _).
  red in Sd, Sd'. repeat split.
  - exact T.
  - now rewrite <- Sd, <- Sd'.
  - now rewrite W, W'.
  - now rewrite P, P'.
  - now rewrite F, F'.
Qed.

End Theorem14.
