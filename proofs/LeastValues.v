(** Least values in recursion: candidates, which of them are exposed, values that were improved upon, and clean-up.

    A candidate is a fact of a group with a value. Rules read what is exposed, [Shown g v], and carried facts, which
    have a value but no group (the columns of a path and its cost, say). A value is exposed by a separate rule,
    [exposure g v], that reads the candidate: to expose it is to gain this rule, and clean-up loses the rules of the
    values that were improved upon. So an epoch with least values is two epochs of Epoch.v (or of Rounds.v), up to the clean-up and
    the clean-up itself, and I1 and I2 hold after each. Here is what follows from that:

    - If in every group a value at least as good as each present candidate is exposed, perhaps among others, then the
      best exposed values are the least values of all derivations ([best_least]).
    - If only these remain exposed, each of them is present again: clean-up restores every group
      ([cleanup_restores]), and what is exposed are exactly the least values ([cleaned_exact]).

    The conditions are those that the checker imposes: from better values, rules derive values at least as good
    ([monotone]), and no rule derives a value better than one that it reads ([modest]). Greatest values are least ones
    in the opposite order. *)

From Coq Require Import List Wellfounded Arith Lia.
From Tidelog Require Import Ranked Epoch.
Import ListNotations.

Section LeastValues.

Variable group value carrier : Type.

Inductive fact :=
| Candidate (g : group) (v : value)
| Shown (g : group) (v : value)
| Carried (c : carrier) (v : value).

Variable fact_dec : forall f g : fact, {f = g} + {f <> g}.

(** At least as good. *)
Variable le : value -> value -> Prop.
Hypothesis le_refl : forall v, le v v.
Hypothesis le_trans : forall u v w, le u v -> le v w -> le u w.
Hypothesis le_antisym : forall u v, le u v -> le v u -> u = v.

Definition lt (u v : value) : Prop := le u v /\ u <> v.

Notation support := (support fact).
Notation state := (state fact).
Notation I1 := (I1 fact fact_dec).
Notation I2 := (I2 fact fact_dec).

Definition exposure (g : group) (v : value) : support := Support (Shown g v) [Candidate g v].

(** The ground rules of the stratum, of which there may be infinitely many. They read exposed values and carried facts,
    and derive candidates and carried facts. *)
Variable R : support -> Prop.
Hypothesis reads_shown : forall r g v, R r -> ~ In (Candidate g v) (needs r).
Hypothesis derives_candidates : forall r g v, R r -> gives r <> Shown g v.

(** ** What the program means: the least values of all derivations *)

Definition meant (f : fact) : fact := match f with Shown g v => Candidate g v | _ => f end.

Definition derivable (f : fact) : Prop :=
  forall I : fact -> Prop, (forall r, R r -> (forall x, In x (needs r) -> I (meant x)) -> I (gives r)) -> I f.

Definition least (g : group) (v : value) : Prop :=
  derivable (Candidate g v) /\ forall w, derivable (Candidate g w) -> le v w.

Lemma derivable_rule : forall r, R r -> (forall x, In x (needs r) -> derivable (meant x)) -> derivable (gives r).
Proof.
  intros r H B I M. apply M; [exact H |]. intros x X. now apply (B x X).
Qed.

Lemma meant_gives : forall r, R r -> meant (gives r) = gives r.
Proof.
  intros r H. pose proof (derives_candidates r) as D. destruct (gives r) as [g v | g v | c v] eqn:E; try reflexivity.
  now destruct (D g v H).
Qed.

(** ** The conditions on rules *)

Definition as_good (f h : fact) : Prop :=
  match f, h with
  | Candidate g v, Candidate k w | Shown g v, Shown k w => g = k /\ le v w
  | Carried c v, Carried d w => c = d /\ le v w
  | _, _ => False
  end.

Definition monotone : Prop := forall r, R r -> forall body, Forall2 as_good body (needs r) ->
  exists r', R r' /\ incl (needs r') body /\ as_good (gives r') (gives r).

Definition value_of (f : fact) : value := match f with Candidate _ v | Shown _ v | Carried _ v => v end.

Definition modest : Prop := forall r, R r -> forall x, In x (needs r) -> le (value_of x) (value_of (gives r)).

(** A body of facts that are as good, if there is one for each fact. *)
Lemma better_body : forall (P : fact -> Prop) l, (forall x, In x l -> exists y, as_good y x /\ P y) ->
  exists body, Forall2 as_good body l /\ forall y, In y body -> P y.
Proof.
  intros P l. induction l as [| x l IH]; intro H.
  - exists []. split; [constructor | intros y []].
  - destruct (H x (or_introl eq_refl)) as (y & Y & Py). destruct IH as (body & F & B).
    + intros z Z. apply H. now right.
    + exists (y :: body). split; [now constructor |]. intros z [<- | Z]; auto.
Qed.

(** ** The state in which improved values are still visible *)

Section Visible.

Variable s : state.
Hypothesis counted : I1 s.
Hypothesis founded : I2 s.

(** Its rules: those of the program over what is present, and exposures. *)
Hypothesis only : forall r, In r (rules s) -> R r \/ exists g v, r = exposure g v.
Hypothesis every : forall r, R r -> (forall f, In f (needs r) -> present s f = true) -> In r (rules s).

(** In every group, a value at least as good as each candidate is exposed. *)
Hypothesis best_exposed : forall g v, present s (Candidate g v) = true ->
  exists w, le w v /\ present s (Shown g w) = true.

(** Nothing is present that cannot be derived: by the ranks. *)
Lemma present_derivable : forall f, present s f = true -> derivable (meant f).
Proof.
  intros f P. apply (present_least fact fact_dec s founded f P (fun f => derivable (meant f))).
  intros r K B. destruct (only r K) as [H | (g & v & ->)].
  - rewrite meant_gives by exact H. now apply derivable_rule.
  - exact (B (Candidate g v) (or_introl eq_refl)).
Qed.

Lemma present_rule : forall r, R r -> (forall f, In f (needs r) -> present s f = true) -> present s (gives r) = true.
Proof.
  intros r H B. exact (present_model fact fact_dec s counted r (every r H B) B).
Qed.

(** For everything that can be derived, something as good is present: by the counts. *)
Definition reached (f : fact) : Prop := exists h, as_good h f /\ present s h = true.

Lemma derivable_reached : monotone -> forall f, derivable f -> reached f.
Proof.
  intros Mono f D. apply D. intros r H B.
  destruct (better_body (fun y => present s y = true) (needs r)) as (body & F & P).
  - intros x X. pose proof (B x X) as (y & Y & Py). destruct x as [g v | g v | c v]; simpl in Y.
    + now destruct (reads_shown r g v H).
    + destruct y as [k w | k w | c w]; try contradiction. destruct Y as [-> L].
      destruct (best_exposed g w Py) as (u & K & U). exists (Shown g u). split; [| exact U].
      split; [reflexivity | now apply (le_trans u w v)].
    + exists y. now split.
  - destruct (Mono r H body F) as (r' & H' & Inc & G). exists (gives r'). split; [exact G |].
    apply present_rule; [exact H' |]. intros f' I. now apply P, Inc.
Qed.

Lemma candidate_reached : monotone -> forall g v, derivable (Candidate g v) ->
  exists w, le w v /\ present s (Shown g w) = true.
Proof.
  intros Mono g v D. destruct (derivable_reached Mono _ D) as ([k w | k w | c w] & G & P); try contradiction.
  destruct G as [-> L]. destruct (best_exposed g w P) as (u & K & U). exists u.
  split; [now apply (le_trans u w v) | exact U].
Qed.

Theorem best_least : monotone -> forall g v,
  (present s (Shown g v) = true /\ forall w, present s (Shown g w) = true -> le v w) <-> least g v.
Proof.
  intros Mono g v. split.
  - intros [P B]. split; [exact (present_derivable _ P) |]. intros w D.
    destruct (candidate_reached Mono g w D) as (u & L & U). apply (le_trans v u w); [now apply B | exact L].
  - intros [D B]. destruct (candidate_reached Mono g v D) as (u & L & U).
    assert (E : u = v) by (apply le_antisym; [exact L | exact (B u (present_derivable _ U))]). subst u.
    split; [exact U |]. intros x X. exact (B x (present_derivable _ X)).
Qed.

End Visible.

(** ** Clean-up *)

(** What can be derived if only least values are exposed. *)
Definition settled (f : fact) : Prop := forall I : fact -> Prop,
  (forall r, R r -> (forall x, In x (needs r) -> I x) -> I (gives r)) ->
  (forall g v, least g v -> I (Candidate g v) -> I (Shown g v)) -> I f.

Lemma settled_rule : forall r, R r -> (forall x, In x (needs r) -> settled x) -> settled (gives r).
Proof.
  intros r H B I M E. apply M; [exact H |]. intros x X. now apply (B x X).
Qed.

Lemma settled_derivable : forall f, settled f -> derivable (meant f).
Proof.
  intros f S. apply (S (fun f => derivable (meant f))).
  - intros r H B. rewrite meant_gives by exact H. now apply derivable_rule.
  - auto.
Qed.

(** Derivations of some height. *)
Fixpoint derived (n : nat) (f : fact) : Prop :=
  match n with
  | 0 => False
  | S m => exists r, R r /\ gives r = f /\ forall x, In x (needs r) -> derived m (meant x)
  end.

Lemma derived_more : forall n m f, n <= m -> derived n f -> derived m f.
Proof.
  induction n as [| n IH]; intros m f L D; [destruct D |]. destruct m as [| m]; [lia |].
  destruct D as (r & H & E & B). exists r. repeat split; auto. intros x X. apply IH; [lia | now apply B].
Qed.

Lemma derivable_derived : forall f, derivable f -> exists n, derived n f.
Proof.
  intros f D. apply D. intros r H B.
  assert (M : exists n, forall x, In x (needs r) -> derived n (meant x)).
  { revert B. clear. induction (needs r) as [| x l IH]; intro B; [exists 0; intros y [] |].
    destruct (B x (or_introl eq_refl)) as [n N]. destruct IH as [m M]; [intros y Y; apply B; now right |].
    exists (max n m). intros y [<- | Y]; [apply (derived_more n) | apply (derived_more m)]; auto; lia. }
  destruct M as [n N]. exists (S n). exists r. auto.
Qed.

Lemma derived_derivable : forall n f, derived n f -> derivable f.
Proof.
  induction n as [| n IH]; intros f D; [destruct D |]. destruct D as (r & H & <- & B). apply derivable_rule; auto.
Qed.

(** No infinite descent among values, and a least value wherever there is one: so it is in a finite computation. *)
Hypothesis descent : well_founded lt.
Hypothesis value_dec : forall u v : value, {u = v} + {u <> v}.
Hypothesis has_least : forall g v, derivable (Candidate g v) -> exists m, least g m.

Lemma settled_as_good : monotone -> modest ->
  forall v n f, value_of f = v -> derived n f -> exists h, as_good h f /\ settled h.
Proof.
  intros Mono Modest v. induction v as [v Value] using (well_founded_induction descent).
  induction n as [| n Height]; intros f V D; [destruct D |]. destruct D as (r & H & <- & B).
  (* Values that are read are at most [v]: better ones by the first induction, equal ones by the second. *)
  assert (Q : forall x, In x (needs r) -> exists h, as_good h (meant x) /\ settled h).
  { intros x X. pose proof (Modest r H x X) as L. rewrite V in L. pose proof (B x X) as D.
    assert (E : value_of (meant x) = value_of x) by now destruct x.
    destruct (value_dec (value_of x) v) as [Same | N].
    - apply (Height (meant x)); [now rewrite E | exact D].
    - apply (Value (value_of x)) with n; [now split | exact E | exact D]. }
  destruct (better_body settled (needs r)) as (body & F & P).
  - intros x X. destruct x as [g u | g u | c u].
    + now destruct (reads_shown r g u H).
    + destruct (has_least g u (derived_derivable n _ (B _ X))) as (m & Least).
      exists (Shown g m). pose proof (proj2 Least u (derived_derivable n _ (B _ X))) as L.
      split; [now split |].
      assert (S : settled (Candidate g m)).
      { assert (Near : forall h, as_good h (Candidate g m) -> settled h -> settled (Candidate g m)).
        { intros [k w | k w | c w] G S; try contradiction. destruct G as [-> K].
          replace m with w; [exact S |]. apply le_antisym; [exact K |]. apply (proj2 Least), (settled_derivable _ S). }
        destruct (value_dec m u) as [-> | N].
        - destruct (Q _ X) as (h & G & S). now apply (Near h).
        - pose proof (Modest r H _ X) as K. simpl in K. rewrite V in K.
          destruct (derivable_derived _ (proj1 Least)) as [k Dk].
          destruct (Value m) with k (Candidate g m) as (h & G & S); [| reflexivity | exact Dk | now apply (Near h)].
          split; [now apply (le_trans m u v) |]. intros ->. apply N, le_antisym; assumption. }
      intros I M E. apply E; [exact Least | now apply S].
    + exact (Q _ X).
  - destruct (Mono r H body F) as (r' & H' & Inc & G). exists (gives r'). split; [exact G |].
    apply settled_rule; [exact H' |]. intros x X. now apply P, Inc.
Qed.

Section Cleaned.

Variable s : state.
Hypothesis counted : I1 s.
Hypothesis founded : I2 s.

(** Of exposures, exactly those of least values are left. *)
Hypothesis only : forall r, In r (rules s) -> R r \/ exists g v, least g v /\ r = exposure g v.
Hypothesis every : forall r, R r -> (forall f, In f (needs r) -> present s f = true) -> In r (rules s).
Hypothesis all_exposed : forall g v, least g v -> In (exposure g v) (rules s).

Theorem settled_present : forall f, present s f = true <-> settled f.
Proof.
  intro f. split.
  - intro P. apply (present_least fact fact_dec s founded f P settled). intros r K B.
    destruct (only r K) as [H | (g & v & L & ->)]; [now apply settled_rule |].
    intros I M E. apply E; [exact L |]. exact (B (Candidate g v) (or_introl eq_refl) I M E).
  - intro S. apply S.
    + intros r H B. exact (present_model fact fact_dec s counted r (every r H B) B).
    + intros g v L P. apply (present_model fact fact_dec s counted (exposure g v) (all_exposed g v L)).
      now intros x [<- | []].
Qed.

(** Every group shows its least value again: the run-time error of a group that is not restored cannot occur. *)
Theorem cleanup_restores : monotone -> modest -> forall g v, least g v -> present s (Shown g v) = true.
Proof.
  intros Mono Modest g v L. apply settled_present. destruct (derivable_derived _ (proj1 L)) as [n D].
  destruct (settled_as_good Mono Modest v n (Candidate g v) eq_refl D) as ([k w | k w | c w] & G & S);
    try contradiction.
  destruct G as [-> K]. assert (E : w = v) by (apply le_antisym; [exact K | apply (proj2 L), (settled_derivable _ S)]).
  subst w. intros I M X. apply X; [exact L | now apply S].
Qed.

Theorem cleaned_exact : monotone -> modest -> forall g v, present s (Shown g v) = true <-> least g v.
Proof.
  intros Mono Modest g v. split; [| now apply cleanup_restores]. intro P.
  destruct founded as [Low Positive]. specialize (Positive _ P). rewrite Low in Positive.
  apply count_positive in Positive.
  destruct Positive as (r & K & S). unfold supports_low, supports in S. rewrite !Bool.andb_true_iff in S.
  destruct S as [[E _] _]. apply equal_spec in E. destruct (only r K) as [H | (k & w & L & ->)].
  - now destruct (derives_candidates r g v H).
  - simpl in E. injection E as -> ->. exact L.
Qed.

End Cleaned.

End LeastValues.

(** ** The conditions can be met: a cost that increases by one around a cycle *)

Definition cycle (r : support (fact unit nat Empty_set)) : Prop :=
  r = Support (Candidate unit nat Empty_set tt 0) [] \/
  exists n, r = Support (Candidate unit nat Empty_set tt (S n)) [Shown unit nat Empty_set tt n].

Theorem cycle_conditions :
  monotone unit nat Empty_set Nat.le cycle /\ modest unit nat Empty_set Nat.le cycle /\
  least unit nat Empty_set Nat.le cycle tt 0.
Proof.
  split; [| split; [| split]].
  - intros r [-> | [n ->]] body F.
    + inversion F. subst. exists (Support (Candidate unit nat Empty_set tt 0) []). simpl.
      repeat split; [now left | intros x X; exact X | lia].
    + simpl in F. inversion F as [| y x l m A T E]. subst. inversion T. subst.
      destruct y as [k w | k w | c w]; simpl in A; try contradiction. destruct A as [-> L].
      exists (Support (Candidate unit nat Empty_set tt (S w)) [Shown unit nat Empty_set tt w]).
      simpl. repeat split; [right; now exists w | intros x X; exact X | lia].
  - intros r [-> | [n ->]] x X; simpl in *; [contradiction |]. destruct X as [<- | []]. simpl. lia.
  - intros I M. apply (M (Support (Candidate unit nat Empty_set tt 0) [])); [now left | intros x []].
  - intros w _. lia.
Qed.
