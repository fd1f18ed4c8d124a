(** The forward engine of Regular Datalog as a program: what [Regular.v] proves about sets, over tables that run.

    A graph is a [table] of facts with files for look-ups ([Key.v]), and so is each side of an update. Bodies are
    matched by the search of [Matching.v], here for all matches, with the sources that the marks of a literal name
    ([matches_sound], [matches_complete]). A closure is found by a search from each node ([closure_found]), whose fuel
    is proved to be enough ([reach_ends]). So every step of [forward_run] is a step of [Regular.forward]
    ([forward_refines]), and a run as a whole is one of [Maintain.maintained] ([maintain_refines]): the table after it
    is the least model over the new edges ([session_right]). These are theorems about the functions that are
    extracted. *)

From Coq Require Import PArith NArith List FMapPositive Bool Arith Lia SetoidList.
From Tidelog Require Import Datalog Certificate Key Matching.
From Tidelog Require Checker.
From Tidelog Require Import Regular Maintain.
Import ListNotations.

(** ** Tables *)

Record table := Table { content : list ranked; filed : files ranked }.

Definition well_filed (t : table) : Prop :=
  forall j h, In h (found (filed t) j) <-> In h (content t) /\ In j (keys h).

Definition empty_table : table := Table [] (PositiveMap.empty (list ranked)).

Definition with_fact (t : table) (f : fact) : table :=
  Table ((f, 0%N) :: content t) (file_all ranked keys (filed t) (f, 0%N)).

Definition has (t : table) (f : fact) : bool := Checker.holds (filed t) f.

Definition with_new (t : table) (f : fact) : table := if has t f then t else with_fact t f.

Definition with_all (t : table) (l : list fact) : table := fold_left with_new l t.

(** All facts of a relation. *)
Definition facts_of (t : table) (p : positive) : list fact := map fst (found (filed t) (by_relation p)).

Lemma empty_well : well_filed empty_table.
Proof.
  intros j h. unfold found. simpl. rewrite PositiveMap.gempty. simpl. tauto.
Qed.

Lemma with_fact_well : forall t f, well_filed t -> well_filed (with_fact t f).
Proof.
  intros t f W j h. unfold with_fact. cbn [filed content]. unfold file_all. rewrite (file_fold_found ranked keys), (W j
    h).
  cbn [In]. split.
  - intros [[H K] | [-> K]]; auto.
  - intros [[<- | H] K]; auto.
Qed.

Lemma has_content : forall t f, well_filed t -> (has t f = true <-> exists n, In (f, n) (content t)).
Proof.
  intros t f W. unfold has. rewrite Checker.holds_found. split.
  - intros ([g n] & H). apply W in H. destruct H as [H K]. apply Checker.fact_key_keys in K. simpl in K. subst g. now
    exists n.
  - intros [n H]. exists (f, n). apply W. split; [exact H | now apply Checker.fact_key_keys].
Qed.

Lemma with_new_well : forall t f, well_filed t -> well_filed (with_new t f).
Proof.
  intros t f W. unfold with_new. destruct (has t f); [exact W | now apply with_fact_well].
Qed.

Lemma with_new_has : forall t f g, well_filed t -> (has (with_new t f) g = true <-> has t g = true \/ g = f).
Proof.
  intros t f g W. unfold with_new. destruct (has t f) eqn:H.
  - split; [now left | intros [K | ->]; assumption].
  - rewrite (has_content _ g (with_fact_well t f W)), (has_content _ g W). simpl. split.
    + intros [n [E | K]]; [right; congruence | left; now exists n].
    + intros [[n K] | ->]; [exists n; now right | exists 0%N; now left].
Qed.

Lemma with_all_well : forall l t, well_filed t -> well_filed (with_all t l).
Proof.
  induction l as [| f l IH]; intros t W; [exact W |]. simpl. now apply IH, with_new_well.
Qed.

Lemma with_all_has : forall l t g, well_filed t -> (has (with_all t l) g = true <-> has t g = true \/ In g l).
Proof.
  induction l as [| f l IH]; intros t g W; simpl.
  - tauto.
  - change (fold_left with_new l (with_new t f)) with (with_all (with_new t f) l).
    rewrite (IH _ _ (with_new_well t f W)), (with_new_has t f g W). intuition.
Qed.

Lemma column_key_only : forall q p cs i, ~ In (by_relation q) (column_keys p i cs).
Proof.
  intros q p. induction cs as [| c cs IH]; intro i; simpl; [tauto |]. intros [E | H]; [discriminate E | exact (IH _ H)].
Qed.

Lemma relation_key : forall p h, In (by_relation p) (keys h) <-> relation (fst h) = p.
Proof.
  intros p [[q cs] n]. unfold keys. simpl. split.
  - intros [E | [E | H]]; [unfold by_relation in E; congruence | discriminate E | now apply column_key_only in H].
  - intros ->. now left.
Qed.

Lemma facts_of_found : forall t p f, well_filed t -> (In f (facts_of t p) <-> relation f = p /\ has t f = true).
Proof.
  intros t p f W. unfold facts_of. rewrite in_map_iff, (has_content t f W). split.
  - intros ([g n] & E & H). simpl in E. subst g. apply W in H. destruct H as [H K]. apply relation_key in K.
    split; [exact K | now exists n].
  - intros [E [n H]]. exists (f, n). split; [reflexivity |]. apply W. split; [exact H | now apply relation_key].
Qed.

(** ** All matches of a body *)

(** A source offers the facts of a table that a test admits. *)
Definition source : Type := table * (fact -> bool).

Definition offers (f : fact) (src : source) : bool := has (fst src) f && snd src f.

Definition offered (sources : list source) (f : fact) : bool := existsb (offers f) sources.

Definition all_well (sources : list source) : Prop := forall src, In src sources -> well_filed (fst src).

Definition candidates (sources : list source) (s : substitution) (a : atom) : list fact :=
  flat_map (fun src => filter (snd src) (map fst (found (filed (fst src)) (best_key s a)))) sources.

Fixpoint matches (body : list (atom * list source)) (s : substitution) : list substitution :=
  match body with
  | [] => [s]
  | (a, sources) :: rest =>
      flat_map (fun f => match match_fact s a f with Some s' => matches rest s' | None => [] end)
        (candidates sources s a)
  end.

Lemma candidates_offered : forall sources s a f, all_well sources -> In f (candidates sources s a) ->
  offered sources f = true.
Proof.
  intros sources s a f W H. unfold candidates in H. apply in_flat_map in H. destruct H as (src & S & H).
  apply filter_In in H. destruct H as [H K]. apply in_map_iff in H. destruct H as ([g n] & E & H). simpl in E. subst g.
  apply existsb_exists. exists src. split; [exact S |]. unfold offers. rewrite K, andb_true_r.
  apply (has_content _ _ (W src S)). apply (W src S) in H. exists n. tauto.
Qed.

Lemma offered_candidates : forall sources s v a, all_well sources -> agrees s v ->
  offered sources (ground v a) = true -> In (ground v a) (candidates sources s a).
Proof.
  intros sources s v a W A H. apply existsb_exists in H. destruct H as (src & S & H). unfold offers in H.
  apply andb_true_iff in H. destruct H as [H K]. unfold candidates. apply in_flat_map. exists src. split; [exact S |].
  apply filter_In. split; [| exact K]. apply in_map_iff. apply (has_content _ _ (W src S)) in H. destruct H as [n H].
  exists (ground v a, n). split; [reflexivity |]. apply (W src S). split; [exact H | now apply best_key_keys].
Qed.

Lemma matches_sound : forall body s s', (forall a srcs, In (a, srcs) body -> all_well srcs) -> In s' (matches body s) ->
  (forall v, agrees s' v -> agrees s v /\ forall a srcs, In (a, srcs) body -> offered srcs (ground v a) = true) /\
  (forall x, bound s x -> bound s' x) /\
  (forall a srcs x, In (a, srcs) body -> In (Var x) (arguments a) -> bound s' x).
Proof.
  induction body as [| [a srcs] body IH]; simpl; intros s s' W H.
  - destruct H as [-> | []]. repeat split; auto; tauto.
  - apply in_flat_map in H. destruct H as (f & F & H). destruct (match_fact s a f) as [s1 |] eqn:M; [| destruct H].
    apply match_fact_some in M. destruct M as [M1 M2].
    destruct (IH s1 s') as (I1 & I2 & I3); [intros b bs B; apply (W b bs); now right | exact H |].
    assert (Wa : all_well srcs) by (apply (W a srcs); now left).
    pose proof (candidates_offered srcs s a f Wa F) as O. repeat split.
    + apply I1 in H0. destruct H0 as [V _]. apply M1 in V. tauto.
    + intros b bs [E | B]; [| apply I1 in H0; now apply (proj2 H0)]. injection E as <- <-.
      apply I1 in H0. destruct H0 as [V _]. apply M1 in V. destruct V as [_ ->]. exact O.
    + intros x B. apply I2, M2. now left.
    + intros b bs x [E | B] X; [| now apply (I3 b bs)]. injection E as <- <-. apply I2, M2. now right.
Qed.

Lemma matches_complete : forall body s v, (forall a srcs, In (a, srcs) body -> all_well srcs) -> agrees s v ->
  (forall a srcs, In (a, srcs) body -> offered srcs (ground v a) = true) ->
  exists s', In s' (matches body s) /\ agrees s' v.
Proof.
  induction body as [| [a srcs] body IH]; simpl; intros s v W A O.
  - exists s. auto.
  - pose proof (offered_candidates srcs s v a (W a srcs (or_introl eq_refl)) A (O a srcs (or_introl eq_refl))) as C.
    destruct (match_fact s a (ground v a)) as [s1 |] eqn:M.
    + pose proof (proj1 (match_fact_some _ _ _ _ M)) as M1.
      destruct (IH s1 v) as (s2 & H & A2); [intros b bs B; apply (W b bs); now right | now apply M1 | | ].
      * intros b bs B. apply O. now right.
      * exists s2. split; [| exact A2]. apply in_flat_map. exists (ground v a). now rewrite M.
    + exfalso. exact (match_fact_none _ _ _ M v A eq_refl).
Qed.

(** The heads of a body: what it derives, if the variables of the head occur in it. *)
Definition heads (head : list term) (body : list (atom * list source)) : list tuple :=
  map (fun s => map (value (valued s)) head) (matches body nothing).

Lemma heads_spec : forall head body x, (forall a srcs, In (a, srcs) body -> all_well srcs) ->
  (forall y, In (Var y) head -> exists a srcs, In (a, srcs) body /\ In (Var y) (arguments a)) ->
  (In x (heads head body) <->
   exists v, (forall a srcs, In (a, srcs) body -> offered srcs (ground v a) = true) /\ map (value v) head = x).
Proof.
  intros head body x W Safe. unfold heads. rewrite in_map_iff. split.
  - intros (s & E & H). exists (valued s). split; [| exact E].
    destruct (matches_sound body nothing s W H) as (A & _ & _). apply A, agrees_valued.
  - intros (v & O & E). destruct (matches_complete body nothing v W (agrees_nothing v) O) as (s & H & A).
    exists s. split; [| exact H]. rewrite <- E. destruct (matches_sound body nothing s W H) as (_ & _ & B).
    apply map_ext_in. intros [y | c] T; simpl; [| reflexivity]. destruct (Safe y T) as (a & srcs & I & Y).
    now apply (bound_value s v y A), (B a srcs).
Qed.

(** ** Graphs and updates as tables *)

Definition relation_of (k : key) : positive := match snd k with Once => xO (fst k) | Closed => xI (fst k) end.
Definition fact_at (k : key) (x : tuple) : fact := Fact (relation_of k) x.
Definition atom_of (l : literal) : atom := Atom (relation_of (literal_key l)) (literal_terms l).

Definition graph_of (t : table) : graph := fun k x => has t (fact_at k x).

Record pending := Pending { added : table; dropped : table }.
Definition change_of (D : pending) : change := Change (graph_of (added D)) (graph_of (dropped D)).

Definition well_pending (D : pending) : Prop := well_filed (added D) /\ well_filed (dropped D).

Lemma relation_of_injective : forall k l, relation_of k = relation_of l -> k = l.
Proof.
  intros [s [|]] [r [|]] E; unfold relation_of in E; simpl in E; congruence.
Qed.

Lemma fact_at_injective : forall k l x y, fact_at k x = fact_at l y -> k = l /\ x = y.
Proof.
  intros k l x y E. injection E as R ->. split; [now apply relation_of_injective | reflexivity].
Qed.

Lemma ground_atom_of : forall v l, ground v (atom_of l) = fact_at (literal_key l) (row_of v l).
Proof.
  reflexivity.
Qed.

(** Rows of a key. *)
Definition rows_of (t : table) (k : key) : list tuple := map row (facts_of t (relation_of k)).

Lemma rows_of_found : forall t k x, well_filed t -> (In x (rows_of t k) <-> graph_of t k x = true).
Proof.
  intros t k x W. unfold rows_of, graph_of. rewrite in_map_iff. split.
  - intros (f & <- & H). apply (facts_of_found t _ f W) in H. destruct H as [E H]. destruct f as [p cs]. simpl in *.
    subst p. exact H.
  - intro H. exists (fact_at k x). split; [reflexivity |]. apply (facts_of_found t _ _ W). now split.
Qed.

Definition with_rows (t : table) (k : key) (rows : list tuple) : table := with_all t (map (fact_at k) rows).

Lemma with_rows_well : forall t k rows, well_filed t -> well_filed (with_rows t k rows).
Proof.
  intros. now apply with_all_well.
Qed.

Lemma with_rows_graph : forall t k rows l x, well_filed t ->
  (graph_of (with_rows t k rows) l x = true <-> graph_of t l x = true \/ (l = k /\ In x rows)).
Proof.
  intros t k rows l x W. unfold graph_of, with_rows. rewrite (with_all_has _ _ _ W), in_map_iff. split.
  - intros [H | (y & E & H)]; [now left | right]. apply fact_at_injective in E. destruct E as [-> ->]. now split.
  - intros [H | [-> H]]; [now left | right]. now exists x.
Qed.

Lemma graph_empty : forall k x, graph_of empty_table k x = false.
Proof.
  intros k x. unfold graph_of, has, Checker.holds, found, empty_table. cbn [filed]. now rewrite PositiveMap.gempty.
Qed.

(** Two updates that say the same. *)
Definition same (D E : change) : Prop :=
  (forall k x, inserted D k x = inserted E k x) /\ (forall k x, deleted D k x = deleted E k x).

Lemma same_updated : forall G D E k x, same D E -> updated G D k x = updated G E k x.
Proof.
  intros G D E k x [I X]. unfold updated. now rewrite I, X.
Qed.

Lemma same_sym : forall D E, same D E -> same E D.
Proof.
  intros D E [I X]. split; intros; symmetry; auto.
Qed.

Lemma same_trans : forall D E F, same D E -> same E F -> same D F.
Proof.
  intros D E F [I X] [J Y]. split; intros; [now rewrite I | now rewrite X].
Qed.

Lemma same_refl : forall D, same D D.
Proof.
  now split.
Qed.

Lemma holds_same : forall G H v l, (forall k x, G k x = H k x) -> (Regular.holds G v l <-> Regular.holds H v l).
Proof.
  intros G H v l S. unfold Regular.holds. now rewrite S.
Qed.

Lemma marked_same : forall G I J v b, (forall k x, I k x = J k x) -> (marked G I v b <-> marked G J v b).
Proof.
  intros G I J v b S. induction b as [| l b IH]; simpl; [tauto |].
  assert (R : forall m, Regular.holds I v m <-> Regular.holds J v m) by (intro; now apply holds_same).
  rewrite IH, (R l). split; (intros [[H K] | H]; [left; split; [exact H |] | now right]);
    intros m M; destruct (K m M) as [O | N]; auto; right; now apply R.
Qed.

Section Congruence.

Variable clause_of : positive -> clause.
Variable G : graph.
Variable support : key -> Prop.

Lemma clause_congruent : forall s D E D', same D E -> forward_clause clause_of G support s D D' ->
  exists E', forward_clause clause_of G support s E E' /\ same D' E'.
Proof.
  intros s D E D' S [new Sup N R | new R].
  - exists (at_key E (s, Once) (fun x => new x && negb (G (s, Once) x)) (fun _ => false)). split.
    + apply incremental; [exact Sup | |].
      * intros k K x. rewrite <- (proj2 S). now apply N.
      * intro x. rewrite R. unfold delta_consequence.
        split; intros (v & b & B & M & H); exists v, b; repeat split; auto; revert M; apply marked_same; apply S ||
          (intros; symmetry; apply S).
    + destruct S as [I X]. split; intros k x; simpl; unfold Regular.put; destruct (key_dec k (s, Once)); auto.
  - eexists. split.
    + apply (full clause_of G support s E new). intro x. rewrite R.
      split; apply consequence_same; intros k _ y; [| symmetry]; now apply same_updated.
    + destruct S as [I X]. split; intros k x; simpl; unfold Regular.put; destruct (key_dec k (s, Once)); auto.
Qed.

Lemma closure_congruent : forall s D E D', same D E -> forward_closure G support s D D' ->
  exists E', forward_closure G support s E E' /\ same D' E'.
Proof.
  intros s D E D' S [Sup N | P F | new R].
  - exists E. split; [| exact S]. apply kept; [exact Sup |]. intro x. destruct S as [I X]. rewrite <- I, <- X. apply N.
  - exists E. split; [| exact S]. apply no_closure; [| exact F]. intros a b. rewrite <- (same_updated G D E _ _ S).
    apply P.
  - eexists. split.
    + apply (computed G support s E new). intro x. rewrite R.
      split; apply path_more; intro y; rewrite (same_updated G D E _ _ S); auto.
    + destruct S as [I X]. split; intros k x; simpl; unfold Regular.put; destruct (key_dec k (s, Closed)); auto.
Qed.

Lemma forward_congruent : forall l D D', forward clause_of G support l D D' -> forall E, same D E ->
  exists E', forward clause_of G support l E E' /\ same D' E'.
Proof.
  intros l D D' F. induction F as [D | s l D D1 D2 D3 C K F IH]; intros E S.
  - exists E. split; [apply forward_nil | exact S].
  - destruct (clause_congruent s D E D1 S C) as (E1 & C' & S1).
    destruct (closure_congruent s D1 E1 D2 S1 K) as (E2 & K' & S2).
    destruct (IH E2 S2) as (E3 & F' & S3). exists E3. split; [| exact S3]. now apply (forward_cons _ _ _ _ _ _ E1 E2).
Qed.

Lemma closures_congruent : forall l D D', closures G support l D D' -> forall E, same D E ->
  exists E', closures G support l E E' /\ same D' E'.
Proof.
  intros l D D' F. induction F as [D | s l D D1 D2 K F IH]; intros E S.
  - exists E. split; [apply closures_nil | exact S].
  - destruct (closure_congruent s D E D1 S K) as (E1 & K' & S1).
    destruct (IH E1 S1) as (E2 & F' & S2). exists E2. split; [| exact S2]. now apply (closures_cons _ _ _ _ _ E1).
Qed.

End Congruence.

(** ** Closures *)

Definition neighbours : Type := PositiveMap.t (list positive).

Definition after (m : neighbours) (a : positive) : list positive :=
  match PositiveMap.find a m with Some l => l | None => [] end.

(** The ends of edges by their beginnings; rows that are no pairs are no edges. *)
Definition with_edge (m : neighbours) (x : tuple) : neighbours :=
  match x with [a; b] => PositiveMap.add a (b :: after m a) m | _ => m end.

Definition neighbours_of (rows : list tuple) : neighbours := fold_left with_edge rows (PositiveMap.empty (list
  positive)).

Lemma with_edge_after : forall m x a b, In b (after (with_edge m x) a) <-> In b (after m a) \/ x = [a; b].
Proof.
  intros m x a b. destruct x as [| c [| d [| e x]]]; simpl; try (split; [now left | intros [H | H]; [exact H |
    discriminate H]]).
  unfold after at 1. destruct (Pos.eq_dec a c) as [-> | N].
  - rewrite PositiveMap.gss. simpl. split; [intros [-> | H]; auto | intros [H | H]; [auto | left; congruence]].
  - rewrite PositiveMap.gso by exact N. fold (after m a). split; [now left | intros [H | H]; [exact H | congruence]].
Qed.

Lemma neighbours_fold : forall rows m a b,
  In b (after (fold_left with_edge rows m) a) <-> In b (after m a) \/ In [a; b] rows.
Proof.
  induction rows as [| x rows IH]; intros m a b; simpl; [tauto |]. rewrite IH, with_edge_after. tauto.
Qed.

Lemma neighbours_found : forall rows a b, In b (after (neighbours_of rows) a) <-> In [a; b] rows.
Proof.
  intros rows a b. unfold neighbours_of. rewrite neighbours_fold. unfold after at 1. rewrite PositiveMap.gempty.
  simpl. tauto.
Qed.

Section Reach.

Variable m : neighbours.

Definition visited : Type := PositiveMap.t unit.

Definition is_visited (n : positive) (seen : visited) : bool :=
  match PositiveMap.find n seen with Some _ => true | None => false end.

Lemma is_visited_add : forall n k seen, is_visited n (PositiveMap.add k tt seen) = Pos.eqb n k || is_visited n seen.
Proof.
  intros n k seen. unfold is_visited. destruct (Pos.eqb_spec n k) as [-> | N].
  - now rewrite PositiveMap.gss.
  - now rewrite PositiveMap.gso.
Qed.

(** Depth first, a step of fuel for each entry of the list. *)
Fixpoint reach (fuel : nat) (todo : list positive) (seen : visited) (out : list positive) : option (list positive) :=
  match fuel with
  | 0 => None
  | S less =>
      match todo with
      | [] => Some out
      | n :: rest =>
          if is_visited n seen then reach less rest seen out
          else reach less (after m n ++ rest) (PositiveMap.add n tt seen) (n :: out)
      end
  end.

(** What is reached from the entries is what the result has, if the nodes seen so far are in it and lead nowhere else.
    *)
Definition leads (a b : positive) : Prop := In b (after m a).

Lemma reach_sound : forall (P : positive -> Prop), (forall a b, P a -> leads a b -> P b) ->
  forall fuel todo seen out result, reach fuel todo seen out = Some result ->
  (forall n, In n todo -> P n) -> (forall n, In n out -> P n) -> forall n, In n result -> P n.
Proof.
  intros P Step. induction fuel as [| fuel IH]; intros todo seen out result R T O; [discriminate R |]. simpl in R.
  destruct todo as [| k todo]; [injection R as <-; exact O |]. destruct (is_visited k seen).
  - apply (IH _ _ _ _ R); [| exact O]. intros n N. apply T. now right.
  - assert (Pk : P k) by (apply T; now left). apply (IH _ _ _ _ R).
    + intros n N. apply in_app_iff in N. destruct N as [N | N]; [now apply (Step k) | apply T; now right].
    + intros n [<- | N]; [exact Pk | now apply O].
Qed.

Lemma reach_complete : forall fuel todo seen out result, reach fuel todo seen out = Some result ->
  (forall n, is_visited n seen = true <-> In n out) ->
  (forall a b, In a out -> leads a b -> In b out \/ In b todo) ->
  (forall n, In n todo \/ In n out -> In n result) /\ (forall a b, In a result -> leads a b -> In b result).
Proof.
  induction fuel as [| fuel IH]; intros todo seen out result R V C; [discriminate R |]. simpl in R.
  destruct todo as [| k todo].
  - injection R as <-. split; [intros n [[] | N]; exact N |]. intros a b A L. destruct (C a b A L) as [B | []]. exact B.
  - destruct (is_visited k seen) eqn:K.
    + apply V in K. destruct (IH _ _ _ _ R V) as [I1 I2].
      * intros a b A L. destruct (C a b A L) as [B | [<- | B]]; auto.
      * split; [| exact I2]. intros n [[<- | N] | N]; apply I1; auto.
    + destruct (IH _ _ _ _ R) as [I1 I2].
      * intro n. rewrite is_visited_add, orb_true_iff, Pos.eqb_eq, V. simpl. intuition.
      * intros a b [<- | A] L.
        -- right. apply in_app_iff. now left.
        -- destruct (C a b A L) as [B | [<- | B]]; [left; now right | left; now left | right; apply in_app_iff; now
          right].
      * split; [| exact I2]. intros n [[<- | N] | N]; apply I1.
        -- right. now left.
        -- left. apply in_app_iff. now right.
        -- right. now right.
Qed.

(** The fuel: entries that wait, and the edges of nodes that were not visited. *)
Fixpoint edges_left (seen : visited) (l : list (positive * list positive)) : nat :=
  match l with
  | [] => 0
  | (n, ends) :: rest => (if is_visited n seen then 0 else length ends) + edges_left seen rest
  end.

Lemma edges_left_other : forall k seen l, (forall n ends, In (n, ends) l -> n <> k) ->
  edges_left (PositiveMap.add k tt seen) l = edges_left seen l.
Proof.
  intros k seen l. induction l as [| [n ends] l IH]; intro N; simpl; [reflexivity |].
  rewrite IH by (intros q e Q; apply (N q e); now right). rewrite is_visited_add.
  destruct (Pos.eqb_spec n k) as [E | E]; [| reflexivity]. exfalso. apply (N n ends); [now left | exact E].
Qed.

Lemma edges_left_less : forall k ends seen l, NoDup (map fst l) -> In (k, ends) l -> is_visited k seen = false ->
  length ends + edges_left (PositiveMap.add k tt seen) l = edges_left seen l.
Proof.
  intros k ends seen l. induction l as [| [n e] l IH]; simpl; intros U I F; [destruct I |].
  inversion U as [| ? ? N U']; subst. rewrite is_visited_add. destruct I as [I | I].
  - injection I as -> ->. rewrite Pos.eqb_refl, F. simpl. rewrite edges_left_other; [reflexivity |].
    intros q e Q E. subst q. apply N, in_map_iff. exists (k, e). now split.
  - destruct (Pos.eqb_spec n k) as [-> | D].
    + exfalso. apply N, in_map_iff. exists (k, ends). now split.
    + simpl. rewrite <- (IH U' I F). lia.
Qed.

Lemma elements_once : NoDup (map fst (PositiveMap.elements m)).
Proof.
  pose proof (PositiveMap.elements_3w m) as H. induction H as [| [n l] rest N H IH]; simpl; constructor; [| exact IH].
  intro I. apply N. apply in_map_iff in I. destruct I as ([q e] & E & I). simpl in E. subst q. apply InA_alt.
  exists (n, e). split; [reflexivity | exact I].
Qed.

Lemma reach_ends : forall fuel todo seen out,
  length todo + edges_left seen (PositiveMap.elements m) < fuel -> exists result, reach fuel todo seen out = Some
    result.
Proof.
  induction fuel as [| fuel IH]; intros todo seen out L; [lia |]. simpl. destruct todo as [| k todo]; [now eexists |].
  simpl in L. destruct (is_visited k seen) eqn:K; apply IH; [lia |]. rewrite app_length.
  unfold after. destruct (PositiveMap.find k m) as [ends |] eqn:F.
  - pose proof (edges_left_less k ends seen _ elements_once (PositiveMap.elements_correct _ _ F) K). lia.
  - simpl. rewrite edges_left_other; [lia |]. intros n ends I E. subst n.
    apply PositiveMap.elements_complete in I. congruence.
Qed.

Definition fuel_for (a : positive) : nat :=
  S (length (after m a) + edges_left (PositiveMap.empty unit) (PositiveMap.elements m)).

Definition reached (a : positive) : list positive :=
  match reach (fuel_for a) (after m a) (PositiveMap.empty unit) [] with Some l => l | None => [] end.

Inductive walk (a : positive) : positive -> Prop :=
| walk_edge : forall b, leads a b -> walk a b
| walk_step : forall b c, walk a b -> leads b c -> walk a c.

Lemma reached_walk : forall a b, In b (reached a) <-> walk a b.
Proof.
  intros a b. unfold reached.
  destruct (reach_ends (fuel_for a) (after m a) (PositiveMap.empty unit) []) as [l R]; [unfold fuel_for; lia |].
  rewrite R. split.
  - apply (reach_sound (walk a) (walk_step a) _ _ _ _ _ R); [| intros n []]. intros n N. now apply walk_edge.
  - destruct (reach_complete _ _ _ _ _ R) as [I1 I2].
    + intro n. unfold is_visited. rewrite PositiveMap.gempty. simpl. split; [discriminate | tauto].
    + intros x y [].
    + intro W. induction W as [b L | b c W IH L]; [apply I1; now left | now apply (I2 b)].
Qed.

End Reach.

Definition closure_rows (rows : list tuple) : list tuple :=
  let m := neighbours_of rows in
  flat_map (fun e => map (fun b => [fst e; b]) (reached m (fst e))) (PositiveMap.elements m).

Lemma path_append : forall edge a b c, path edge [a; b] -> edge [b; c] = true -> path edge [a; c].
Proof.
  intros edge a b c P. remember [a; b] as x eqn:E. revert a b E.
  induction P as [a' b' H | a' b' c' H P IH]; intros a b E K; injection E as -> ->.
  - apply (path_step _ a b c H). now apply path_edge.
  - apply (path_step _ a b' c H). now apply (IH b' b).
Qed.

Theorem closure_found : forall rows (edge : tuple -> bool), (forall x, In x rows <-> edge x = true) ->
  forall x, In x (closure_rows rows) <-> path edge x.
Proof.
  intros rows edge E x. unfold closure_rows. rewrite in_flat_map.
  assert (L : forall a b, leads (neighbours_of rows) a b <-> edge [a; b] = true).
  { intros a b. unfold leads. now rewrite neighbours_found, E. }
  split.
  - intros ([a l] & _ & H). apply in_map_iff in H. destruct H as (b & <- & H). simpl in *.
    apply reached_walk in H. induction H as [b K | b c _ IH K]; [apply path_edge; now apply L |].
    apply (path_append _ a b c IH). now apply L.
  - intro P. assert (W : exists a b, x = [a; b] /\ walk (neighbours_of rows) a b /\ exists c, leads (neighbours_of
    rows) a c).
    { induction P as [a b H | a b c H P IH].
      - exists a, b. apply L in H. repeat split; [now apply walk_edge | now exists b].
      - destruct IH as (a' & b' & Q & W & _). injection Q as -> ->. exists a, b'. repeat split.
        + apply L in H. clear P. induction W as [d K | d e W IH K]; [apply (walk_step _ _ a'); [now apply walk_edge |
          exact K] |].
          now apply (walk_step _ _ d).
        + exists a'. now apply L. }
    destruct W as (a & b & -> & W & (c & K)). unfold leads, after in K.
    destruct (PositiveMap.find a (neighbours_of rows)) as [l |] eqn:F; [| destruct K].
    exists (a, l). split; [now apply PositiveMap.elements_correct |]. apply in_map_iff. exists b. split; [reflexivity
      |].
    now apply reached_walk.
Qed.

(** ** The engine *)

Section Run.

Variable clause_of : positive -> clause.
Variable old : table.
Variable support : key -> bool.

Hypothesis old_well : well_filed old.

Definition G : graph := graph_of old.

Definition supports (k : key) : Prop := support k = true.

(** The updated graph as sources. *)
Definition updated_sources (D : pending) : list source :=
  [(old, fun f => negb (has (dropped D) f)); (added D, fun _ => true)].

Lemma updated_offered : forall D k x, offered (updated_sources D) (fact_at k x) = updated G (change_of D) k x.
Proof.
  intros D k x. unfold offered, offers, updated_sources, updated, change_of, G, graph_of. simpl.
  now rewrite andb_true_r, orb_false_r.
Qed.

Lemma updated_well : forall D, well_pending D -> all_well (updated_sources D).
Proof.
  intros D [A _] src [<- | [<- | []]]; [exact old_well | exact A].
Qed.

Definition safe_clause (C : clause) : Prop :=
  forall b y, In b (clause_bodies C) -> In (Var y) (clause_head C) ->
  exists l, In l b /\ In (Var y) (literal_terms l).

(** The clause over the updated graph. *)
Definition all_rows (C : clause) (D : pending) : list tuple :=
  flat_map (fun b => heads (clause_head C) (map (fun l => (atom_of l, updated_sources D)) b)) (clause_bodies C).

Lemma all_rows_found : forall C D, safe_clause C -> well_pending D ->
  forall x, In x (all_rows C D) <-> Regular.consequence C (updated G (change_of D)) x.
Proof.
  intros C D Safe W x. unfold all_rows. rewrite in_flat_map.
  assert (H : forall b, In b (clause_bodies C) ->
    (In x (heads (clause_head C) (map (fun l => (atom_of l, updated_sources D)) b)) <->
     exists v, (forall l, In l b -> Regular.holds (updated G (change_of D)) v l) /\ map (value v) (clause_head C) = x)).
  { intros b B. rewrite heads_spec.
    - split; intros (v & O & E); exists v; split; auto.
      + intros l L. unfold Regular.holds. rewrite <- updated_offered.
        apply (O (atom_of l) (updated_sources D)). apply in_map_iff. now exists l.
      + intros a srcs I. apply in_map_iff in I. destruct I as (l & E' & L). injection E' as <- <-.
        rewrite ground_atom_of, updated_offered. now apply O.
    - intros a srcs I. apply in_map_iff in I. destruct I as (l & E & L). injection E as <- <-. now apply updated_well.
    - intros y Y. destruct (Safe b y B Y) as (l & L & T). exists (atom_of l), (updated_sources D). split; [| exact T].
      apply in_map_iff. now exists l. }
  split.
  - intros (b & B & I). apply (H b B) in I. destruct I as (v & O & E). now exists v, b.
  - intros (v & b & B & O & E). exists b. split; [exact B |]. apply (H b B). now exists v.
Qed.

(** A body with one literal matched by an insertion, for each of its literals. *)
Definition old_source : source := (old, fun _ => true).
Definition new_source (D : pending) : source := (added D, fun _ => true).

Fixpoint marked_bodies (D : pending) (b : list literal) : list (list (atom * list source)) :=
  match b with
  | [] => []
  | l :: rest =>
      ((atom_of l, [new_source D]) :: map (fun m => (atom_of m, [old_source; new_source D])) rest)
        :: map (cons (atom_of l, [old_source])) (marked_bodies D rest)
  end.

Definition new_rows (C : clause) (D : pending) : list tuple :=
  flat_map (fun b => flat_map (heads (clause_head C)) (marked_bodies D b)) (clause_bodies C).

Lemma one_offered : forall t k x, offered [(t, fun _ => true)] (fact_at k x) = graph_of t k x.
Proof.
  intros t k x. unfold offered, offers, graph_of. simpl. now rewrite andb_true_r, orb_false_r.
Qed.

Lemma both_offered : forall D k x, offered [old_source; new_source D] (fact_at k x) = G k x || graph_of (added D) k x.
Proof.
  intros D k x. unfold offered, offers, old_source, new_source, G, graph_of. simpl.
  now rewrite !andb_true_r, orb_false_r.
Qed.

Lemma marked_found : forall D v b, marked G (graph_of (added D)) v b <->
  exists m, In m (marked_bodies D b) /\ forall a srcs, In (a, srcs) m -> offered srcs (ground v a) = true.
Proof.
  intros D v b. induction b as [| l b IH]; simpl.
  - split; [tauto | intros (m & [] & _)].
  - split.
    + intros [[H R] | [H M]].
      * exists ((atom_of l, [new_source D]) :: map (fun m => (atom_of m, [old_source; new_source D])) b).
        split; [now left |]. intros a srcs [E | I].
        -- injection E as <- <-. rewrite ground_atom_of. unfold new_source. now rewrite one_offered.
        -- apply in_map_iff in I. destruct I as (n & E & N). injection E as <- <-. rewrite ground_atom_of, both_offered.
           apply orb_true_iff. exact (R n N).
      * apply IH in M. destruct M as (m & M & O). exists ((atom_of l, [old_source]) :: m).
        split; [right; apply in_map_iff; now exists m |]. intros a srcs [E | I]; [| now apply O].
        injection E as <- <-. rewrite ground_atom_of. unfold old_source. now rewrite one_offered.
    + intros (m & [<- | M] & O).
      * left. split.
        -- specialize (O (atom_of l) [new_source D] (or_introl eq_refl)). rewrite ground_atom_of in O.
           unfold new_source in O. now rewrite one_offered in O.
        -- intros n N. assert (I : In (atom_of n, [old_source; new_source D])
             (map (fun m => (atom_of m, [old_source; new_source D])) b)) by (apply in_map_iff; now exists n).
           specialize (O _ _ (or_intror I)). rewrite ground_atom_of, both_offered in O. now apply orb_true_iff in O.
      * apply in_map_iff in M. destruct M as (n & <- & M). right. split.
        -- specialize (O (atom_of l) [old_source] (or_introl eq_refl)). rewrite ground_atom_of in O.
           unfold old_source in O. now rewrite one_offered in O.
        -- apply IH. exists n. split; [exact M |]. intros a srcs I. apply O. now right.
Qed.

Lemma marked_atoms : forall D b m, In m (marked_bodies D b) ->
  (forall a srcs, In (a, srcs) m -> srcs = [old_source] \/ srcs = [new_source D] \/ srcs = [old_source; new_source D])
    /\
  (forall l, In l b -> exists srcs, In (atom_of l, srcs) m).
Proof.
  intros D. induction b as [| l b IH]; simpl; intros m M; [destruct M |]. destruct M as [<- | M].
  - split.
    + intros a srcs [E | I]; [injection E as <- <-; auto |].
      apply in_map_iff in I. destruct I as (n & E & _). injection E as <- <-. auto.
    + intros n [<- | N]; [exists [new_source D]; now left |]. exists [old_source; new_source D]. right.
      apply in_map_iff. now exists n.
  - apply in_map_iff in M. destruct M as (n & <- & M). destruct (IH n M) as [I1 I2]. split.
    + intros a srcs [E | I]; [injection E as <- <-; auto | now apply (I1 a)].
    + intros k [<- | K]; [exists [old_source]; now left |]. destruct (I2 k K) as [srcs S]. exists srcs. now right.
Qed.

Lemma new_rows_found : forall C D, safe_clause C -> well_pending D ->
  forall x, In x (new_rows C D) <-> delta_consequence C G (inserted (change_of D)) x.
Proof.
  intros C D Safe [WA _] x. unfold new_rows. rewrite in_flat_map. unfold delta_consequence. simpl.
  assert (H : forall b m, In b (clause_bodies C) -> In m (marked_bodies D b) ->
    (In x (heads (clause_head C) m) <->
     exists v, (forall a srcs, In (a, srcs) m -> offered srcs (ground v a) = true) /\ map (value v) (clause_head C) =
       x)).
  { intros b m B M. destruct (marked_atoms D b m M) as [Sources Atoms]. apply heads_spec.
    - intros a srcs I src K. destruct (Sources a srcs I) as [-> | [-> | ->]]; simpl in K.
      + destruct K as [<- | []]. exact old_well.
      + destruct K as [<- | []]. exact WA.
      + destruct K as [<- | [<- | []]]; [exact old_well | exact WA].
    - intros y Y. destruct (Safe b y B Y) as (l & L & T). destruct (Atoms l L) as [srcs S]. now exists (atom_of l),
      srcs. }
  split.
  - intros (b & B & I). apply in_flat_map in I. destruct I as (m & M & I). apply (H b m B M) in I.
    destruct I as (v & O & E). exists v, b. repeat split; auto. apply marked_found. now exists m.
  - intros (v & b & B & M & E). apply marked_found in M. destruct M as (m & M & O). exists b. split; [exact B |].
    apply in_flat_map. exists m. split; [exact M |]. apply (H b m B M). now exists v.
Qed.

(** ** Steps *)

Definition nothing_at (t : table) (k : key) : bool := match rows_of t k with [] => true | _ :: _ => false end.

Lemma nothing_at_found : forall t k, well_filed t -> (nothing_at t k = true <-> forall x, graph_of t k x = false).
Proof.
  intros t k W. unfold nothing_at. split.
  - destruct (rows_of t k) eqn:E; [| discriminate]. intros _ x. destruct (graph_of t k x) eqn:F; [| reflexivity].
    apply (rows_of_found t k x W) in F. rewrite E in F. destruct F.
  - intro N. destruct (rows_of t k) as [| x l] eqn:E; [reflexivity |].
    assert (I : In x (rows_of t k)) by (rewrite E; now left). apply (rows_of_found t k x W) in I.
    now rewrite N in I.
Qed.

Definition is_incremental (s : positive) (D : pending) : bool :=
  support (s, Once) &&
  forallb (forallb (fun l => nothing_at (dropped D) (literal_key l))) (clause_bodies (clause_of s)).

(** The rows of a key become these: what is new is added, what the old graph has besides is dropped. *)
Definition replaced_by (D : pending) (k : key) (rows : list tuple) : pending :=
  let kept := with_rows empty_table k rows in
  Pending (with_rows (added D) k (filter (fun x => negb (G k x)) rows))
    (with_rows (dropped D) k (filter (fun x => negb (graph_of kept k x)) (rows_of old k))).

Definition run_clause (s : positive) (D : pending) : pending :=
  if is_incremental s D
  then Pending (with_rows (added D) (s, Once) (filter (fun x => negb (G (s, Once) x)) (new_rows (clause_of s) D)))
    (dropped D)
  else replaced_by D (s, Once) (all_rows (clause_of s) D).

Definition updated_rows (D : pending) (k : key) : list tuple :=
  filter (fun x => negb (graph_of (dropped D) k x)) (rows_of old k) ++ rows_of (added D) k.

Definition run_closure (s : positive) (D : pending) : pending :=
  if support (s, Closed) && nothing_at (added D) (s, Once) && nothing_at (dropped D) (s, Once) then D
  else replaced_by D (s, Closed) (closure_rows (updated_rows D (s, Once))).

Definition forward_run (l : list positive) (D : pending) : pending :=
  fold_left (fun D s => run_closure s (run_clause s D)) l D.

Definition closures_run (l : list positive) (D : pending) : pending := fold_left (fun D s => run_closure s D) l D.

Definition silent_at (D : pending) (k : key) : Prop :=
  forall x, graph_of (added D) k x = false /\ graph_of (dropped D) k x = false.

Lemma updated_rows_found : forall D k x, well_pending D ->
  (In x (updated_rows D k) <-> updated G (change_of D) k x = true).
Proof.
  intros D k x [WA WD]. unfold updated_rows, updated, change_of, G. simpl.
  rewrite in_app_iff, filter_In, (rows_of_found old k x old_well), (rows_of_found _ k x WA), orb_true_iff,
    andb_true_iff.
  tauto.
Qed.

Lemma replaced_by_well : forall D k rows, well_pending D -> well_pending (replaced_by D k rows).
Proof.
  intros D k rows [WA WD]. split; now apply with_rows_well.
Qed.

(** Where nothing was said of the key, this is the update that the proofs put there. *)
Lemma replaced_by_same : forall D k rows, well_pending D -> silent_at D k ->
  exists new, (forall x, new x = true <-> In x rows) /\
    same (at_key (change_of D) k (fun x => new x && negb (G k x)) (fun x => G k x && negb (new x)))
      (change_of (replaced_by D k rows)).
Proof.
  intros D k rows [WA WD] Z.
  set (new := graph_of (with_rows empty_table k rows) k).
  assert (N : forall x, new x = true <-> In x rows).
  { intro x. unfold new. rewrite (with_rows_graph _ _ _ _ _ empty_well), graph_empty. intuition discriminate. }
  exists new. split; [exact N |]. split; intros j x; simpl; unfold Regular.put; destruct (key_dec j k) as [-> | D'];
    apply eq_true_iff_eq.
  - rewrite (with_rows_graph _ _ _ _ _ WA), filter_In, andb_true_iff, N. destruct (Z x) as [-> _]. intuition
    discriminate.
  - rewrite (with_rows_graph _ _ _ _ _ WA). intuition congruence.
  - rewrite (with_rows_graph _ _ _ _ _ WD), filter_In, andb_true_iff, (rows_of_found old k x old_well). fold new.
    destruct (Z x) as [_ ->]. unfold G. intuition discriminate.
  - rewrite (with_rows_graph _ _ _ _ _ WD). intuition congruence.
Qed.

Lemma incremental_same : forall D k rows, well_pending D -> silent_at D k ->
  exists new, (forall x, new x = true <-> In x rows) /\
    same (at_key (change_of D) k (fun x => new x && negb (G k x)) (fun _ => false))
      (change_of (Pending (with_rows (added D) k (filter (fun x => negb (G k x)) rows)) (dropped D))).
Proof.
  intros D k rows [WA WD] Z.
  set (new := graph_of (with_rows empty_table k rows) k).
  assert (N : forall x, new x = true <-> In x rows).
  { intro x. unfold new. rewrite (with_rows_graph _ _ _ _ _ empty_well), graph_empty. intuition discriminate. }
  exists new. split; [exact N |]. split; intros j x; simpl; unfold Regular.put; destruct (key_dec j k) as [-> | D'].
  - apply eq_true_iff_eq. rewrite (with_rows_graph _ _ _ _ _ WA), filter_In, andb_true_iff, N.
    destruct (Z x) as [-> _]. intuition discriminate.
  - apply eq_true_iff_eq. rewrite (with_rows_graph _ _ _ _ _ WA). intuition congruence.
  - destruct (Z x) as [_ ->]. reflexivity.
  - reflexivity.
Qed.

Lemma run_clause_well : forall s D, well_pending D -> well_pending (run_clause s D).
Proof.
  intros s D W. unfold run_clause. destruct (is_incremental s D); [| now apply replaced_by_well].
  destruct W as [WA WD]. split; [now apply with_rows_well | exact WD].
Qed.

Lemma run_closure_well : forall s D, well_pending D -> well_pending (run_closure s D).
Proof.
  intros s D W. unfold run_closure.
  destruct (support (s, Closed) && nothing_at (added D) (s, Once) && nothing_at (dropped D) (s, Once)); [exact W |].
  now apply replaced_by_well.
Qed.

Theorem run_clause_refines : forall s D, safe_clause (clause_of s) -> well_pending D -> silent_at D (s, Once) ->
  exists D', forward_clause clause_of G supports s (change_of D) D' /\ same D' (change_of (run_clause s D)).
Proof.
  intros s D Safe W Z. unfold run_clause. destruct (is_incremental s D) eqn:I.
  - unfold is_incremental in I. apply andb_true_iff in I. destruct I as [S N].
    destruct (incremental_same D (s, Once) (new_rows (clause_of s) D) W Z) as (new & E & Same).
    eexists. split; [| exact Same]. apply incremental; [exact S | |].
    + intros k (b & l & B & L & <-) x. rewrite forallb_forall in N. specialize (N b B). rewrite forallb_forall in N.
      specialize (N l L). simpl. now apply (nothing_at_found _ _ (proj2 W)).
    + intro x. rewrite E. now apply new_rows_found.
  - destruct (replaced_by_same D (s, Once) (all_rows (clause_of s) D) W Z) as (new & E & Same).
    eexists. split; [| exact Same]. apply full. intro x. rewrite E. now apply all_rows_found.
Qed.

Theorem run_closure_refines : forall s D, well_pending D -> silent_at D (s, Closed) ->
  exists D', forward_closure G supports s (change_of D) D' /\ same D' (change_of (run_closure s D)).
Proof.
  intros s D W Z. unfold run_closure.
  destruct (support (s, Closed) && nothing_at (added D) (s, Once) && nothing_at (dropped D) (s, Once)) eqn:K.
  - rewrite !andb_true_iff in K. destruct K as [[S A] B]. exists (change_of D). split; [| apply same_refl].
    apply kept; [exact S |]. intro x. simpl. split; [now apply (nothing_at_found _ _ (proj1 W)) |].
    now apply (nothing_at_found _ _ (proj2 W)).
  - destruct (replaced_by_same D (s, Closed) (closure_rows (updated_rows D (s, Once))) W Z) as (new & E & Same).
    eexists. split; [| exact Same]. apply computed. intro x. rewrite E. apply closure_found.
    intro y. now apply updated_rows_found.
Qed.

(** ** Runs *)

Lemma with_rows_elsewhere : forall t k rows l x, well_filed t -> l <> k ->
  graph_of (with_rows t k rows) l x = graph_of t l x.
Proof.
  intros t k rows l x W N. apply eq_true_iff_eq. rewrite (with_rows_graph _ _ _ _ _ W). intuition congruence.
Qed.

Lemma replaced_by_silent : forall D k rows l, well_pending D -> l <> k -> silent_at D l -> silent_at (replaced_by D k
  rows) l.
Proof.
  intros D k rows l [WA WD] N Z x. unfold replaced_by. cbn [added dropped]. rewrite !with_rows_elsewhere by assumption.
  apply Z.
Qed.

Lemma run_clause_silent : forall s D l, well_pending D -> l <> (s, Once) -> silent_at D l -> silent_at (run_clause s D)
  l.
Proof.
  intros s D l W N Z. unfold run_clause. destruct (is_incremental s D); [| now apply replaced_by_silent].
  intro x. cbn [added dropped]. rewrite with_rows_elsewhere by (apply W || exact N). apply Z.
Qed.

Lemma run_closure_silent : forall s D l, well_pending D -> l <> (s, Closed) -> silent_at D l -> silent_at (run_closure
  s D) l.
Proof.
  intros s D l W N Z. unfold run_closure.
  destruct (support (s, Closed) && nothing_at (added D) (s, Once) && nothing_at (dropped D) (s, Once)); [exact Z |].
  now apply replaced_by_silent.
Qed.

Theorem forward_refines : forall l D, well_pending D -> NoDup l ->
  (forall s, In s l -> safe_clause (clause_of s)) ->
  (forall s t, In s l -> silent_at D (s, t)) ->
  exists D', forward clause_of G supports l (change_of D) D' /\ same D' (change_of (forward_run l D)).
Proof.
  induction l as [| s l IH]; intros D W U Safe Z.
  - exists (change_of D). split; [apply forward_nil | apply same_refl].
  - inversion U as [| ? ? N U']; subst.
    pose proof (run_clause_well s D W) as W1. pose proof (run_closure_well s _ W1) as W2.
    destruct (run_clause_refines s D (Safe s (or_introl eq_refl)) W (Z s Once (or_introl eq_refl))) as (E1 & C & S1).
    assert (Z1 : silent_at (run_clause s D) (s, Closed)).
    { apply (run_clause_silent s D _ W); [discriminate | apply Z; now left]. }
    destruct (run_closure_refines s (run_clause s D) W1 Z1) as (F2 & K & S2).
    destruct (closure_congruent G supports s _ E1 F2 (same_sym _ _ S1) K) as (E2 & K' & S2').
    destruct (IH (run_closure s (run_clause s D)) W2 U') as (F3 & F & S3).
    { intros r R. apply Safe. now right. }
    { intros r t R. apply run_closure_silent; [exact W1 | intro E; injection E as -> _; contradiction |].
      apply run_clause_silent; [exact W | intro E; injection E as -> _; contradiction |]. apply Z. now right. }
    destruct (forward_congruent clause_of G supports l _ F3 F E2 (same_trans _ _ _ (same_sym _ _ S2) S2')) as (E3 & F'
      & S3').
    exists E3. split; [now apply (forward_cons _ _ _ _ _ _ E1 E2) |].
    exact (same_trans _ _ _ (same_sym _ _ S3') S3).
Qed.

Theorem closures_refine : forall l D, well_pending D -> NoDup l -> (forall s, In s l -> silent_at D (s, Closed)) ->
  exists D', closures G supports l (change_of D) D' /\ same D' (change_of (closures_run l D)).
Proof.
  induction l as [| s l IH]; intros D W U Z.
  - exists (change_of D). split; [apply closures_nil | apply same_refl].
  - inversion U as [| ? ? N U']; subst. pose proof (run_closure_well s D W) as W1.
    destruct (run_closure_refines s D W (Z s (or_introl eq_refl))) as (E1 & K & S1).
    destruct (IH (run_closure s D) W1 U') as (F2 & F & S2).
    { intros r R. apply run_closure_silent; [exact W | intro E; injection E as ->; contradiction | apply Z; now right].
      }
    destruct (closures_congruent G supports l _ F2 F E1 (same_sym _ _ S1)) as (E2 & F' & S2').
    exists E2. split; [now apply (closures_cons _ _ _ _ _ E1) | exact (same_trans _ _ _ (same_sym _ _ S2') S2)].
Qed.

Lemma closures_run_well : forall l D, well_pending D -> well_pending (closures_run l D).
Proof.
  induction l as [| s l IH]; intros D W; [exact W |]. simpl. now apply IH, run_closure_well.
Qed.

Lemma closures_run_silent : forall l D k, well_pending D -> (forall s, In s l -> k <> (s, Closed)) -> silent_at D k ->
  silent_at (closures_run l D) k.
Proof.
  induction l as [| s l IH]; intros D k W N Z; [exact Z |]. simpl. apply IH; [now apply run_closure_well | |].
  - intros r R. apply N. now right.
  - apply run_closure_silent; [exact W | apply N; now left | exact Z].
Qed.

Lemma stratified_once : forall base l, stratified clause_of base l -> NoDup l.
Proof.
  intros base l T. induction T; constructor; assumption.
Qed.

(** The whole: closures of the base symbols, then the pass. *)
Definition maintain_run (base defined : list positive) (D : pending) : pending :=
  forward_run defined (closures_run base D).

(** Which updates are allowed: edges of base symbols. *)
Definition about_edges (base : list positive) (D : pending) : Prop :=
  forall k, silent_at D k \/ (snd k = Once /\ In (fst k) base).

Theorem maintain_refines : forall base defined D, well_pending D -> about_edges base D ->
  promised clause_of G supports defined -> stratified clause_of (fun s => ~ In s defined) defined ->
  NoDup base -> (forall s, In s base -> ~ In s defined) -> (forall s, In s defined -> safe_clause (clause_of s)) ->
  (forall s, ~ In s base -> ~ In s defined -> forall x, G (s, Closed) x = true <-> path (G (s, Once)) x) ->
  exists D', maintained clause_of G supports base defined (change_of D) D' /\
    same D' (change_of (maintain_run base defined D)).
Proof.
  intros base defined D W A P T U Apart Safe Others.
  assert (Z : forall s t, ~ In s base -> silent_at D (s, t)).
  { intros s t N. destruct (A (s, t)) as [Z | [_ B]]; [exact Z | contradiction]. }
  assert (ZC : forall s, silent_at D (s, Closed)).
  { intro s. destruct (A (s, Closed)) as [Q | [E _]]; [exact Q | discriminate E]. }
  destruct (closures_refine base D W U (fun s _ => ZC s)) as (E1 & C & S1).
  pose proof (closures_run_well base D W) as W1.
  destruct (forward_refines defined (closures_run base D) W1 (stratified_once _ _ T) Safe) as (F2 & F & S2).
  { intros s t I. apply (closures_run_silent base D _ W).
    - intros r R E. injection E as -> _. exact (Apart r R I).
    - apply Z. intro B. exact (Apart s B I). }
  destruct (forward_congruent clause_of G supports defined _ F2 F E1 (same_sym _ _ S1)) as (E2 & F' & S2').
  exists E2. split; [| exact (same_trans _ _ _ (same_sym _ _ S2') S2)].
  split; auto.
  - intros s I t x. apply (Z s t). intro B. exact (Apart s B I).
  - intros s N _ t x. exact (Z s t N x).
  - now exists E1.
Qed.

(** The updated graph as a table. *)
Definition applied (D : pending) : table :=
  with_all (added D) (filter (fun f => negb (has (dropped D) f)) (map fst (content old))).

Lemma applied_well : forall D, well_pending D -> well_filed (applied D).
Proof.
  intros D [W _]. now apply with_all_well.
Qed.

Lemma applied_graph : forall D k x, well_pending D -> graph_of (applied D) k x = updated G (change_of D) k x.
Proof.
  intros D k x [WA WD]. apply eq_true_iff_eq. unfold graph_of at 1, applied. rewrite (with_all_has _ _ _ WA), filter_In.
  unfold updated, change_of, G, graph_of. simpl. rewrite orb_true_iff, andb_true_iff.
  rewrite (has_content old _ old_well), in_map_iff. split.
  - intros [H | [([f n] & E & I) N]]; [now right | left]. simpl in E. subst f. split; [now exists n | exact N].
  - intros [[[n I] N] | H]; [right | now left]. split; [now exists (fact_at k x, n) | exact N].
Qed.

Lemma maintain_run_well : forall base defined D, well_pending D -> well_pending (maintain_run base defined D).
Proof.
  intros base defined D W. unfold maintain_run, forward_run. apply (closures_run_well base) in W.
  revert W. generalize (closures_run base D). induction defined as [| s l IH]; intros E W; [exact W |]. simpl.
  now apply IH, run_closure_well, run_clause_well.
Qed.

End Run.

(** ** Sessions: a program that is checked, and a table that is kept up to date *)

Section Session.

Variable clause_of : positive -> clause.

Definition known_symbol (known : list positive) (s : positive) : bool := existsb (Pos.eqb s) known.

Lemma known_symbol_spec : forall known s, known_symbol known s = true <-> In s known.
Proof.
  intros known s. unfold known_symbol. rewrite existsb_exists. split.
  - intros (r & R & E). apply Pos.eqb_eq in E. now subst r.
  - intro I. exists s. split; [exact I | apply Pos.eqb_refl].
Qed.

Definition occurs_in (b : list literal) (t : term) : bool :=
  match t with
  | Cst _ => true
  | Var x => existsb (fun l => existsb (fun u => match u with Var y => Pos.eqb x y | Cst _ => false end) (literal_terms
    l)) b
  end.

Definition is_safe (C : clause) : bool := forallb (fun b => forallb (occurs_in b) (clause_head C)) (clause_bodies C).

Lemma is_safe_spec : forall C, is_safe C = true -> safe_clause C.
Proof.
  intros C H b y B Y. unfold is_safe in H. rewrite forallb_forall in H. specialize (H b B). rewrite forallb_forall in H.
  specialize (H _ Y). simpl in H. apply existsb_exists in H. destruct H as (l & L & H). exists l. split; [exact L |].
  apply existsb_exists in H. destruct H as ([z | c] & I & E); [| discriminate E]. apply Pos.eqb_eq in E. now subst z.
Qed.

(** Clauses are safe and read known symbols only, and each symbol has one clause. *)
Fixpoint is_ordered (known defined : list positive) : bool :=
  match defined with
  | [] => true
  | s :: rest =>
      negb (known_symbol known s) && negb (known_symbol rest s) && is_safe (clause_of s) &&
      forallb (forallb (fun l => known_symbol known (fst (literal_key l)))) (clause_bodies (clause_of s)) &&
      is_ordered (s :: known) rest
  end.

Fixpoint no_repetition (l : list positive) : bool :=
  match l with [] => true | s :: rest => negb (known_symbol rest s) && no_repetition rest end.

Definition is_program (base defined : list positive) : bool := no_repetition base && is_ordered base defined.

Lemma no_repetition_spec : forall l, no_repetition l = true -> NoDup l.
Proof.
  induction l as [| s l IH]; simpl; intro H; constructor; apply andb_true_iff in H; destruct H as [H K]; [| now apply
    IH].
  intro I. apply known_symbol_spec in I. now rewrite I in H.
Qed.

Lemma ordered_safe : forall defined known, is_ordered known defined = true ->
  forall s, In s defined -> safe_clause (clause_of s).
Proof.
  induction defined as [| r l IH]; simpl; intros known H s I; [destruct I |]. rewrite !andb_true_iff in H.
  destruct H as [[[[_ _] S] _] O]. destruct I as [<- | I]; [now apply is_safe_spec | now apply (IH (r :: known))].
Qed.

Lemma ordered_apart : forall defined known, is_ordered known defined = true ->
  forall s, In s known -> ~ In s defined.
Proof.
  induction defined as [| r l IH]; simpl; intros known H s K I; [exact I |]. rewrite !andb_true_iff in H.
  destruct H as [[[[N _] _] _] O]. destruct I as [<- | I].
  - apply known_symbol_spec in K. now rewrite K in N.
  - exact (IH (r :: known) O s (or_intror K) I).
Qed.

Lemma ordered_stratified : forall defined known (P : positive -> Prop), is_ordered known defined = true ->
  (forall s, In s known -> P s) -> (forall s, In s defined -> ~ P s) -> stratified clause_of P defined.
Proof.
  induction defined as [| r l IH]; simpl; intros known P H K N; [apply stratified_nil |]. rewrite !andb_true_iff in H.
  destruct H as [[[[_ U] _] R] O]. assert (NI : ~ In r l).
  { intro I. apply known_symbol_spec in I. now rewrite I in U. }
  apply stratified_cons; [apply N; now left | exact NI | |].
  - intros k (b & c & B & C & <-). rewrite forallb_forall in R. specialize (R b B). rewrite forallb_forall in R.
    apply K, known_symbol_spec, (R c C).
  - apply (IH (r :: known)); [exact O | |].
    + intros s [<- | S]; [now right | left; now apply K].
    + intros s S [Q | ->]; [apply (N s (or_intror S) Q) | contradiction].
Qed.

(** Edges of base symbols, the only facts that an update may name. *)
Definition is_edge (base : list positive) (f : fact) : bool :=
  match relation f with xO s => known_symbol base s | _ => false end.

Definition edges_only (base : list positive) (l : list fact) : table := with_all empty_table (filter (is_edge base) l).

Lemma edges_only_about : forall base plus minus, about_edges base (Pending (edges_only base plus) (edges_only base
  minus)).
Proof.
  intros base plus minus [s t].
  assert (H : forall l x, graph_of (edges_only base l) (s, t) x = true -> t = Once /\ In s base).
  { intros l x E. unfold graph_of, edges_only in E. rewrite (with_all_has _ _ _ empty_well) in E.
    destruct E as [E | E]; [discriminate (eq_trans (eq_sym E) (graph_empty (s, t) x)) |].
    apply filter_In in E. destruct E as [_ E]. unfold is_edge, fact_at, relation_of in E. simpl in E.
    destruct t; [| discriminate E]. split; [reflexivity | now apply known_symbol_spec]. }
  destruct t.
  - destruct (in_dec Pos.eq_dec s base) as [I | N]; [right; now split | left].
    intro x. simpl. split; apply not_true_iff_false; intro E; apply H in E; destruct E; contradiction.
  - left. intro x. simpl. split; apply not_true_iff_false; intro E; apply H in E; destruct E; discriminate.
Qed.

(** What a session keeps: a table that is right, in which symbols that are neither base nor defined have no rows. *)
Record kept_right (base defined : list positive) (t : table) : Prop := KeptRight {
  kept_well : well_filed t;
  kept_promise : forall support, promised clause_of (graph_of t) support defined;
  kept_others : forall s k x, ~ In s base -> ~ In s defined -> graph_of t (s, k) x = false
}.

Definition session (support : key -> bool) (base defined : list positive) (t : table) (plus minus : list fact) : table
  :=
  let D := Pending (edges_only base plus) (edges_only base minus) in
  applied t (maintain_run clause_of t support base defined D).

Definition begins (plus minus : list fact) (base : list positive) (t : table) : graph :=
  updated (graph_of t) (change_of (Pending (edges_only base plus) (edges_only base minus))).

Lemma session_maintained : forall support base defined t plus minus, is_program base defined = true ->
  well_filed t -> promised clause_of (graph_of t) (supports support) defined ->
  (forall s k x, ~ In s base -> ~ In s defined -> graph_of t (s, k) x = false) ->
  exists D', maintained clause_of (graph_of t) (supports support) base defined
      (change_of (Pending (edges_only base plus) (edges_only base minus))) D' /\
    (forall k x, graph_of (session support base defined t plus minus) k x = updated (graph_of t) D' k x).
Proof.
  intros support base defined t plus minus H W P N. unfold is_program in H. apply andb_true_iff in H. destruct H as [U
    O].
  set (D := Pending (edges_only base plus) (edges_only base minus)).
  assert (WD : well_pending D) by (split; apply with_all_well, empty_well).
  destruct (maintain_refines clause_of t support W base defined D WD (edges_only_about base plus minus) P) as (D' & M &
    S).
  - apply (ordered_stratified defined base); [exact O | now apply (ordered_apart defined base) | tauto].
  - now apply no_repetition_spec.
  - now apply (ordered_apart defined base).
  - now apply (ordered_safe defined base).
  - intros s B F x. unfold G. rewrite (N s Closed x B F). split; [discriminate |].
    intros [a b E | a b c E _]; rewrite (N s Once _ B F) in E; discriminate.
  - exists D'. split; [exact M |]. intros k x. unfold session. fold D.
    rewrite (applied_graph t W _ k x) by now apply maintain_run_well. symmetry. now apply same_updated.
Qed.

(** After a run the table is the least model over the new edges, and ready for the next run, with any support. *)
Theorem session_right : forall support base defined t plus minus, is_program base defined = true ->
  well_filed t -> promised clause_of (graph_of t) (supports support) defined ->
  (forall s k x, ~ In s base -> ~ In s defined -> graph_of t (s, k) x = false) ->
  let result := session support base defined t plus minus in
  kept_right base defined result /\
  model_of_edges clause_of (begins plus minus base t) (graph_of result) defined /\
  forall M, model_of_edges clause_of (begins plus minus base t) M defined ->
    forall k x, graph_of result k x = true -> M k x = true.
Proof.
  intros support base defined t plus minus H W P N result.
  destruct (session_maintained support base defined t plus minus H W P N) as (D' & M & E). fold result in E.
  assert (Sym : forall k x, updated (graph_of t) D' k x = graph_of result k x) by (intros; symmetry; apply E).
  destruct (maintain_least_model clause_of _ _ _ _ _ _ M) as [Model Least]. split; [split | split].
  - unfold result, session. apply applied_well, maintain_run_well. split; apply with_all_well, empty_well.
  - intros other. destruct (maintain_keeps_support clause_of _ _ _ _ _ _ M other) as [Rows Closures]. split.
    + intros s I S x. rewrite E, (Rows s I S x). split; apply consequence_same; intros k _ y; auto.
    + intros s S x. rewrite E, (Closures s S x). split; apply path_more; intro y; now rewrite E.
  - intros s k x B F. rewrite E. destruct (maintain_exact clause_of _ _ _ _ _ _ M) as (_ & Closures & Edges).
    assert (Once_no : forall y, updated (graph_of t) D' (s, Once) y = false).
    { intro y. rewrite (Edges s F y). unfold updated.
      destruct (edges_only_about base plus minus (s, Once)) as [Z | [_ I]]; [| contradiction].
      destruct (Z y) as [I X]. simpl in *. rewrite I, X, (N s Once y B F). reflexivity. }
    destruct k; [apply Once_no |]. apply not_true_iff_false. intro T. apply Closures in T.
    destruct T as [a b K | a b c K _]; rewrite Once_no in K; discriminate.
  - destruct Model as (A & B & C). split; [| split].
    + intros s x F K. rewrite E. now apply A.
    + intros s I x K. rewrite E. apply (B s I). revert K. apply consequence_same. intros k _ y. apply E.
    + intros s x K. rewrite E. apply C. revert K. apply path_more. intro y. now rewrite E.
  - intros Q MQ k x K. apply (Least Q MQ). now rewrite Sym.
Qed.

(** The first run computes views: nothing is supported in the empty table. *)
Theorem session_begins : forall base defined plus, is_program base defined = true ->
  kept_right base defined (session (fun _ => false) base defined empty_table plus []).
Proof.
  intros base defined plus H. apply (session_right (fun _ => false) base defined empty_table plus [] H empty_well).
  - split; intros s; [intros _ S | intro S]; discriminate S.
  - intros s k x _ _. apply graph_empty.
Qed.

(** Every later one maintains them. *)
Theorem session_continues : forall support base defined t plus minus, is_program base defined = true ->
  kept_right base defined t -> kept_right base defined (session support base defined t plus minus).
Proof.
  intros support base defined t plus minus H [W P N]. now apply (session_right support base defined t plus minus H W).
Qed.

End Session.
