(** Matching of a rule's body with the facts of a list: the search behind both tests of the checker.

    A substitution is a partial valuation; matching an atom with a fact extends it to exactly those valuations that
    make the atom that fact ([match_row_spec]). [search] goes through all matches of a body and stops at the first
    for which its test finds something. It is exhaustive ([search_none]) and faithful ([search_some]).

    Facts are filed under their relation, under each column's value, and under the whole fact, so that an atom is
    compared with few of them. The files decide how fast the search is, never what it finds. *)

From Coq Require Import PArith NArith List FMapPositive Bool.
From Tidelog Require Import Datalog Certificate Key.
Import ListNotations.

(** * The first of a list *)

Fixpoint first {A B : Type} (f : A -> option B) (l : list A) : option B :=
  match l with
  | [] => None
  | x :: tail => match f x with Some y => Some y | None => first f tail end
  end.

Lemma first_none : forall A B (f : A -> option B) l, first f l = None -> forall x, In x l -> f x = None.
Proof.
  induction l as [| x l IH]; simpl; intros E y []; destruct (f x) eqn:F; try discriminate E.
  - now subst.
  - now apply IH.
Qed.

Lemma first_some : forall A B (f : A -> option B) l y, first f l = Some y -> exists x, In x l /\ f x = Some y.
Proof.
  induction l as [| x l IH]; simpl; intros y E; [discriminate E |].
  destruct (f x) eqn:F.
  - exists x. split; [now left | congruence].
  - destruct (IH y E) as (z & Hz & Fz). exists z. split; [now right | exact Fz].
Qed.

(** * Substitutions *)

Definition substitution := PositiveMap.t positive.

Definition nothing : substitution := PositiveMap.empty positive.

Definition agrees (s : substitution) (v : valuation) : Prop :=
  forall x c, PositiveMap.find x s = Some c -> v x = c.

Definition bound (s : substitution) (x : positive) : Prop := PositiveMap.find x s <> None.

(** The valuation that a substitution stands for; what it leaves open is of no account. *)
Definition valued (s : substitution) : valuation :=
  fun x => match PositiveMap.find x s with Some c => c | None => xH end.

Lemma agrees_nothing : forall v, agrees nothing v.
Proof.
  intros v x c E. unfold nothing in E. now rewrite PositiveMap.gempty in E.
Qed.

Lemma agrees_valued : forall s, agrees s (valued s).
Proof.
  intros s x c E. unfold valued. now rewrite E.
Qed.

Lemma bound_value : forall s v x, agrees s v -> bound s x -> valued s x = v x.
Proof.
  intros s v x A B. unfold valued, bound in *. destruct (PositiveMap.find x s) eqn:E; [| congruence].
  symmetry. now apply A.
Qed.

Lemma agrees_add : forall s v x c, PositiveMap.find x s = None ->
  (agrees (PositiveMap.add x c s) v <-> agrees s v /\ v x = c).
Proof.
  intros s v x c N. split.
  - intro A. split; [| apply A, PositiveMap.gss].
    intros y d E. apply A. rewrite PositiveMap.gso; [exact E | congruence].
  - intros [A V] y d E. destruct (Pos.eq_dec y x) as [-> | D].
    + rewrite PositiveMap.gss in E. congruence.
    + rewrite PositiveMap.gso in E by exact D. now apply A.
Qed.

(** * Matching *)

Definition known (s : substitution) (t : term) : option positive :=
  match t with Var x => PositiveMap.find x s | Cst c => Some c end.

Definition match_term (s : substitution) (t : term) (c : positive) : option substitution :=
  match known s t with
  | Some d => if Pos.eqb c d then Some s else None
  | None => match t with Var x => Some (PositiveMap.add x c s) | Cst _ => None end
  end.

Fixpoint match_row (s : substitution) (ts : list term) (cs : list positive) : option substitution :=
  match ts, cs with
  | [], [] => Some s
  | t :: ts', c :: cs' => match match_term s t c with Some s' => match_row s' ts' cs' | None => None end
  | _, _ => None
  end.

Definition match_fact (s : substitution) (a : atom) (f : fact) : option substitution :=
  if Pos.eqb (predicate a) (relation f) then match_row s (arguments a) (row f) else None.

Lemma known_value : forall s v t c, agrees s v -> known s t = Some c -> value v t = c.
Proof.
  intros s v [x | d] c A E; simpl in *; [now apply A | congruence].
Qed.

Lemma match_term_spec : forall s t c,
  match match_term s t c with
  | Some s' => (forall v, agrees s' v <-> agrees s v /\ value v t = c) /\
               (forall x, bound s x \/ t = Var x -> bound s' x)
  | None => forall v, agrees s v -> value v t <> c
  end.
Proof.
  intros s t c. unfold match_term. destruct (known s t) as [d |] eqn:K.
  - destruct (Pos.eqb_spec c d) as [-> | N].
    + split.
      * intro v. split; [intro A; split; [exact A | now apply (known_value s)] | now intros [A _]].
      * intros x [B | ->]; [exact B |]. unfold bound. simpl in K. congruence.
    + intros v A E. apply N. rewrite <- E. now apply (known_value s).
  - destruct t as [x | d]; simpl in K; [| discriminate K].
    split.
    + intro v. now apply agrees_add.
    + intros y B. unfold bound. destruct (Pos.eq_dec y x) as [-> | D].
      * rewrite PositiveMap.gss. discriminate.
      * rewrite PositiveMap.gso by exact D. destruct B as [B | E]; [exact B | congruence].
Qed.

Lemma match_row_spec : forall ts s cs,
  match match_row s ts cs with
  | Some s' => (forall v, agrees s' v <-> agrees s v /\ map (value v) ts = cs) /\
               (forall x, bound s x \/ In (Var x) ts -> bound s' x)
  | None => forall v, agrees s v -> map (value v) ts <> cs
  end.
Proof.
  induction ts as [| t ts IH]; intros s [| c cs]; simpl.
  - split; [intro v; intuition | intros x [B | []]; exact B].
  - discriminate.
  - discriminate.
  - pose proof (match_term_spec s t c) as T. destruct (match_term s t c) as [s1 |].
    + destruct T as [T1 T2]. specialize (IH s1 cs). destruct (match_row s1 ts cs) as [s2 |].
      * destruct IH as [R1 R2]. split.
        -- intro v. rewrite R1, T1. split; [intros [[A <-] <-] | intros [A E]; injection E]; auto.
        -- intros x [B | [E | I]]; apply R2; auto.
      * intros v A E. injection E as E1 E2. apply (IH v); [now apply T1 | exact E2].
    + intros v A E. injection E as E1 _. exact (T v A E1).
Qed.

Lemma match_fact_some : forall s a f s', match_fact s a f = Some s' ->
  (forall v, agrees s' v <-> agrees s v /\ ground v a = f) /\
  (forall x, bound s x \/ In (Var x) (arguments a) -> bound s' x).
Proof.
  intros s a [p cs] s' E. unfold match_fact in E. simpl in E.
  destruct (Pos.eqb_spec (predicate a) p) as [<- | N]; [| discriminate E].
  pose proof (match_row_spec (arguments a) s cs) as M. rewrite E in M. destruct M as [M1 M2].
  split; [| exact M2]. intro v. rewrite M1. unfold ground. intuition congruence.
Qed.

Lemma match_fact_none : forall s a f, match_fact s a f = None -> forall v, agrees s v -> ground v a <> f.
Proof.
  intros s a f E v A <-. unfold match_fact in E. simpl in E. rewrite Pos.eqb_refl in E.
  pose proof (match_row_spec (arguments a) s (map (value v) (arguments a))) as M. rewrite E in M.
  exact (M v A eq_refl).
Qed.

(** * Files of facts *)

Definition by_relation (p : positive) : list positive := [1; p]%positive.
Definition by_column (p i c : positive) : list positive := [2; p; i; c]%positive.
Definition by_fact (p : positive) (cs : list positive) : list positive := (3 :: p :: cs)%positive.

Fixpoint column_keys (p i : positive) (cs : list positive) : list (list positive) :=
  match cs with
  | [] => []
  | c :: tail => by_column p i c :: column_keys p (Pos.succ i) tail
  end.

Definition keys (h : ranked) : list (list positive) :=
  let (p, cs) := fst h in by_relation p :: by_fact p cs :: column_keys p 1 cs.

(** All arguments, if all are known. *)
Fixpoint known_row (s : substitution) (ts : list term) : option (list positive) :=
  match ts with
  | [] => Some []
  | t :: tail =>
      match known s t with
      | Some c => match known_row s tail with Some cs => Some (c :: cs) | None => None end
      | None => None
      end
  end.

(** The first column whose value is known. *)
Fixpoint known_column (s : substitution) (i : positive) (ts : list term) : option (positive * positive) :=
  match ts with
  | [] => None
  | t :: tail => match known s t with Some c => Some (i, c) | None => known_column s (Pos.succ i) tail end
  end.

Definition best_key (s : substitution) (a : atom) : list positive :=
  match known_row s (arguments a) with
  | Some cs => by_fact (predicate a) cs
  | None =>
      match known_column s 1 (arguments a) with
      | Some (i, c) => by_column (predicate a) i c
      | None => by_relation (predicate a)
      end
  end.

Lemma known_row_value : forall s v ts cs, agrees s v -> known_row s ts = Some cs -> map (value v) ts = cs.
Proof.
  intros s v ts. induction ts as [| t ts IH]; simpl; intros cs A E; [congruence |].
  destruct (known s t) as [c |] eqn:K; [| discriminate E].
  destruct (known_row s ts) as [tail |]; [| discriminate E].
  injection E as <-. f_equal; [now apply (known_value s) | now apply IH].
Qed.

Lemma known_column_key : forall s v p ts i j c, agrees s v -> known_column s i ts = Some (j, c) ->
  In (by_column p j c) (column_keys p i (map (value v) ts)).
Proof.
  intros s v p ts. induction ts as [| t ts IH]; simpl; intros i j c A E; [discriminate E |].
  destruct (known s t) as [d |] eqn:K.
  - injection E as <- <-. left. now rewrite (known_value s v t d A K).
  - right. now apply IH.
Qed.

Lemma best_key_keys : forall s v a n, agrees s v -> In (best_key s a) (keys (ground v a, n)).
Proof.
  intros s v a n A. unfold best_key, keys, ground. simpl.
  destruct (known_row s (arguments a)) as [cs |] eqn:R.
  - right. left. now rewrite (known_row_value s v _ _ A R).
  - destruct (known_column s 1 (arguments a)) as [[i c] |] eqn:K; [| now left].
    right. right. now apply (known_column_key s).
Qed.

(** * The search *)

Section Search.

Variable filed : files ranked.
Variable keep : ranked -> bool.
Variable A : Type.
Variable test : substitution -> option A.

Fixpoint search (atoms : list atom) (s : substitution) : option A :=
  match atoms with
  | [] => test s
  | a :: rest =>
      first (fun h =>
          if keep h
          then match match_fact s a (fst h) with Some s' => search rest s' | None => None end
          else None)
        (found filed (best_key s a))
  end.

Variable here : list ranked.
Hypothesis filed_here : filed = gather keys here.

Definition kept (f : fact) : Prop := exists n, In (f, n) here /\ keep (f, n) = true.

Lemma search_none : forall atoms s, search atoms s = None ->
  forall v, agrees s v -> (forall a, In a atoms -> kept (ground v a)) ->
  exists s', test s' = None /\ agrees s' v /\ (forall x, bound s x -> bound s' x) /\
    (forall a x, In a atoms -> In (Var x) (arguments a) -> bound s' x).
Proof.
  induction atoms as [| a atoms IH]; simpl; intros s E v V H.
  - exists s. repeat split; auto. intros a x [].
  - destruct (H a (or_introl eq_refl)) as (n & Hn & Kn).
    assert (F : In (ground v a, n) (found filed (best_key s a))).
    { rewrite filed_here. apply gather_found. split; [exact Hn | now apply best_key_keys]. }
    pose proof (first_none _ _ _ _ E _ F) as G. simpl in G. rewrite Kn in G.
    destruct (match_fact s a (ground v a)) as [s1 |] eqn:M.
    + apply match_fact_some in M. destruct M as [M1 M2].
      destruct (IH s1 G v) as (s2 & T & V2 & B1 & B2).
      * apply M1. auto.
      * intros b Hb. apply H. now right.
      * exists s2. repeat split; auto.
        intros b x [<- | Hb] I; [auto | now apply (B2 b)].
    + exfalso. exact (match_fact_none _ _ _ M v V eq_refl).
Qed.

Lemma search_some : forall atoms s y, search atoms s = Some y ->
  exists s', test s' = Some y /\
    forall v, agrees s' v -> agrees s v /\ forall a, In a atoms -> kept (ground v a).
Proof.
  induction atoms as [| a atoms IH]; simpl; intros s y E.
  - exists s. split; [exact E |]. intros v V. split; [exact V |]. intros a [].
  - apply first_some in E. destruct E as ([f n] & F & G). simpl in G.
    destruct (keep (f, n)) eqn:K; [| discriminate G].
    destruct (match_fact s a f) as [s1 |] eqn:M; [| discriminate G].
    apply match_fact_some in M. destruct M as [M1 _].
    destruct (IH s1 y G) as (s2 & T & H). exists s2. split; [exact T |].
    intros v V. destruct (H v V) as [V1 K1]. apply M1 in V1. destruct V1 as [V0 Gr].
    split; [exact V0 |]. intros b [<- | Hb]; [| now apply K1].
    rewrite filed_here in F. apply gather_found in F. exists n. rewrite Gr. tauto.
Qed.

End Search.

Arguments search filed keep {A}.
