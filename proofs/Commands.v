(** The commands pick, fire and commit commute: the kernel of Theorem 14 of the 2011 paper.

    A configuration holds finite multisets: the tables without and with ν, the updates that wait, that are picked and
    that are fired. Multisets are lists up to permutation. What a fire derives is any function of the two tables that
    does not look at the order of their elements.

    [swap]: two commands that follow each other may be exchanged if the second was possible before the first, unless
    one of them changes a table that the other one reads; [diamond]: then both orders end in the same configuration.
    [iteration_any_order]: a complete iteration ends in the same configuration in whatever order it picks, fires and
    commits its updates. [insertions_first]: what can be picked in some order can be picked insertions first. *)

From Coq Require Import List Permutation.
Import ListNotations.

Inductive sign := Insert | Delete.

Record update (item : Type) := Update { sign_of : sign; item_of : item }.
Arguments Update {item}.
Arguments sign_of {item}.
Arguments item_of {item}.

Record configuration (item : Type) := Configuration {
  old : list item;
  new : list item;
  waiting : list (update item);
  picked : list (update item);
  fired : list (update item)
}.
Arguments Configuration {item}.
Arguments old {item}.
Arguments new {item}.
Arguments waiting {item}.
Arguments picked {item}.
Arguments fired {item}.

Inductive command (item : Type) := Pick (u : update item) | Fire (u : update item) | Commit (u : update item).
Arguments Pick {item}.
Arguments Fire {item}.
Arguments Commit {item}.

Section Commands.

Variable item : Type.
Variable derived : list item -> list item -> update item -> list (update item).
Hypothesis derived_multiset : forall o o' n n' u,
  Permutation o o' -> Permutation n n' -> Permutation (derived o n u) (derived o' n' u).

Notation update := (update item).
Notation configuration := (configuration item).

(** The same multisets everywhere. *)
Definition same (c d : configuration) : Prop :=
  Permutation (old c) (old d) /\ Permutation (new c) (new d) /\ Permutation (waiting c) (waiting d) /\
  Permutation (picked c) (picked d) /\ Permutation (fired c) (fired d).

(** A multiset loses [out] and gains [into]. *)
Definition changed {A : Type} (out into before after : list A) : Prop :=
  Permutation (out ++ after) (into ++ before).

(** A table before and after an update: a deletion has to find its item. *)
Definition entered (u : update) : list item -> list item -> Prop :=
  match sign_of u with
  | Insert => changed [] [item_of u]
  | Delete => changed [item_of u] []
  end.

Definition step (c : configuration) (a : command item) (d : configuration) : Prop :=
  match a with
  | Pick u =>
      changed [] [] (old c) (old d) /\ entered u (new c) (new d) /\ changed [u] [] (waiting c) (waiting d) /\
      changed [] [u] (picked c) (picked d) /\ changed [] [] (fired c) (fired d)
  | Fire u =>
      changed [] [] (old c) (old d) /\ changed [] [] (new c) (new d) /\
      changed [] (derived (old c) (new c) u) (waiting c) (waiting d) /\
      changed [u] [] (picked c) (picked d) /\ changed [] [u] (fired c) (fired d)
  | Commit u =>
      entered u (old c) (old d) /\ changed [] [] (new c) (new d) /\ changed [] [] (waiting c) (waiting d) /\
      changed [] [] (picked c) (picked d) /\ changed [u] [] (fired c) (fired d)
  end.

(** A command finds at [d] what it would find at [c]: a fire derives the same; the others read no table. *)
Definition calm (a : command item) (c d : configuration) : Prop :=
  match a with
  | Fire u => Permutation (derived (old c) (new c) u) (derived (old d) (new d) u)
  | _ => True
  end.

(** ** One field of a configuration *)

Lemma exchange : forall (A : Type) (o1 i1 o2 i2 c d e w : list A),
  changed o1 i1 c d -> changed o2 i2 d e -> changed o2 i2 c w -> changed o1 i1 w e.
Proof.
  unfold changed. intros A o1 i1 o2 i2 c d e w D E W. apply Permutation_app_inv_l with (l := o2).
  transitivity (o1 ++ i2 ++ d).
  - rewrite !(app_assoc o2), (Permutation_app_comm o2 o1), <- !app_assoc. now apply Permutation_app_head.
  - transitivity (i1 ++ i2 ++ c).
    + rewrite !(app_assoc o1), (Permutation_app_comm o1 i2), <- !app_assoc, D.
      rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
    + rewrite <- W, !(app_assoc _ _ w). apply Permutation_app_tail, Permutation_app_comm.
Qed.

Lemma changed_into : forall (A : Type) (o i i' c d : list A),
  Permutation i i' -> changed o i c d -> changed o i' c d.
Proof.
  unfold changed. intros A o i i' c d P H. now rewrite <- P.
Qed.

Lemma unchanged : forall (A : Type) (c d : list A), changed [] [] c d <-> Permutation c d.
Proof.
  unfold changed. simpl. split; intro H; now symmetry.
Qed.

Lemma changed_unique : forall (A : Type) (o i o' i' c c' d d' : list A),
  Permutation o o' -> Permutation i i' -> Permutation c c' ->
  changed o i c d -> changed o' i' c' d' -> Permutation d d'.
Proof.
  unfold changed. intros A o i o' i' c c' d d' O I C D D'. apply Permutation_app_inv_l with (l := o).
  now rewrite D, I, C, <- D', O.
Qed.

Lemma enter_two : forall u v c d e w, entered u c d -> entered v d e -> entered v c w -> entered u w e.
Proof.
  intros [[|] x] [[|] y] c d e w; unfold entered; simpl; apply exchange.
Qed.

Lemma enter_keep : forall u c d e w, entered u c d -> changed [] [] d e -> changed [] [] c w -> entered u w e.
Proof.
  intros [[|] x] c d e w; unfold entered; simpl; apply exchange.
Qed.

Lemma keep_enter : forall u c d e w,
  changed [] [] c d -> entered u d e -> entered u c w -> changed [] [] w e.
Proof.
  intros [[|] x] c d e w; unfold entered; simpl; apply exchange.
Qed.

Lemma enter_unique : forall u c c' d d', Permutation c c' -> entered u c d -> entered u c' d' -> Permutation d d'.
Proof.
  intros [[|] x] c c' d d' C; unfold entered; simpl; apply changed_unique; auto.
Qed.

(** ** Two commands *)

Ltac parts := repeat match goal with H : _ /\ _ |- _ => destruct H end.

(** A fire changes no table, so every command is calm over it; and nobody but a fire reads tables. *)
Lemma fire_calm : forall u c d a, step c (Fire u) d -> calm a c d.
Proof.
  intros u c d [v | v | v]; simpl; trivial. intros (O & N & _). now apply derived_multiset; apply unchanged.
Qed.

Ltac field_by_field :=
  match goal with
  | A : ?p (?f ?c) (?f ?d), B : ?q (?f ?d) (?f ?e), C : ?q (?f ?c) (?f ?w) |- ?p (?f ?w) (?f ?e) =>
      first [exact (exchange _ _ _ _ _ _ _ _ _ A B C) | exact (enter_two _ _ _ _ _ _ A B C)
            | exact (enter_keep _ _ _ _ _ A B C) | exact (keep_enter _ _ _ _ _ A B C)]
  end.

(** Two commands that follow each other change places, if the second was possible before the first. *)
Theorem swap : forall c a d b e d',
  step c a d -> step d b e -> step c b d' -> calm b c d -> calm a c d' -> step d' a e.
Proof.
  intros c [u | u | u] d [v | v | v] e d'; simpl; intros A B C N N'; parts;
    try match goal with
    | H : changed [] (derived _ _ v) (waiting d) (waiting e) |- _ =>
        apply (changed_into _ _ _ _ _ _ (Permutation_sym N)) in H
    end;
    repeat split; try field_by_field; (apply (changed_into _ _ _ _ _ _ N'); field_by_field).
Qed.

(** A command leads to one configuration, as multisets. *)
Theorem step_unique : forall a c c' d d', same c c' -> step c a d -> step c' a d' -> same d d'.
Proof.
  intros [u | u | u] c c' d d' (O & N & W & P & F); simpl; intros D D'; parts; unfold same; repeat split;
    try (eapply enter_unique; [| eassumption | eassumption]; assumption);
    (eapply changed_unique; [| | | eassumption | eassumption]; [reflexivity | | assumption]);
    first [reflexivity | now apply derived_multiset].
Qed.

Lemma same_refl : forall c, same c c.
Proof.
  unfold same. auto.
Qed.

(** Both orders end in the same configuration. *)
Theorem diamond : forall c a d b e d' e',
  step c a d -> step d b e -> step c b d' -> step d' a e' -> calm b c d -> calm a c d' -> same e e'.
Proof.
  intros c a d b e d' e' A B C D N N'.
  exact (step_unique a d' d' e e' (same_refl d') (swap c a d b e d' A B C N N') D).
Qed.

(** ** Complete iterations *)

Inductive run : configuration -> list (command item) -> configuration -> Prop :=
| run_nil : forall c, run c [] c
| run_cons : forall c a d l e, step c a d -> run d l e -> run c (a :: l) e.

(** The items that updates of one sign speak about. *)
Definition items (s : sign) (us : list update) : list item :=
  flat_map (fun u => match s, sign_of u with Insert, Insert | Delete, Delete => [item_of u] | _, _ => [] end) us.

Lemma items_permutation : forall s us vs, Permutation us vs -> Permutation (items s us) (items s vs).
Proof.
  intros. now apply Permutation_flat_map.
Qed.

Lemma changed_steps : forall (A : Type) (o i o' i' c d e : list A),
  changed o i c d -> changed o' i' d e -> changed (o ++ o') (i ++ i') c e.
Proof.
  unfold changed. intros A o i o' i' c d e D E. rewrite <- app_assoc, E, !app_assoc.
  rewrite (Permutation_app_comm o i'), <- !app_assoc, D, !app_assoc.
  apply Permutation_app_tail, Permutation_app_comm.
Qed.

Lemma entered_items : forall u c d, entered u c d -> changed (items Delete [u]) (items Insert [u]) c d.
Proof.
  intros [[|] x] c d; unfold entered; simpl; trivial.
Qed.

(** What picks, fires and commits do together, whatever their order. *)

Lemma done_together : forall c d, run c [] d ->
  changed [] [] (old c) (old d) /\ changed [] [] (new c) (new d) /\ changed [] [] (waiting c) (waiting d) /\
  changed [] [] (picked c) (picked d) /\ changed [] [] (fired c) (fired d).
Proof.
  intros c d R. inversion R; subst. repeat split; now apply unchanged.
Qed.

Ltac add_up u us :=
  first
    [ eapply (changed_steps _ [] []); eassumption
    | eapply (changed_steps _ [u] []); eassumption
    | eapply (changed_steps _ [] [u]); eassumption
    | unfold items; rewrite !(flat_map_app _ [u] us); eapply changed_steps; eassumption ].

Lemma picks_together : forall us c d, run c (map Pick us) d ->
  changed [] [] (old c) (old d) /\ changed (items Delete us) (items Insert us) (new c) (new d) /\
  changed us [] (waiting c) (waiting d) /\ changed [] us (picked c) (picked d) /\
  changed [] [] (fired c) (fired d).
Proof.
  induction us as [| u us IH]; intros c e R; [now apply done_together |]. inversion R as [| ? ? m ? ? S T]; subst.
  apply IH in T. destruct S as (O & N & W & P & F), T as (O' & N' & W' & P' & F').
  apply entered_items in N. repeat split; add_up u us.
Qed.

Lemma fires_together : forall us c d, run c (map Fire us) d ->
  changed [] [] (old c) (old d) /\ changed [] [] (new c) (new d) /\
  changed [] (flat_map (derived (old c) (new c)) us) (waiting c) (waiting d) /\
  changed us [] (picked c) (picked d) /\ changed [] us (fired c) (fired d).
Proof.
  induction us as [| u us IH]; intros c e R; [now apply done_together |]. inversion R as [| ? ? m ? ? S T]; subst.
  apply IH in T. destruct S as (O & N & W & P & F), T as (O' & N' & W' & P' & F').
  repeat split; try add_up u us.
  simpl. eapply (changed_steps _ [] _ []); [eassumption |]. eapply changed_into; [| exact W'].
  apply unchanged in O. apply unchanged in N. clear - O N derived_multiset.
  induction us as [| v us IH]; simpl; [constructor |].
  apply Permutation_app; [apply derived_multiset; now symmetry | exact IH].
Qed.

Lemma commits_together : forall us c d, run c (map Commit us) d ->
  changed (items Delete us) (items Insert us) (old c) (old d) /\ changed [] [] (new c) (new d) /\
  changed [] [] (waiting c) (waiting d) /\ changed [] [] (picked c) (picked d) /\
  changed us [] (fired c) (fired d).
Proof.
  induction us as [| u us IH]; intros c e R; [now apply done_together |]. inversion R as [| ? ? m ? ? S T]; subst.
  apply IH in T. destruct S as (O & N & W & P & F), T as (O' & N' & W' & P' & F').
  apply entered_items in O. repeat split; add_up u us.
Qed.

Lemma flat_map_same : forall (f g : update -> list update) us vs,
  (forall u, Permutation (f u) (g u)) -> Permutation us vs -> Permutation (flat_map f us) (flat_map g vs).
Proof.
  intros f g us vs E P. transitivity (flat_map g us); [| now apply Permutation_flat_map].
  clear P. induction us as [| u us IH]; simpl; [constructor | now apply Permutation_app].
Qed.

Ltac same_fields := eapply changed_unique; [| | | eassumption | eassumption]; auto using items_permutation.

Lemma picks_any_order : forall us vs c c' d d', Permutation us vs -> same c c' ->
  run c (map Pick us) d -> run c' (map Pick vs) d' -> same d d'.
Proof.
  intros us vs c c' d d' P (O & N & W & K & F) R R'. apply picks_together in R, R'. parts.
  repeat split; same_fields.
Qed.

Lemma fires_any_order : forall us vs c c' d d', Permutation us vs -> same c c' ->
  run c (map Fire us) d -> run c' (map Fire vs) d' -> same d d'.
Proof.
  intros us vs c c' d d' P (O & N & W & K & F) R R'. apply fires_together in R, R'. parts.
  repeat split; same_fields. apply flat_map_same; [| exact P]. intro u. now apply derived_multiset.
Qed.

Lemma commits_any_order : forall us vs c c' d d', Permutation us vs -> same c c' ->
  run c (map Commit us) d -> run c' (map Commit vs) d' -> same d d'.
Proof.
  intros us vs c c' d d' P (O & N & W & K & F) R R'. apply commits_together in R, R'. parts.
  repeat split; same_fields.
Qed.

(** A complete iteration of some updates: all are picked, then all fired, then all committed, in any orders. *)
Definition iteration (us : list update) (c d : configuration) : Prop :=
  exists us1 us2 us3 p f, Permutation us us1 /\ Permutation us us2 /\ Permutation us us3 /\
    run c (map Pick us1) p /\ run p (map Fire us2) f /\ run f (map Commit us3) d.

Theorem iteration_any_order : forall us vs c c' d d', Permutation us vs -> same c c' ->
  iteration us c d -> iteration vs c' d' -> same d d'.
Proof.
  intros us vs c c' d d' P S (us1 & us2 & us3 & p & f & P1 & P2 & P3 & R1 & R2 & R3)
    (vs1 & vs2 & vs3 & p' & f' & Q1 & Q2 & Q3 & T1 & T2 & T3).
  eapply commits_any_order; [| | exact R3 | exact T3]; [now rewrite <- P3, P |].
  eapply fires_any_order; [| | exact R2 | exact T2]; [now rewrite <- P2, P |].
  eapply picks_any_order; [| exact S | exact R1 | exact T1]. now rewrite <- P1, P.
Qed.

(** ** What can be picked can be picked insertions first *)

Definition inserts (u : update) : bool := match sign_of u with Insert => true | Delete => false end.

Lemma changed_nothing : forall (A : Type) (c : list A), changed [] [] c c.
Proof.
  intros. now apply unchanged.
Qed.

Lemma insertions_possible : forall us c w, (forall u, In u us -> sign_of u = Insert) ->
  Permutation (waiting c) (us ++ w) -> exists d, run c (map Pick us) d.
Proof.
  induction us as [| u us IH]; intros c w S W.
  - exists c. constructor.
  - destruct (IH (Configuration (old c) (item_of u :: new c) (us ++ w) (u :: picked c) (fired c)) w) as [d R].
    + intros v V. apply S. now right.
    + reflexivity.
    + exists d. eapply run_cons; [| exact R]. simpl. unfold entered. rewrite (S u (or_introl eq_refl)).
      unfold changed. simpl. repeat split; auto. now symmetry.
Qed.

Lemma deletions_possible : forall us c w n, (forall u, In u us -> sign_of u = Delete) ->
  Permutation (waiting c) (us ++ w) -> Permutation (new c) (map item_of us ++ n) ->
  exists d, run c (map Pick us) d.
Proof.
  induction us as [| u us IH]; intros c w n S W N.
  - exists c. constructor.
  - destruct (IH (Configuration (old c) (map item_of us ++ n) (us ++ w) (u :: picked c) (fired c)) w n) as [d R].
    + intros v V. apply S. now right.
    + reflexivity.
    + reflexivity.
    + exists d. eapply run_cons; [| exact R]. simpl. unfold entered. rewrite (S u (or_introl eq_refl)).
      unfold changed. simpl. repeat split; auto; now symmetry.
Qed.

Lemma run_app : forall l m c d e, run c l d -> run d m e -> run c (l ++ m) e.
Proof.
  intros l m c d e R M. induction R as [c | c a d l e' S R IH]; simpl; [exact M |].
  eapply run_cons; [exact S | now apply IH].
Qed.

Lemma items_filter : forall us,
  items Insert us = map item_of (filter inserts us) /\
  items Delete us = map item_of (filter (fun u => negb (inserts u)) us).
Proof.
  induction us as [| [[|] x] us [I D]]; simpl; [easy | |]; split; simpl; unfold items in *; simpl; congruence.
Qed.

Lemma filter_both : forall (A : Type) (p : A -> bool) l,
  Permutation l (filter p l ++ filter (fun x => negb (p x)) l).
Proof.
  intros A p. induction l as [| x l IH]; simpl; [constructor |].
  destruct (p x); simpl; [now constructor | now apply Permutation_cons_app].
Qed.

Definition insertions_then_deletions (us : list update) : list update :=
  filter inserts us ++ filter (fun u => negb (inserts u)) us.

Theorem insertions_first : forall us c d, run c (map Pick us) d ->
  exists d', run c (map Pick (insertions_then_deletions us)) d' /\ same d d'.
Proof.
  intros us c d R. pose proof (picks_together _ _ _ R) as (_ & N & W & _ & _).
  unfold changed in N, W. simpl in W. destruct (items_filter us) as [EI ED]. rewrite EI, ED in N.
  set (ins := filter inserts us) in *. set (del := filter (fun u => negb (inserts u)) us) in *.
  assert (E : Permutation us (ins ++ del)) by apply filter_both.
  destruct (insertions_possible ins c (del ++ waiting d)) as [m M].
  - intros u U. apply filter_In in U. destruct U as [_ U]. unfold inserts in U. now destruct (sign_of u).
  - rewrite <- W, E, app_assoc. reflexivity.
  - pose proof (picks_together _ _ _ M) as (_ & N' & W' & _ & _). unfold changed in N', W'.
    destruct (items_filter ins) as [EI' ED']. rewrite EI', ED' in N'.
    assert (NoDel : filter (fun u => negb (inserts u)) ins = []).
    { unfold ins. clear. induction us as [| u us IH]; simpl; [reflexivity |].
      destruct (inserts u) eqn:I; simpl; [rewrite I |]; exact IH. }
    assert (AllIns : filter inserts ins = ins).
    { unfold ins. clear. induction us as [| u us IH]; simpl; [reflexivity |].
      destruct (inserts u) eqn:I; simpl; [rewrite I, IH; reflexivity | exact IH]. }
    rewrite NoDel, AllIns in N'. simpl in N', W'.
    destruct (deletions_possible del m (waiting d) (new d)) as [e F].
    + intros u U. apply filter_In in U. destruct U as [_ U]. unfold inserts in U. now destruct (sign_of u).
    + apply Permutation_app_inv_l with (l := ins). rewrite W', <- W, E, app_assoc. reflexivity.
    + now rewrite N', <- N.
    + exists e. assert (T : run c (map Pick (insertions_then_deletions us)) e).
      { unfold insertions_then_deletions. rewrite map_app. eapply run_app; eassumption. }
      split; [exact T |]. eapply picks_any_order; [exact E | apply same_refl | exact R | exact T].
Qed.

End Commands.
