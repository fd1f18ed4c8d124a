(** The checker: it decides whether a state is a certificate, and names the first violation.

    [check_certified]: it accepts exactly the certified states. [check_perfect_model]: the facts of a state that it
    accepts are exactly the perfect model; without negation and comparisons, this is the least model
    ([check_least_model]). [check_violation]: what it names when it rejects is so, in the sense of
    [violates]; there are no false alarms. These theorems are about the very functions that are extracted. *)

From Coq Require Import PArith NArith List FMapPositive Bool Lia.
From Tidelog Require Import Datalog Certificate Key Matching.
Import ListNotations.

Inductive violation :=
| Unsafe (r : clause) (x : positive)
| Unlayered (r : clause) (a : atom)
| Undecided (r : clause) (a : atom)
| Repeated (f : fact)
| Missing (f : fact)
| Open (r : clause) (h : fact) (premises : list fact)
| Unsupported (h : ranked).

(** What each violation says of the state. *)
Definition violates (s : state) (w : violation) : Prop :=
  match w with
  | Unsafe r x => In r (program s) /\ needs r x /\
      forall a, In a (body r) -> ~ In (Var x) (arguments a)
  | Unlayered r a => In r (program s) /\ In a (body r) /\
      (stratum s (predicate (head r)) < stratum s (predicate a))%N
  | Undecided r a => In r (program s) /\ In a (negated r) /\
      (stratum s (predicate (head r)) <= stratum s (predicate a))%N
  | Repeated f => present s f /\ ~ NoDup (map fst (facts s))
  | Missing f => In f (base s) /\ ~ present s f
  | Open r h premises => In r (program s) /\ ~ present s h /\ (forall g, In g premises -> present s g) /\
      exists v, h = ground v (head r) /\ premises = map (ground v) (body r) /\ admitted (place s) (present s) r v
  | Unsupported h => In h (facts s) /\ ~ In (fst h) (base s) /\ ~ support s h
  end.

Theorem violates_uncertified : forall s w, violates s w -> ~ certified s.
Proof.
  intros s [r x | r a | r a | f | f | r h premises | h] V C; simpl in V.
  - destruct V as (Hr & Hx & N). destruct (all_safe s C r Hr x Hx) as (a & Ha & I). exact (N a Ha I).
  - destruct V as (Hr & Ha & L). pose proof (layered s C r a Hr Ha). lia.
  - destruct V as (Hr & Ha & L). pose proof (decided_before s C r a Hr Ha). lia.
  - apply (proj2 V), C.
  - apply (proj2 V), (based s C), V.
  - destruct V as (Hr & N & P & v & -> & -> & A). apply N, (closed s C); [exact Hr | exact A |].
    intros a Ha. apply P, in_map, Ha.
  - destruct V as (Hh & B & N). destruct (supported s C h Hh); contradiction.
Qed.

(** * Membership *)

Definition fact_key (f : fact) : list positive := by_fact (relation f) (row f).

Definition holds {A : Type} (m : files A) (f : fact) : bool :=
  match found m (fact_key f) with [] => false | _ :: _ => true end.

Lemma holds_found : forall A (m : files A) f, holds m f = true <-> exists x, In x (found m (fact_key f)).
Proof.
  intros A m f. unfold holds. destruct (found m (fact_key f)) as [| x l].
  - split; [discriminate | intros [x []]].
  - split; [intros _; exists x; now left | reflexivity].
Qed.

Lemma fact_key_injective : forall f g, fact_key f = fact_key g -> f = g.
Proof.
  intros [p cs] [q ds] E. unfold fact_key, by_fact in E. simpl in E. congruence.
Qed.

Lemma fact_key_column : forall f p cs i, ~ In (fact_key f) (column_keys p i cs).
Proof.
  intros f p. induction cs as [| c cs IH]; intros i; simpl; [tauto |].
  intros [E | H]; [discriminate E | exact (IH _ H)].
Qed.

Lemma fact_key_keys : forall f h, In (fact_key f) (keys h) <-> fst h = f.
Proof.
  intros f [[p cs] n]. unfold keys. simpl. split.
  - intros [E | [E | H]]; [discriminate E | | now apply fact_key_column in H].
    apply fact_key_injective. exact E.
  - intros <-. right. now left.
Qed.

Lemma holds_present : forall s f, holds (gather keys (facts s)) f = true <-> present s f.
Proof.
  intros s f. rewrite holds_found. unfold present. split.
  - intros ([g n] & H). apply gather_found in H. destruct H as [H K].
    apply fact_key_keys in K. simpl in K. subst g. now exists n.
  - intros [n H]. exists (f, n). apply gather_found. split; [exact H | now apply fact_key_keys].
Qed.

Definition base_keys (f : fact) : list (list positive) := [fact_key f].

Lemma holds_base : forall fs f, holds (gather base_keys fs) f = true <-> In f fs.
Proof.
  intros fs f. rewrite holds_found. split.
  - intros (g & H). apply gather_found in H. destruct H as [H [K | []]].
    apply fact_key_injective in K. now subst g.
  - intro H. exists f. apply gather_found. split; [exact H | now left].
Qed.

(** * Safety *)

Definition is_variable (x : positive) (t : term) : bool :=
  match t with Var y => Pos.eqb x y | Cst _ => false end.

Definition occurs (x : positive) (r : rule) : bool :=
  existsb (fun a => existsb (is_variable x) (arguments a)) (body r).

(** The terms whose variables have to occur in the body. *)
Definition needed (r : clause) : list term :=
  flat_map arguments (head r :: negated r) ++ flat_map (fun t => [left t; right t]) (tests r).

Definition unsafe (r : clause) : option violation :=
  first (fun t =>
      match t with
      | Var x => if occurs x r then None else Some (Unsafe r x)
      | Cst _ => None
      end)
    (needed r).

Lemma occurs_true : forall x r, occurs x r = true <-> exists a, In a (body r) /\ In (Var x) (arguments a).
Proof.
  intros x r. unfold occurs. rewrite existsb_exists.
  assert (I : forall ts, existsb (is_variable x) ts = true <-> In (Var x) ts).
  { intro ts. rewrite existsb_exists. split.
    - intros ([y | c] & H & E); [| discriminate E]. apply Pos.eqb_eq in E. now subst y.
    - intro H. exists (Var x). split; [exact H | apply Pos.eqb_refl]. }
  split; intros (a & Ha & H); exists a; (split; [exact Ha | now apply I]).
Qed.

Lemma needed_needs : forall r x, In (Var x) (needed r) <-> needs r x.
Proof.
  intros r x. unfold needed, needs. rewrite in_app_iff, !in_flat_map.
  split; (intros [H | (t & T & H)]; [now left | right]); exists t; simpl in *; intuition.
Qed.

Lemma unsafe_none : forall r, unsafe r = None -> all_bound r.
Proof.
  intros r E x Hx. apply needed_needs in Hx. apply occurs_true.
  pose proof (first_none _ _ _ _ E _ Hx) as F. simpl in F.
  destruct (occurs x r); [reflexivity | discriminate F].
Qed.

Lemma unsafe_some : forall s r w, In r (program s) -> unsafe r = Some w -> violates s w.
Proof.
  intros s r w Hr E. apply first_some in E. destruct E as ([x | c] & Hx & E); [| discriminate E].
  destruct (occurs x r) eqn:O; [discriminate E |]. injection E as <-.
  split; [exact Hr |]. split; [now apply needed_needs |]. intros a Ha I.
  enough (occurs x r = true) by congruence. apply occurs_true. now exists a.
Qed.

(** * Strata *)

Definition unlayered (stratum : positive -> N) (r : clause) : option violation :=
  first (fun a =>
      if N.leb (stratum (predicate a)) (stratum (predicate (head r))) then None else Some (Unlayered r a))
    (body r).

Lemma unlayered_none : forall st r a, unlayered st r = None -> In a (body r) ->
  (st (predicate a) <= st (predicate (head r)))%N.
Proof.
  intros st r a E Ha. pose proof (first_none _ _ _ _ E _ Ha) as F. simpl in F.
  destruct (N.leb_spec (st (predicate a)) (st (predicate (head r)))) as [L | L]; [exact L | discriminate F].
Qed.

Lemma unlayered_some : forall s r w, In r (program s) -> unlayered (stratum s) r = Some w -> violates s w.
Proof.
  intros s r w Hr E. apply first_some in E. destruct E as (a & Ha & E).
  destruct (N.leb_spec (stratum s (predicate a)) (stratum s (predicate (head r)))) as [L | L]; [discriminate E |].
  injection E as <-. repeat split; assumption.
Qed.

Definition undecided (stratum : positive -> N) (r : clause) : option violation :=
  first (fun a =>
      if N.ltb (stratum (predicate a)) (stratum (predicate (head r))) then None else Some (Undecided r a))
    (negated r).

Lemma undecided_none : forall st r a, undecided st r = None -> In a (negated r) ->
  (st (predicate a) < st (predicate (head r)))%N.
Proof.
  intros st r a E Ha. pose proof (first_none _ _ _ _ E _ Ha) as F. simpl in F.
  destruct (N.ltb_spec (st (predicate a)) (st (predicate (head r)))) as [L | L]; [exact L | discriminate F].
Qed.

Lemma undecided_some : forall s r w, In r (program s) -> undecided (stratum s) r = Some w -> violates s w.
Proof.
  intros s r w Hr E. apply first_some in E. destruct E as (a & Ha & E).
  destruct (N.ltb_spec (stratum s (predicate a)) (stratum s (predicate (head r)))) as [L | L]; [discriminate E |].
  injection E as <-. repeat split; assumption.
Qed.

(** * One rank for each fact *)

Local Arguments code : simpl never.
Local Arguments PositiveMap.mem : simpl never.
Local Arguments PositiveMap.add : simpl never.

Definition facts_seen := PositiveMap.t unit.

Fixpoint repeated (seen : facts_seen) (l : list ranked) : option violation :=
  match l with
  | [] => None
  | (f, _) :: tail =>
      let k := code (fact_key f) in
      if PositiveMap.mem k seen then Some (Repeated f) else repeated (PositiveMap.add k tt seen) tail
  end.

Definition has_seen (seen : facts_seen) (f : fact) : Prop := PositiveMap.find (code (fact_key f)) seen = Some tt.

Lemma mem_has_seen : forall seen f, PositiveMap.mem (code (fact_key f)) seen = true <-> has_seen seen f.
Proof.
  intros seen f. unfold has_seen. rewrite PositiveMap.mem_find.
  destruct (PositiveMap.find (code (fact_key f)) seen) as [[] |]; split; congruence.
Qed.

Lemma has_seen_add : forall seen f g,
  has_seen (PositiveMap.add (code (fact_key f)) tt seen) g <-> has_seen seen g \/ f = g.
Proof.
  intros seen f g. unfold has_seen.
  destruct (Pos.eq_dec (code (fact_key g)) (code (fact_key f))) as [E | N].
  - rewrite E, PositiveMap.gss. apply code_injective, fact_key_injective in E. intuition.
  - rewrite PositiveMap.gso by exact N. split; [now left | intros [H | ->]; [exact H | now destruct N]].
Qed.

Lemma repeated_none : forall l seen, repeated seen l = None ->
  NoDup (map fst l) /\ forall f, In f (map fst l) -> ~ has_seen seen f.
Proof.
  induction l as [| [f n] l IH]; simpl; intros seen E.
  - split; [constructor | intros f []].
  - destruct (PositiveMap.mem (code (fact_key f)) seen) eqn:M; [discriminate E |].
    apply IH in E. destruct E as [D S]. split.
    + constructor; [| exact D]. intro I. apply (S f I), has_seen_add. now right.
    + intros g [<- | I] H.
      * apply mem_has_seen in H. congruence.
      * apply (S g I), has_seen_add. now left.
Qed.

Lemma repeated_some : forall l seen w, repeated seen l = Some w ->
  exists f n, w = Repeated f /\ In (f, n) l /\ (has_seen seen f \/ ~ NoDup (map fst l)).
Proof.
  induction l as [| [f n] l IH]; simpl; intros seen w E; [discriminate E |].
  destruct (PositiveMap.mem (code (fact_key f)) seen) eqn:M.
  - exists f, n. injection E as <-. repeat split; [now left |]. left. now apply mem_has_seen.
  - apply IH in E. destruct E as (g & m & -> & I & H). exists g, m. repeat split; [now right |].
    destruct H as [H | D].
    + apply has_seen_add in H. destruct H as [H | ->]; [now left |].
      right. intro D. inversion D as [| x l' N _]. apply N. now apply (in_map fst) in I.
    + right. intro D'. inversion D'. contradiction.
Qed.

(** * Base facts *)

Definition missing (here : files ranked) (f : fact) : option violation :=
  if holds here f then None else Some (Missing f).

(** * Conditions *)

Definition compare (place : positive -> N) (v : valuation) (t : test) : bool :=
  let (c, d) := (value v (left t), value v (right t)) in
  match compares t with
  | Same => Pos.eqb c d
  | Different => negb (Pos.eqb c d)
  | Less => N.ltb (place c) (place d)
  | AtMost => N.leb (place c) (place d)
  end.

Definition admits (place : positive -> N) (here : files ranked) (r : clause) (v : valuation) : bool :=
  forallb (fun a => negb (holds here (ground v a))) (negated r) && forallb (compare place v) (tests r).

Lemma compare_true : forall place v t, compare place v t = true <-> compared place v t.
Proof.
  intros place v [k l r]. unfold compare, compared. simpl. destruct k.
  - apply Pos.eqb_eq.
  - rewrite negb_true_iff. apply Pos.eqb_neq.
  - apply N.ltb_lt.
  - apply N.leb_le.
Qed.

Lemma admits_true : forall s r v,
  admits (place s) (gather keys (facts s)) r v = true <-> admitted (place s) (present s) r v.
Proof.
  intros s r v. unfold admits, admitted. rewrite andb_true_iff, !forallb_forall.
  split; intros [N T]; split; intros x Hx.
  - intro P. specialize (N x Hx). apply holds_present in P. rewrite P in N. discriminate N.
  - now apply compare_true, T.
  - apply negb_true_iff, not_true_is_false. intro P. apply holds_present in P. exact (N x Hx P).
  - now apply compare_true, T.
Qed.

(** Conditions and head are the same under all valuations that agree on the body's variables. *)
Definition same_on (v w : valuation) (t : term) : Prop := value v t = value w t.

Lemma ground_same : forall v w a, (forall t, In t (arguments a) -> same_on v w t) -> ground v a = ground w a.
Proof.
  intros v w a S. unfold ground. f_equal. now apply map_ext_in.
Qed.

Lemma admitted_same : forall place I r v w, (forall t, In t (needed r) -> same_on v w t) ->
  admitted place I r v -> admitted place I r w.
Proof.
  intros place I r v w S [N T]. unfold needed in S. split.
  - intros a Ha. rewrite <- (ground_same v w); [now apply N |].
    intros t Ht. apply S, in_or_app. left. apply in_flat_map. exists a. split; [now right | exact Ht].
  - intros t Ht. specialize (T t Ht). unfold compared in *.
    assert (L : value v (left t) = value w (left t) /\ value v (right t) = value w (right t)).
    { split; apply S, in_or_app; right; apply in_flat_map; exists t; simpl; intuition. }
    destruct L as [-> ->] in T. exact T.
Qed.

(** * Closure *)

Definition everything (h : ranked) : bool := true.

Definition open_head (place : positive -> N) (here : files ranked) (r : clause) (s : substitution)
  : option violation :=
  let v := valued s in
  let h := ground v (head r) in
  if holds here h then None
  else if admits place here r v then Some (Open r h (map (ground v) (body r))) else None.

Definition open (place : positive -> N) (here : files ranked) (r : clause) : option violation :=
  search here everything (open_head place here r) (body r) nothing.

Lemma valued_same : forall r s v, all_bound r -> agrees s v ->
  (forall a x, In a (body r) -> In (Var x) (arguments a) -> bound s x) ->
  forall t, In t (needed r) -> same_on (valued s) v t.
Proof.
  intros r s v S A B [x | c] I; [| reflexivity]. apply bound_value; [exact A |].
  apply needed_needs in I. destruct (S x I) as (a & Ha & Hx). now apply (B a).
Qed.

Lemma head_needed : forall (r : clause) t, In t (arguments (head r)) -> In t (needed r).
Proof.
  intros r t H. apply in_or_app. left. apply in_flat_map. exists (head r). split; [now left | exact H].
Qed.

Lemma open_none : forall s r, all_bound r -> open (place s) (gather keys (facts s)) r = None ->
  forall v, admitted (place s) (present s) r v ->
  (forall a, In a (body r) -> present s (ground v a)) -> present s (ground v (head r)).
Proof.
  intros s r S E v A H.
  destruct (search_none _ _ _ _ (facts s) eq_refl _ _ E v (agrees_nothing v)) as (t & T & V & _ & B).
  - intros a Ha. destruct (H a Ha) as [n Hn]. now exists n.
  - pose proof (valued_same r t v S V B) as W. unfold open_head in T.
    rewrite <- (ground_same (valued t) v); [| intros u Hu; now apply W, head_needed].
    destruct (holds (gather keys (facts s)) (ground (valued t) (head r))) eqn:P; [now apply holds_present |].
    assert (Q : admits (place s) (gather keys (facts s)) r (valued t) = true).
    { apply admits_true. apply (admitted_same _ _ _ v); [| exact A]. intros u Hu. symmetry. now apply W. }
    rewrite Q in T. discriminate T.
Qed.

Lemma open_some : forall s r w, In r (program s) -> open (place s) (gather keys (facts s)) r = Some w -> violates s w.
Proof.
  intros s r w Hr E. destruct (search_some _ _ _ _ (facts s) eq_refl _ _ _ E) as (t & T & H).
  destruct (H (valued t) (agrees_valued t)) as [_ K]. unfold open_head in T.
  destruct (holds (gather keys (facts s)) (ground (valued t) (head r))) eqn:P; [discriminate T |].
  destruct (admits (place s) (gather keys (facts s)) r (valued t)) eqn:Q; [| discriminate T].
  injection T as <-. simpl. split; [exact Hr |]. split.
  - intro I. apply holds_present in I. congruence.
  - split; [| exists (valued t); split; [reflexivity | split; [reflexivity | now apply admits_true]]].
    intros g Hg. apply in_map_iff in Hg. destruct Hg as (a & <- & Ha).
    destruct (K a Ha) as (n & Hn & _). now exists n.
Qed.

(** * Supports *)

Definition is_lower (stratum : positive -> N) (h g : ranked) : bool :=
  let (i, j) := (stratum (relation (fst g)), stratum (relation (fst h))) in
  N.ltb i j || (N.eqb i j && N.ltb (snd g) (snd h)).

Lemma is_lower_true : forall s h g, is_lower (stratum s) h g = true <-> lower s g h.
Proof.
  intros s h g. unfold is_lower, lower. rewrite orb_true_iff, andb_true_iff, !N.ltb_lt, N.eqb_eq. reflexivity.
Qed.

Definition support_by (s : state) (here : files ranked) (h : ranked) (r : clause) : option unit :=
  match match_fact nothing (head r) (fst h) with
  | Some t => search here (is_lower (stratum s) h)
      (fun t => if admits (place s) here r (valued t) then Some tt else None) (body r) t
  | None => None
  end.

Definition unsupported (s : state) (here : files ranked) (given : files fact) (h : ranked) : option violation :=
  if holds given (fst h) then None
  else match first (support_by s here h) (program s) with
       | Some _ => None
       | None => Some (Unsupported h)
       end.

Lemma support_by_some : forall s h,
  first (support_by s (gather keys (facts s)) h) (program s) = Some tt -> support s h.
Proof.
  intros s h E. apply first_some in E. destruct E as (r & Hr & E). unfold support_by in E.
  destruct (match_fact nothing (head r) (fst h)) as [t |] eqn:M; [| discriminate E].
  apply match_fact_some in M. destruct M as [M _].
  destruct (search_some _ _ _ _ (facts s) eq_refl _ _ _ E) as (t' & T & H).
  destruct (H (valued t') (agrees_valued t')) as [A K].
  destruct (admits (place s) (gather keys (facts s)) r (valued t')) eqn:Q; [| discriminate T].
  exists r, (valued t'). split; [exact Hr |]. split; [now apply M |]. split; [now apply admits_true |].
  intros a Ha. destruct (K a Ha) as (n & Hn & L). exists n. split; [exact Hn | now apply is_lower_true].
Qed.

Lemma support_by_none : forall s h, (forall r, In r (program s) -> all_bound r) ->
  first (support_by s (gather keys (facts s)) h) (program s) = None -> ~ support s h.
Proof.
  intros s h S E (r & v & Hr & G & A & H). pose proof (first_none _ _ _ _ E _ Hr) as F. unfold support_by in F.
  destruct (match_fact nothing (head r) (fst h)) as [t |] eqn:M.
  - apply match_fact_some in M. destruct M as [M _].
    destruct (search_none _ _ _ _ (facts s) eq_refl _ _ F v) as (t' & T & V & _ & B).
    + apply M. split; [apply agrees_nothing | exact G].
    + intros a Ha. destruct (H a Ha) as (n & Hn & L). exists n. split; [exact Hn | now apply is_lower_true].
    + assert (Q : admits (place s) (gather keys (facts s)) r (valued t') = true).
      { apply admits_true. apply (admitted_same _ _ _ v); [| exact A].
        intros u Hu. symmetry. exact (valued_same r t' v (S r Hr) V B u Hu). }
      rewrite Q in T. discriminate T.
  - exact (match_fact_none _ _ _ M v (agrees_nothing v) G).
Qed.

(** * All of it *)

Definition or_else (a : option violation) (b : unit -> option violation) : option violation :=
  match a with Some w => Some w | None => b tt end.

(** None: accepted. *)
Definition check (s : state) : option violation :=
  let here := gather keys (facts s) in
  let given := gather base_keys (base s) in
  or_else (first unsafe (program s)) (fun _ =>
  or_else (first (unlayered (stratum s)) (program s)) (fun _ =>
  or_else (first (undecided (stratum s)) (program s)) (fun _ =>
  or_else (repeated (PositiveMap.empty unit) (facts s)) (fun _ =>
  or_else (first (missing here) (base s)) (fun _ =>
  or_else (first (open (place s) here) (program s)) (fun _ =>
  first (unsupported s here given) (facts s))))))).

Theorem check_none : forall s, check s = None -> certified s.
Proof.
  intros s E. unfold check, or_else in E.
  destruct (first unsafe (program s)) eqn:E1; [discriminate E |].
  destruct (first (unlayered (stratum s)) (program s)) eqn:E2; [discriminate E |].
  destruct (first (undecided (stratum s)) (program s)) eqn:E2'; [discriminate E |].
  destruct (repeated (PositiveMap.empty unit) (facts s)) eqn:E3; [discriminate E |].
  destruct (first (missing (gather keys (facts s))) (base s)) eqn:E4; [discriminate E |].
  destruct (first (open (place s) (gather keys (facts s))) (program s)) eqn:E5; [discriminate E |].
  assert (S : forall r, In r (program s) -> all_bound r).
  { intros r Hr. apply unsafe_none. exact (first_none _ _ _ _ E1 _ Hr). }
  constructor.
  - exact S.
  - intros r a Hr Ha. exact (unlayered_none _ _ _ (first_none _ _ _ _ E2 _ Hr) Ha).
  - intros r a Hr Ha. exact (undecided_none _ _ _ (first_none _ _ _ _ E2' _ Hr) Ha).
  - exact (proj1 (repeated_none _ _ E3)).
  - intros f Hf. apply holds_present. pose proof (first_none _ _ _ _ E4 _ Hf) as F. unfold missing in F.
    destruct (holds (gather keys (facts s)) f); [reflexivity | discriminate F].
  - intros r v Hr. exact (open_none s r (S r Hr) (first_none _ _ _ _ E5 _ Hr) v).
  - intros h Hh. pose proof (first_none _ _ _ _ E _ Hh) as F. unfold unsupported in F.
    destruct (holds (gather base_keys (base s)) (fst h)) eqn:B; [left; now apply holds_base |].
    right. apply support_by_some.
    destruct (first (support_by s (gather keys (facts s)) h) (program s)) as [[] |];
      [reflexivity | discriminate F].
Qed.

Theorem check_violation : forall s w, check s = Some w -> violates s w.
Proof.
  intros s w E. unfold check, or_else in E.
  destruct (first unsafe (program s)) eqn:E1.
  { injection E as ->. apply first_some in E1. destruct E1 as (r & Hr & E1). exact (unsafe_some s r w Hr E1). }
  destruct (first (unlayered (stratum s)) (program s)) eqn:E2.
  { injection E as ->. apply first_some in E2. destruct E2 as (r & Hr & E2). exact (unlayered_some s r w Hr E2). }
  destruct (first (undecided (stratum s)) (program s)) eqn:E2'.
  { injection E as ->. apply first_some in E2'. destruct E2' as (r & Hr & E2'). exact (undecided_some s r w Hr E2'). }
  destruct (repeated (PositiveMap.empty unit) (facts s)) eqn:E3.
  { injection E as ->. apply repeated_some in E3. destruct E3 as (f & n & -> & I & [H | H]).
    - unfold has_seen in H. now rewrite PositiveMap.gempty in H.
    - split; [now exists n | exact H]. }
  destruct (first (missing (gather keys (facts s))) (base s)) eqn:E4.
  { injection E as ->. apply first_some in E4. destruct E4 as (f & Hf & E4). unfold missing in E4.
    destruct (holds (gather keys (facts s)) f) eqn:P; [discriminate E4 |]. injection E4 as <-.
    split; [exact Hf |]. intro Q. apply holds_present in Q. congruence. }
  destruct (first (open (place s) (gather keys (facts s))) (program s)) eqn:E5.
  { injection E as ->. apply first_some in E5. destruct E5 as (r & Hr & E5). exact (open_some s r w Hr E5). }
  apply first_some in E. destruct E as (h & Hh & E). unfold unsupported in E.
  destruct (holds (gather base_keys (base s)) (fst h)) eqn:B; [discriminate E |].
  destruct (first (support_by s (gather keys (facts s)) h) (program s)) eqn:F; [discriminate E |].
  injection E as <-. split; [exact Hh |].
  split; [| apply support_by_none; [intros r Hr; exact (unsafe_none _ (first_none _ _ _ _ E1 _ Hr)) | exact F]].
  intro I. apply holds_base in I. congruence.
Qed.

(** The checker is a decision procedure for certificates. *)
Theorem check_certified : forall s, check s = None <-> certified s.
Proof.
  intro s. split; [apply check_none |]. intro C.
  destruct (check s) as [w |] eqn:E; [| reflexivity].
  exfalso. exact (violates_uncertified s w (check_violation s w E) C).
Qed.

(** What an accepted state is worth: its facts are exactly the perfect model. *)
Theorem check_perfect_model : forall s, check s = None ->
  perfect_model (program s) (base s) (stratum s) (place s) (fun f => exists n, In (f, n) (facts s)).
Proof.
  intros s E. exact (certified_perfect_model s (check_none s E)).
Qed.

Theorem check_least_model : forall s, check s = None -> (forall r, In r (program s) -> unconditional r) ->
  forall f, (exists n, In (f, n) (facts s)) <-> least_model (map core (program s)) (base s) f.
Proof.
  intros s E. exact (certified_least_model s (check_none s E)).
Qed.

(** * The way in: strata and the order of constants as lists *)

Definition number_of (l : list (positive * N)) : positive -> N :=
  let m := fold_left (fun m e => PositiveMap.add (fst e) (snd e) m) l (PositiveMap.empty N) in
  fun p => match PositiveMap.find p m with Some n => n | None => 0%N end.
