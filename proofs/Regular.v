(** The forward engine of Regular Datalog is exact: one pass over the symbols maintains graph views.

    A graph gives every tagged symbol a set of rows: for (s, Once) its edges, for (s, Closed) its closure. A clause is a
    head and a disjunction of conjunctions of tagged literals; a program has one clause for each defined symbol, and
    there is an order of the symbols in which a clause reads only base symbols and symbols before its own.

    The engine goes through the symbols in that order and extends an update (insertions, deletions) of the graph:

    - [incremental]: if the symbol is in the support and its clause reads nothing with deletions, only bodies with at
      least one inserted row are matched (base, delta, full);
    - [full]: the clause is evaluated over the updated graph, and what the old graph has besides is deleted;
    - then the closure is kept, if it is in the support and the symbol has not changed, or computed again; a view whose
      rows are no pairs has none.

    A symbol may be in the support if the old graph is right about it: its rows are what its clause derives from the old
    graph; its closure is that of its rows. Then the updated graph is right about every symbol ([forward_exact]), and it
    is the least model over the base symbols as the pass finds them ([forward_least_model]). Sets are boolean functions;
    what an engine computes as a finite set is here any function that says the same. *)

From Coq Require Import List Bool PArith.
From Tidelog Require Import Datalog.
Import ListNotations.

Inductive tag := Once | Closed.
Definition key : Type := positive * tag.
Definition tuple : Type := list positive.
Definition graph : Type := key -> tuple -> bool.

Record literal := Literal { literal_key : key; literal_terms : list term }.
Record clause := Clause { clause_head : list term; clause_bodies : list (list literal) }.
Record change := Change { inserted : graph; deleted : graph }.

Lemma key_dec : forall k l : key, {k = l} + {k <> l}.
Proof.
  decide equality; [decide equality | apply Pos.eq_dec].
Qed.

(** The updated graph, and an update that says something else of one key. *)
Definition updated (G : graph) (D : change) : graph := fun k x => (G k x && negb (deleted D k x)) || inserted D k x.

Definition put (G : graph) (k : key) (rows : tuple -> bool) : graph := fun l => if key_dec l k then rows else G l.

Definition at_key (D : change) (k : key) (plus minus : tuple -> bool) : change :=
  Change (put (inserted D) k plus) (put (deleted D) k minus).

(** ** Matching *)

Definition row_of (v : valuation) (l : literal) : tuple := map (value v) (literal_terms l).

Definition holds (G : graph) (v : valuation) (l : literal) : Prop := G (literal_key l) (row_of v l) = true.

Definition reads (C : clause) (k : key) : Prop :=
  exists b l, In b (clause_bodies C) /\ In l b /\ literal_key l = k.

Definition consequence (C : clause) (G : graph) (x : tuple) : Prop :=
  exists v b, In b (clause_bodies C) /\ (forall l, In l b -> holds G v l) /\ map (value v) (clause_head C) = x.

(** A body with one literal matched by an insertion: those before it by the old graph, those after it by both. *)
Fixpoint marked (G I : graph) (v : valuation) (b : list literal) : Prop :=
  match b with
  | [] => False
  | l :: rest =>
      (holds I v l /\ forall m, In m rest -> holds G v m \/ holds I v m) \/ (holds G v l /\ marked G I v rest)
  end.

Definition delta_consequence (C : clause) (G I : graph) (x : tuple) : Prop :=
  exists v b, In b (clause_bodies C) /\ marked G I v b /\ map (value v) (clause_head C) = x.

(** Paths of one edge or more. *)
Inductive path (edge : tuple -> bool) : tuple -> Prop :=
| path_edge : forall a b, edge [a; b] = true -> path edge [a; b]
| path_step : forall a b c, edge [a; b] = true -> path edge [b; c] -> path edge [a; c].

(** Delta matching finds exactly what insertions add. *)

Lemma marked_all : forall G I v b, marked G I v b -> forall l, In l b -> holds G v l \/ holds I v l.
Proof.
  intros G I v b. induction b as [| m b IH]; simpl; [easy |].
  intros [[H R] | [H R]] l [<- | L]; auto.
Qed.

Lemma all_marked : forall G I v b, (forall l, In l b -> holds G v l \/ holds I v l) ->
  (forall l, In l b -> holds G v l) \/ marked G I v b.
Proof.
  intros G I v b. induction b as [| m b IH]; intro H; simpl; [left; easy |].
  destruct (H m (or_introl eq_refl)) as [Old | New].
  - destruct IH as [A | M]; [intros l L; apply H; now right | |].
    + left. intros l [<- | L]; auto.
    + right. right. now split.
  - right. left. split; [exact New |]. intros l L. apply H. now right.
Qed.

Theorem delta_matching : forall C G D, (forall k, reads C k -> forall x, deleted D k x = false) ->
  forall x, consequence C (updated G D) x <-> consequence C G x \/ delta_consequence C G (inserted D) x.
Proof.
  intros C G D N x.
  assert (U : forall v b, In b (clause_bodies C) -> forall l, In l b ->
    holds (updated G D) v l <-> holds G v l \/ holds (inserted D) v l).
  { intros v b B l L. unfold holds, updated. rewrite orb_true_iff, andb_true_iff.
    rewrite (N (literal_key l)) by now exists b, l. simpl. tauto. }
  split.
  - intros (v & b & B & H & E). destruct (all_marked G (inserted D) v b) as [A | M].
    + intros l L. apply (U v b B l L), H, L.
    + left. now exists v, b.
    + right. now exists v, b.
  - intros [(v & b & B & H & E) | (v & b & B & M & E)]; exists v, b; repeat split; auto; intros l L;
      apply (U v b B l L); [left; now apply H | now apply (marked_all _ _ _ b)].
Qed.

(** A clause sees only what it reads, and more where there is more. *)
Lemma consequence_same : forall C G H, (forall k, reads C k -> forall x, G k x = H k x) ->
  forall x, consequence C G x -> consequence C H x.
Proof.
  intros C G H S x (v & b & B & A & E). exists v, b. repeat split; auto.
  intros l L. unfold holds. rewrite <- S; [now apply A | now exists b, l].
Qed.

Lemma consequence_more : forall C G H, (forall k, reads C k -> forall x, G k x = true -> H k x = true) ->
  forall x, consequence C G x -> consequence C H x.
Proof.
  intros C G H S x (v & b & B & A & E). exists v, b. repeat split; auto.
  intros l L. apply S; [now exists b, l | now apply A].
Qed.

Lemma path_more : forall e f : tuple -> bool, (forall x, e x = true -> f x = true) ->
  forall x, path e x -> path f x.
Proof.
  intros e f S x P. induction P; [apply path_edge | eapply path_step]; eauto.
Qed.

Section Engine.

Variable clause_of : positive -> clause.
Variable G : graph.
Variable support : key -> Prop.

(** What membership in the support promises of the old graph. *)
Definition supported : Prop :=
  (forall s, support (s, Once) -> forall x, G (s, Once) x = true <-> consequence (clause_of s) G x) /\
  (forall s, support (s, Closed) -> forall x, G (s, Closed) x = true <-> path (G (s, Once)) x).

(** ** The steps *)

Inductive forward_clause (s : positive) (D : change) : change -> Prop :=
| incremental : forall new, support (s, Once) ->
    (forall k, reads (clause_of s) k -> forall x, deleted D k x = false) ->
    (forall x, new x = true <-> delta_consequence (clause_of s) G (inserted D) x) ->
    forward_clause s D (at_key D (s, Once) (fun x => new x && negb (G (s, Once) x)) (fun _ => false))
| full : forall new,
    (forall x, new x = true <-> consequence (clause_of s) (updated G D) x) ->
    forward_clause s D
      (at_key D (s, Once) (fun x => new x && negb (G (s, Once) x)) (fun x => G (s, Once) x && negb (new x))).

Inductive forward_closure (s : positive) (D : change) : change -> Prop :=
| kept : support (s, Closed) ->
    (forall x, inserted D (s, Once) x = false /\ deleted D (s, Once) x = false) -> forward_closure s D D
| no_closure : (forall a b, updated G D (s, Once) [a; b] = false) -> (forall x, G (s, Closed) x = false) ->
    forward_closure s D D
| computed : forall new,
    (forall x, new x = true <-> path (updated G D (s, Once)) x) ->
    forward_closure s D
      (at_key D (s, Closed) (fun x => new x && negb (G (s, Closed) x)) (fun x => G (s, Closed) x && negb (new x))).

Inductive forward : list positive -> change -> change -> Prop :=
| forward_nil : forall D, forward [] D D
| forward_cons : forall s l D D1 D2 D3,
    forward_clause s D D1 -> forward_closure s D1 D2 -> forward l D2 D3 -> forward (s :: l) D D3.

(** ** What a step says of its own key, and of the others *)

Lemma put_here : forall H k rows, put H k rows k = rows.
Proof.
  intros H k rows. unfold put. now destruct (key_dec k k).
Qed.

Lemma put_there : forall H k rows l, l <> k -> put H k rows l = H l.
Proof.
  intros H k rows l N. unfold put. now destruct (key_dec l k).
Qed.

Lemma elsewhere : forall D k p m l x, l <> k -> updated G (at_key D k p m) l x = updated G D l x.
Proof.
  intros D k p m l x N. unfold updated, at_key. simpl. now rewrite !put_there.
Qed.

(** What is computed anew is what the updated graph then holds. *)
Lemma replaced : forall D k new x,
  updated G (at_key D k (fun x => new x && negb (G k x)) (fun x => G k x && negb (new x))) k x = new x.
Proof.
  intros D k new x. unfold updated, at_key. simpl. rewrite !put_here. now destruct (G k x), (new x).
Qed.

Lemma clause_elsewhere : forall s D D', forward_clause s D D' ->
  forall l x, l <> (s, Once) -> updated G D' l x = updated G D l x.
Proof.
  intros s D D' [new _ _ _ | new _] l x N; now apply elsewhere.
Qed.

Lemma closure_elsewhere : forall s D D', forward_closure s D D' ->
  forall l x, l <> (s, Closed) -> updated G D' l x = updated G D l x.
Proof.
  intros s D D' [_ _ | _ _ | new _] l x N; [reflexivity | reflexivity | now apply elsewhere].
Qed.

(** The rows of a symbol are what its clause derives from the updated graph. *)
Lemma clause_exact : forall s D D', supported -> forward_clause s D D' ->
  forall x, updated G D' (s, Once) x = true <-> consequence (clause_of s) (updated G D) x.
Proof.
  intros s D D' [Rows _] [new S N E | new E] x.
  - rewrite (delta_matching _ _ _ N), <- (Rows s S), <- E. unfold updated, at_key. simpl. rewrite !put_here.
    destruct (G (s, Once) x), (new x); simpl; split; auto; intros [|]; auto.
  - rewrite <- E, replaced. reflexivity.
Qed.

(** The closure of a symbol is that of its rows, if nothing was said of it before. *)
Lemma closure_exact : forall s D D', supported -> forward_closure s D D' ->
  (forall x, inserted D (s, Closed) x = false /\ deleted D (s, Closed) x = false) ->
  forall x, updated G D' (s, Closed) x = true <-> path (updated G D (s, Once)) x.
Proof.
  intros s D D' [_ Closures] K Z x.
  assert (Same : forall k y, inserted D k y = false /\ deleted D k y = false -> updated G D k y = G k y).
  { intros k y [I X]. unfold updated. rewrite I, X. now destruct (G k y). }
  destruct K as [S N | NoPair Empty | new E].
  - rewrite Same by apply Z. rewrite (Closures s S). split; apply path_more; intro y; rewrite Same by apply N; auto.
  - rewrite Same by apply Z. rewrite Empty. split; [easy |].
    intros [a b P | a b c P _]; rewrite NoPair in P; discriminate.
  - rewrite <- E, replaced. reflexivity.
Qed.

(** ** The pass *)

(** The clause of a symbol reads base symbols and symbols before its own. *)
Inductive stratified (base : positive -> Prop) : list positive -> Prop :=
| stratified_nil : stratified base []
| stratified_cons : forall s l, ~ base s -> ~ In s l ->
    (forall k, reads (clause_of s) k -> base (fst k)) ->
    stratified (fun t => base t \/ t = s) l -> stratified base (s :: l).

Lemma base_undefined : forall base l, stratified base l -> forall s, base s -> ~ In s l.
Proof.
  intros base l T. induction T as [base | base s l NB NI R T IH]; intros r B; [easy |].
  intros [<- | I]; [contradiction |]. now apply (IH r (or_introl B)).
Qed.

(** A graph is right about a symbol. *)
Definition right (H : graph) (s : positive) : Prop :=
  (forall x, H (s, Once) x = true <-> consequence (clause_of s) H x) /\
  (forall x, H (s, Closed) x = true <-> path (H (s, Once)) x).

Definition silent (D : change) (s : positive) : Prop :=
  forall t x, inserted D (s, t) x = false /\ deleted D (s, t) x = false.

Lemma forward_elsewhere : forall l D D', forward l D D' ->
  forall s t x, ~ In s l -> updated G D' (s, t) x = updated G D (s, t) x.
Proof.
  intros l D D' F. induction F as [D | s l D D1 D2 D3 C K F IH]; intros r t x N; [reflexivity |].
  rewrite IH by (intro; apply N; now right).
  rewrite (closure_elsewhere _ _ _ K) by (intro E; apply N; left; congruence).
  apply (clause_elsewhere _ _ _ C). intro E. apply N. left. congruence.
Qed.

Lemma step_silent : forall s D D1 D2 r, forward_clause s D D1 -> forward_closure s D1 D2 -> r <> s ->
  silent D r -> silent D2 r.
Proof.
  intros s D D1 D2 r C K N Z.
  assert (Z1 : silent D1 r).
  { destruct C as [new _ _ _ | new _]; intros t x; unfold at_key; simpl;
      rewrite !put_there by congruence; apply Z. }
  destruct K as [_ _ | _ _ | new _]; [exact Z1 | exact Z1 |]. intros t x. unfold at_key. simpl.
  rewrite !put_there by congruence. apply Z1.
Qed.

(** After the pass the updated graph is right about every symbol, and has the base symbols as they were given. *)
Theorem forward_exact : forall base l D D', supported -> stratified base l ->
  (forall s, In s l -> silent D s) -> forward l D D' ->
  (forall s, In s l -> right (updated G D') s) /\
  (forall s t x, ~ In s l -> updated G D' (s, t) x = updated G D (s, t) x).
Proof.
  intros base l D D' S T Z F. split; [| intros s t x N; now apply (forward_elsewhere l)].
  revert base T Z. induction F as [D | s l D D1 D2 D3 C K F IH]; intros base T Z r [].
  - subst r. inversion T as [| ? ? NB NI R T']; subst.
    assert (Once_same : forall x, updated G D3 (s, Once) x = updated G D1 (s, Once) x).
    { intro x. rewrite (forward_elsewhere _ _ _ F) by exact NI. apply (closure_elsewhere _ _ _ K). congruence. }
    assert (Read_same : forall k, reads (clause_of s) k -> forall x, updated G D3 k x = updated G D k x).
    { intros [q t] Q x. pose proof (R _ Q) as B. simpl in B.
      rewrite (forward_elsewhere _ _ _ F).
      - rewrite (closure_elsewhere _ _ _ K) by (intro E; apply NB; congruence).
        apply (clause_elsewhere _ _ _ C). intro E. apply NB. congruence.
      - apply (base_undefined _ _ T'). now left. }
    split; intro x.
    + rewrite Once_same, (clause_exact s D D1 S C). split; apply consequence_same; intros k Q y.
      * symmetry. now apply Read_same.
      * now apply Read_same.
    + rewrite (forward_elsewhere _ _ _ F) by exact NI.
      rewrite (closure_exact s D1 D2 S K).
      * split; apply path_more; intro y; rewrite Once_same; auto.
      * intro y. destruct C as [new _ _ _ | new _]; unfold at_key; simpl; rewrite !put_there by congruence;
          apply (Z s (or_introl eq_refl)).
  - inversion T as [| ? ? NB NI R T']; subst. apply (IH _ T'); [| assumption].
    intros q Q. apply (step_silent s D D1 D2); auto; [intros ->; contradiction | apply Z; now right].
Qed.

(** A graph that holds what its clauses and closures derive, and the base symbols of another one. *)
Definition model_over (H M : graph) (l : list positive) : Prop :=
  (forall s t x, ~ In s l -> H (s, t) x = true -> M (s, t) x = true) /\
  (forall s, In s l -> forall x, consequence (clause_of s) M x -> M (s, Once) x = true) /\
  (forall s, In s l -> forall x, path (M (s, Once)) x -> M (s, Closed) x = true).

Lemma right_model : forall H l, (forall s, In s l -> right H s) -> model_over H H l.
Proof.
  intros H l R. split; [auto | split]; intros s I x; now apply (R s I).
Qed.

(** What is right about every symbol is below every model over the same base symbols. *)
Lemma right_least : forall H M base l, stratified base l -> (forall s, In s l -> right H s) ->
  (forall s t x, base s -> H (s, t) x = true -> M (s, t) x = true) ->
  (forall s, In s l -> forall x, consequence (clause_of s) M x -> M (s, Once) x = true) ->
  (forall s, In s l -> forall x, path (M (s, Once)) x -> M (s, Closed) x = true) ->
  forall s t x, In s l -> H (s, t) x = true -> M (s, t) x = true.
Proof.
  intros H M base l T. induction T as [base | base s l NB NI R T IH]; intros Right Base Clauses Closures; [easy |].
  assert (First : forall t x, H (s, t) x = true -> M (s, t) x = true).
  { assert (O : forall x, H (s, Once) x = true -> M (s, Once) x = true).
    { intros x Hx. apply Clauses; [now left |]. apply Right in Hx; [| now left].
      apply (consequence_more _ H); [| exact Hx]. intros [q t] Q y. apply Base. exact (R _ Q). }
    intros [|] x Hx; [now apply O |]. apply Closures; [now left |]. apply Right in Hx; [| now left].
    now apply (path_more (H (s, Once))). }
  intros r t x [<- | I]; [apply First |]. apply IH; auto.
  - intros q Q. apply Right. now right.
  - intros q u y [B | ->]; [now apply Base | apply First].
  - intros q Q. apply Clauses. now right.
  - intros q Q. apply Closures. now right.
Qed.

(** The updated graph is the least model over the base symbols as the pass finds them, edges and closures. *)
Theorem forward_least_model : forall base l D D', supported -> stratified base l ->
  (forall s, ~ In s l <-> base s) -> (forall s, In s l -> silent D s) -> forward l D D' ->
  model_over (updated G D) (updated G D') l /\
  forall M, model_over (updated G D) M l -> forall k x, updated G D' k x = true -> M k x = true.
Proof.
  intros base l D D' S T B Z F. destruct (forward_exact base l D D' S T Z F) as [R E]. split.
  - destruct (right_model _ _ R) as (_ & C & P). split; [| now split]. intros s t x N Hx. now rewrite E.
  - intros M (Given & C & P) [s t] x Hx. destruct (in_dec Pos.eq_dec s l) as [I | N].
    + apply (right_least (updated G D') M base l T R); auto.
      intros q u y Q. rewrite E by now apply B. apply Given. now apply B.
    + apply Given; [exact N |]. now rewrite <- E.
Qed.

(** ** The closures of the base symbols, before the pass *)

Inductive closures : list positive -> change -> change -> Prop :=
| closures_nil : forall D, closures [] D D
| closures_cons : forall s l D D1 D2, forward_closure s D D1 -> closures l D1 D2 -> closures (s :: l) D D2.

Lemma closures_elsewhere : forall l D D', closures l D D' ->
  forall k x, (forall s, In s l -> k <> (s, Closed)) -> updated G D' k x = updated G D k x.
Proof.
  intros l D D' F. induction F as [D | s l D D1 D2 K F IH]; intros k x N; [reflexivity |].
  rewrite IH by (intros r I; apply N; now right). apply (closure_elsewhere _ _ _ K), N. now left.
Qed.

Theorem closures_exact : forall l D D', supported -> NoDup l -> closures l D D' ->
  (forall s, In s l -> forall x, inserted D (s, Closed) x = false /\ deleted D (s, Closed) x = false) ->
  (forall s, In s l -> forall x, updated G D' (s, Closed) x = true <-> path (updated G D' (s, Once)) x) /\
  (forall s x, updated G D' (s, Once) x = updated G D (s, Once) x).
Proof.
  intros l D D' S U F Z. split; [| intros s x; apply (closures_elsewhere _ _ _ F); congruence].
  revert U Z. induction F as [D | s l D D1 D2 K F IH]; intros U Z r []; inversion U as [| ? ? NI U']; subst.
  - rename r into s. intro x. rewrite (closures_elsewhere _ _ _ F) by (intros q Q E; injection E as ->; contradiction).
    rewrite (closure_exact s D D1 S K) by (apply Z; now left).
    split; apply path_more; intro y; rewrite (closures_elsewhere _ _ _ F), (closure_elsewhere _ _ _ K) by congruence;
      auto.
  - apply IH; auto. intros q Q x. pose proof (Z q (or_intror Q) x) as Y.
    destruct K as [_ _ | _ _ | new _]; [exact Y | exact Y |].
    unfold at_key. simpl. rewrite !put_there; [exact Y | |]; intro E; injection E as ->; contradiction.
Qed.

End Engine.
