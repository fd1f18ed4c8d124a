(** Maintenance of graph views as a whole: closures of the base symbols, then the pass over the defined ones.

    [Regular.v] proves the two parts. Here they are put together: the first says nothing of defined symbols, so that the
    second finds them as it needs them; and the support is the one that the engine in Python uses. That one may name
    every symbol. Of a base symbol's edges it promises nothing, since they have no clause; [supported] asks for a clause
    there, so the support is narrowed to the defined symbols ([narrowed]), which changes no step of the pass.

    The update speaks of edges of base symbols alone. The updated graph is then the least graph that has the new edges
    and all that clauses and closures derive ([maintain_least_model]), and it keeps the promise of every support
    ([maintain_keeps_support]). So computing views first ([compute_maintained]) and then maintaining them with the whole
    support ([maintain_whole_support]) is right after every update. *)

From Coq Require Import List Bool PArith.
From Tidelog Require Import Datalog Regular.
Import ListNotations.

Section Maintenance.

Variable clause_of : positive -> clause.

(** What a support promises of a graph, for the symbols that have clauses: `is_supported` of the engine. *)
Definition promised (G : graph) (support : key -> Prop) (defined : list positive) : Prop :=
  (forall s, In s defined -> support (s, Once) -> forall x, G (s, Once) x = true <-> consequence (clause_of s) G x) /\
  (forall s, support (s, Closed) -> forall x, G (s, Closed) x = true <-> path (G (s, Once)) x).

(** The support of the engine that is given none: all edges of all symbols, and the closures of the binary ones. *)
Definition whole_support (base defined : list positive) (binary : positive -> Prop) (k : key) : Prop :=
  let s := fst k in
  match snd k with
  | Once => In s base \/ In s defined
  | Closed => (In s base \/ In s defined) /\ binary s
  end.

Definition narrowed (support : key -> Prop) (defined : list positive) (k : key) : Prop :=
  support k /\ (snd k = Once -> In (fst k) defined).

Lemma narrowed_supported : forall G support l, promised G support l -> supported clause_of G (narrowed support l).
Proof.
  intros G support l [Rows Closures]. split; intros s [S I]; [apply Rows; auto | now apply Closures].
Qed.

Lemma narrowed_closure : forall G support l s D D', forward_closure G support s D D' ->
  forward_closure G (narrowed support l) s D D'.
Proof.
  intros G support l s D D' [S N | P E | new E]; [apply kept | apply no_closure | apply computed]; auto.
  split; [exact S | discriminate].
Qed.

Lemma narrowed_closures : forall G support l b D D', closures G support b D D' ->
  closures G (narrowed support l) b D D'.
Proof.
  intros G support l b D D' F. induction F as [D | s b D D1 D2 K F IH]; [apply closures_nil |].
  apply (closures_cons _ _ _ _ _ D1); [now apply narrowed_closure | exact IH].
Qed.

Lemma narrowed_forward : forall G support l m D D', incl m l -> forward clause_of G support m D D' ->
  forward clause_of G (narrowed support l) m D D'.
Proof.
  intros G support l m D D' I F. induction F as [D | s m D D1 D2 D3 C K F IH]; [apply forward_nil |].
  apply (forward_cons _ _ _ _ _ _ D1 D2).
  - destruct C as [new S N E | new E]; [apply incremental | apply full]; auto.
    split; [exact S | intro; apply I; now left].
  - now apply narrowed_closure.
  - apply IH. intros r R. apply I. now right.
Qed.

(** ** The parts put together *)

Lemma closures_silent : forall G support b D D' s, closures G support b D D' -> ~ In s b -> silent D s -> silent D' s.
Proof.
  intros G support b D D' s F. induction F as [D | r b D D1 D2 K F IH]; intros N Z; [exact Z |].
  apply IH; [intro; apply N; now right |]. destruct K as [_ _ | _ _ | new _]; [exact Z | exact Z |].
  intros t x. unfold at_key. simpl. rewrite !put_there by (intro E; apply N; left; congruence). apply Z.
Qed.

(** A run: an update of base edges, the closures of the symbols [b], the pass over the defined symbols [l]. Symbols that
    are in neither list are not changed, and have their closures. *)
Record maintained (G : graph) (support : key -> Prop) (b l : list positive) (D D' : change) : Prop := Maintained {
  promise : promised G support l;
  order : stratified clause_of (fun s => ~ In s l) l;
  listed_once : NoDup b;
  base_alone : forall s, In s b -> ~ In s l;
  edges_alone : forall s x, inserted D (s, Closed) x = false /\ deleted D (s, Closed) x = false;
  none_defined : forall s, In s l -> silent D s;
  others_silent : forall s, ~ In s b -> ~ In s l -> silent D s;
  others_closed : forall s, ~ In s b -> ~ In s l -> forall x, G (s, Closed) x = true <-> path (G (s, Once)) x;
  run : exists D1, closures G support b D D1 /\ forward clause_of G support l D1 D'
}.

Lemma silent_same : forall G D s t x, silent D s -> updated G D (s, t) x = G (s, t) x.
Proof.
  intros G D s t x Z. destruct (Z t x) as [I X]. unfold updated. rewrite I, X. now destruct (G (s, t) x).
Qed.

(** Before the pass base symbols have their new edges, and their closures. *)
Lemma base_closed : forall G support b l D D' D1, maintained G support b l D D' -> closures G support b D D1 ->
  (forall s x, updated G D1 (s, Once) x = updated G D (s, Once) x) /\
  (forall s, ~ In s l -> forall x, updated G D1 (s, Closed) x = true <-> path (updated G D1 (s, Once)) x).
Proof.
  intros G support b l D D' D1 R F.
  destruct (closures_exact clause_of G _ b D D1 (narrowed_supported _ _ _ (promise _ _ _ _ _ _ R))
    (listed_once _ _ _ _ _ _ R) (narrowed_closures _ _ l _ _ _ F)) as [Closed_now Once_same].
  { intros s _. apply (edges_alone _ _ _ _ _ _ R). }
  split; [exact Once_same |]. intros s N x. destruct (in_dec Pos.eq_dec s b) as [I | O]; [now apply Closed_now |].
  assert (Z : silent D1 s) by (apply (closures_silent _ _ _ _ _ _ F O), (others_silent _ _ _ _ _ _ R); auto).
  rewrite (silent_same G D1 s _ x Z), (others_closed _ _ _ _ _ _ R s O N).
  split; apply path_more; intro y; rewrite (silent_same G D1 s Once y Z); auto.
Qed.

(** After it the graph is right about defined symbols, all closures are right, and base symbols have the new edges. *)
Theorem maintain_exact : forall G support b l D D', maintained G support b l D D' ->
  (forall s, In s l -> right clause_of (updated G D') s) /\
  (forall s x, updated G D' (s, Closed) x = true <-> path (updated G D' (s, Once)) x) /\
  (forall s, ~ In s l -> forall x, updated G D' (s, Once) x = updated G D (s, Once) x).
Proof.
  intros G support b l D D' R. destruct (run _ _ _ _ _ _ R) as (D1 & C & F).
  destruct (base_closed _ _ _ _ _ _ _ R C) as [Once_same Closed_now].
  destruct (forward_exact clause_of G _ _ l D1 D' (narrowed_supported _ _ _ (promise _ _ _ _ _ _ R))
    (order _ _ _ _ _ _ R)) as [Right Same].
  { intros s I. apply (closures_silent _ _ _ _ _ _ C); [intro B | now apply (none_defined _ _ _ _ _ _ R)].
    now apply (base_alone _ _ _ _ _ _ R s B). }
  { apply narrowed_forward; [apply incl_refl | exact F]. }
  split; [exact Right | split].
  - intros s x. destruct (in_dec Pos.eq_dec s l) as [I | N]; [now apply (Right s I) |].
    rewrite Same, (Closed_now s N) by exact N. split; apply path_more; intro y; rewrite (Same s Once y N); auto.
  - intros s N x. now rewrite Same, Once_same.
Qed.

(** So the updated graph keeps what any support promises, that of the engine included. *)
Theorem maintain_keeps_support : forall G support b l D D', maintained G support b l D D' ->
  forall other, promised (updated G D') other l.
Proof.
  intros G support b l D D' R other. destruct (maintain_exact _ _ _ _ _ _ R) as (Right & Closures & _).
  split; intros s; [intros I _; now apply (Right s I) | intros _; apply Closures].
Qed.

(** A graph that has the edges of another one's base symbols, and all that clauses and closures derive. *)
Definition model_of_edges (H M : graph) (l : list positive) : Prop :=
  (forall s x, ~ In s l -> H (s, Once) x = true -> M (s, Once) x = true) /\
  (forall s, In s l -> forall x, consequence (clause_of s) M x -> M (s, Once) x = true) /\
  (forall s x, path (M (s, Once)) x -> M (s, Closed) x = true).

Theorem maintain_least_model : forall G support b l D D', maintained G support b l D D' ->
  model_of_edges (updated G D) (updated G D') l /\
  forall M, model_of_edges (updated G D) M l -> forall k x, updated G D' k x = true -> M k x = true.
Proof.
  intros G support b l D D' R. destruct (maintain_exact _ _ _ _ _ _ R) as (Right & Closures & Same). split.
  - split; [intros s x N; now rewrite Same | split].
    + intros s I x. now apply (Right s I).
    + intros s x. apply Closures.
  - intros M (Edges & Clauses & Paths).
    assert (Base : forall s t x, ~ In s l -> updated G D' (s, t) x = true -> M (s, t) x = true).
    { assert (O : forall s x, ~ In s l -> updated G D' (s, Once) x = true -> M (s, Once) x = true).
      { intros s x N. rewrite Same by exact N. now apply Edges. }
      intros s [|] x N Hx; [now apply O |]. apply Paths. apply Closures in Hx.
      apply (path_more (updated G D' (s, Once))); [intro y; now apply O | exact Hx]. }
    intros [s t] x Hx. destruct (in_dec Pos.eq_dec s l) as [I | N]; [| now apply Base].
    apply (right_least clause_of (updated G D') M _ l (order _ _ _ _ _ _ R) Right); auto.
Qed.

(** ** The runs of the engine *)

Definition no_change : change := Change (fun _ _ => false) (fun _ _ => false).

(** Computing views from edges with their closures is a run without support, update and changed symbols. *)
Theorem compute_maintained : forall G l D', stratified clause_of (fun s => ~ In s l) l ->
  (forall s, ~ In s l -> forall x, G (s, Closed) x = true <-> path (G (s, Once)) x) ->
  forward clause_of G (fun _ => False) l no_change D' -> maintained G (fun _ => False) [] l no_change D'.
Proof.
  intros G l D' T C F.
  split; auto; try easy; [apply NoDup_nil | exists no_change; split; [apply closures_nil | exact F]].
Qed.

(** From what a run leaves, maintenance with the support of the engine that is given none is a run again: for an update
    of edges of base symbols, with the closures of a list [c] that has all symbols that the update speaks of. *)
Theorem maintain_whole_support : forall G support b l D D1, maintained G support b l D D1 ->
  forall base binary c E E1 E2, NoDup c -> (forall s, In s c -> ~ In s l) ->
  (forall s x, inserted E (s, Closed) x = false /\ deleted E (s, Closed) x = false) ->
  (forall s, ~ In s c -> silent E s) ->
  closures (updated G D1) (whole_support base l binary) c E E1 ->
  forward clause_of (updated G D1) (whole_support base l binary) l E1 E2 ->
  maintained (updated G D1) (whole_support base l binary) c l E E2.
Proof.
  intros G support b l D D1 R base binary c E E1 E2 U B A Z C F. split; auto.
  - now apply (maintain_keeps_support G support b l D D1).
  - apply (order _ _ _ _ _ _ R).
  - intros s I. apply Z. intro J. now apply (B s J).
  - intros s _ _. apply (maintain_exact _ _ _ _ _ _ R).
  - now exists E1.
Qed.

End Maintenance.
