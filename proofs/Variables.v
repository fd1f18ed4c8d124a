(** Rules with variables and negation: the ground clauses of an epoch are found, not assumed.

    A rule is a head, atoms and negated atoms over variables and constants, and means all its instances: infinitely
    many. Over a finite list of constants there are finitely many ([groundings]), each valuation once
    ([assignments_once]). If rules are safe and the constants of base facts and heads are in the list, these are
    enough: they have the same perfect model ([groundings_enough]). So what Strata.v says of ground clauses holds of
    programs ([epoch_datalog], [epoch_datalog_exists]), and for positive programs the perfect model is the least model
    of Datalog.v ([positive_perfect]). *)

From Coq Require Import List Arith Lia Bool PArith.
From Tidelog Require Import Datalog Ranked Epoch Progress Rounds Strata.
Import ListNotations.

Record literals := Literals { concludes : atom; atoms : list atom; negated : list atom }.

Section Variables.

Variable stratum : positive -> nat.

Definition level (f : fact) : nat := stratum (relation f).

Definition ground_clause (v : valuation) (r : literals) : clause fact :=
  Clause (ground v (concludes r)) (map (ground v) (atoms r)) (map (ground v) (negated r)).

Definition given (f : fact) : clause fact := Clause f [] [].

(** All instances of all rules, and the base facts. *)
Definition instances (program : list literals) (base : list fact) (c : clause fact) : Prop :=
  (exists f, In f base /\ c = given f) \/ (exists r v, In r program /\ c = ground_clause v r).

Definition is_safe (r : literals) : Prop :=
  forall x a, In a (concludes r :: negated r) -> In (Var x) (arguments a) ->
    exists b, In b (atoms r) /\ In (Var x) (arguments b).

Definition is_stratified (r : literals) : Prop :=
  (forall a, In a (atoms r) -> stratum (predicate a) <= stratum (predicate (concludes r))) /\
  (forall a, In a (negated r) -> stratum (predicate a) < stratum (predicate (concludes r))).

Lemma instances_stratified : forall program base, (forall r, In r program -> is_stratified r) ->
  forall c, instances program base c -> stratified fact level c.
Proof.
  intros program base S c [(f & _ & ->) | (r & v & R & ->)]; split; simpl; intros g G; try contradiction;
    apply in_map_iff in G; destruct G as (a & <- & A); now apply (S r R).
Qed.

(** ** Groundings over finitely many constants *)

Definition variables_of (a : atom) : list positive :=
  flat_map (fun t => match t with Var x => [x] | Cst _ => [] end) (arguments a).

Definition variables (r : literals) : list positive :=
  nodup Pos.eq_dec (flat_map variables_of (concludes r :: atoms r ++ negated r)).

Fixpoint assignments (xs D : list positive) : list (list (positive * positive)) :=
  match xs with
  | [] => [[]]
  | x :: xs => flat_map (fun c => map (cons (x, c)) (assignments xs D)) D
  end.

Fixpoint valuation_of (a : list (positive * positive)) (x : positive) : positive :=
  match a with
  | [] => xH
  | (y, c) :: a => if Pos.eq_dec x y then c else valuation_of a x
  end.

Definition groundings (program : list literals) (base : list fact) (D : list positive) : list (clause fact) :=
  map given base ++
  flat_map (fun r => map (fun a => ground_clause (valuation_of a) r) (assignments (variables r) D)) program.

Lemma nodup_app : forall (A : Type) (l m : list A), NoDup l -> NoDup m -> (forall x, In x l -> In x m -> False) ->
  NoDup (l ++ m).
Proof.
  intros A l m L M S. induction L as [| x l X L IH]; simpl; [exact M |]. constructor.
  - intro H. apply in_app_iff in H. destruct H as [H | H]; [contradiction | apply (S x); [now left | exact H]].
  - apply IH. intros y Y. apply S. now right.
Qed.

(** No valuation is listed twice. *)
Theorem assignments_once : forall xs D, NoDup D -> NoDup (assignments xs D).
Proof.
  intros xs D N. induction xs as [| x xs IH]; simpl; [repeat constructor; intros [] |].
  generalize dependent (assignments xs D). intros l L.
  induction N as [| c E C N IHE]; simpl; [constructor |]. apply nodup_app; [| exact IHE |].
  - clear -L. induction L as [| a l A L IH]; simpl; constructor; [| exact IH].
    intro H. apply in_map_iff in H. destruct H as (b & Q & B). injection Q as ->. contradiction.
  - intros a A H. apply in_map_iff in A. destruct A as (b & <- & _). apply in_flat_map in H.
    destruct H as (d & Dd & H). apply in_map_iff in H. destruct H as (b' & Q & _). injection Q as -> _. contradiction.
Qed.

Lemma assignment_found : forall v D xs, (forall x, In x xs -> In (v x) D) ->
  In (map (fun x => (x, v x)) xs) (assignments xs D).
Proof.
  intros v D xs. induction xs as [| x xs IH]; intro H; simpl; [now left |].
  apply in_flat_map. exists (v x). split; [apply H; now left |]. apply in_map, IH. intros y Y. apply H. now right.
Qed.

Lemma valuation_found : forall v xs x, In x xs -> valuation_of (map (fun x => (x, v x)) xs) x = v x.
Proof.
  intros v xs x. induction xs as [| y xs IH]; intros []; simpl; destruct (Pos.eq_dec x y) as [-> | N]; auto;
    congruence.
Qed.

Lemma ground_same : forall v w a, (forall x, In x (variables_of a) -> v x = w x) -> ground v a = ground w a.
Proof.
  intros v w [p l] H. unfold ground. simpl. f_equal. unfold variables_of in H. simpl in H.
  induction l as [| t l IH]; simpl; [reflexivity |]. f_equal.
  - destruct t as [x | c]; simpl; [| reflexivity]. apply H. simpl. now left.
  - apply IH. intros x X. apply H. simpl. apply in_app_iff. now right.
Qed.

Lemma variable_in : forall x a, In (Var x) (arguments a) <-> In x (variables_of a).
Proof.
  intros x [p l]. unfold variables_of. simpl. rewrite in_flat_map. split.
  - intro H. exists (Var x). split; [exact H | now left].
  - intros ([y | c] & H & K); simpl in K; [destruct K as [-> | []]; exact H | contradiction].
Qed.

Lemma ground_clause_same : forall v w r, (forall x, In x (variables r) -> v x = w x) ->
  ground_clause v r = ground_clause w r.
Proof.
  intros v w r H.
  assert (S : forall a, In a (concludes r :: atoms r ++ negated r) -> ground v a = ground w a).
  { intros a A. apply ground_same. intros x X. apply H. unfold variables. apply nodup_In. apply in_flat_map.
    now exists a. }
  unfold ground_clause. f_equal.
  - apply S. now left.
  - apply map_ext_in. intros a A. apply S. right. apply in_app_iff. now left.
  - apply map_ext_in. intros a A. apply S. right. apply in_app_iff. now right.
Qed.

(** ** They are enough *)

Section Enough.

Variable program : list literals.
Variable base : list fact.
Variable D : list positive.
Hypothesis Safe : forall r, In r program -> is_safe r.
Hypothesis Base : forall f c, In f base -> In c (row f) -> In c D.
Hypothesis Heads : forall r c, In r program -> In (Cst c) (arguments (concludes r)) -> In c D.

Lemma groundings_instances : forall c, In c (groundings program base D) -> instances program base c.
Proof.
  intros c H. apply in_app_iff in H. destruct H as [H | H].
  - apply in_map_iff in H. destruct H as (f & <- & F). left. now exists f.
  - apply in_flat_map in H. destruct H as (r & R & H). apply in_map_iff in H. destruct H as (a & <- & _).
    right. now exists r, (valuation_of a).
Qed.

(** A variable of a rule whose atoms are facts over [D] has its value there. *)
Lemma value_known : forall r v, In r program ->
  (forall a, In a (atoms r) -> forall c, In c (row (ground v a)) -> In c D) ->
  forall x, In x (variables r) -> In (v x) D.
Proof.
  intros r v R H x X. unfold variables in X. apply nodup_In in X. apply in_flat_map in X. destruct X as (a & A & X).
  apply variable_in in X.
  assert (B : exists b, In b (atoms r) /\ In (Var x) (arguments b)).
  { destruct A as [<- | A]; [apply (Safe r R x (concludes r)); [now left | exact X] |].
    apply in_app_iff in A. destruct A as [A | A]; [now exists a | apply (Safe r R x a); [now right | exact X]]. }
  destruct B as (b & B & Y). apply (H b B). simpl. apply in_map_iff. exists (Var x). now split.
Qed.

Lemma founded_known : forall I f, founded fact (instances program base) I f -> forall c, In c (row f) -> In c D.
Proof.
  intros I f F. induction F as [k [(g & G & ->) | (r & v & R & ->)] _ IH N]; simpl; intros c H.
  - now apply (Base g).
  - apply in_map_iff in H. destruct H as (t & <- & T). destruct t as [x | d]; simpl; [| now apply (Heads r)].
    apply (value_known r v R).
    + intros a A. apply IH. simpl. now apply in_map.
    + unfold variables. apply nodup_In. apply in_flat_map. exists (concludes r). split; [now left |]. now apply
      variable_in.
Qed.

Lemma founded_groundings : forall I f,
  founded fact (instances program base) I f <-> founded fact (fun c => In c (groundings program base D)) I f.
Proof.
  intros I f. split; intro F.
  - induction F as [k K F IH N]. apply founded_clause; auto. apply in_app_iff.
    destruct K as [(g & G & ->) | (r & v & R & ->)]; [left; now apply in_map | right].
    apply in_flat_map. exists r. split; [exact R |]. apply in_map_iff.
    exists (map (fun x => (x, v x)) (variables r)). split.
    + apply ground_clause_same. intros x X. now apply valuation_found.
    + apply assignment_found. apply (value_known r v R). intros a A. apply (founded_known I). apply F. simpl.
      now apply in_map.
  - induction F as [k K F IH N]. apply founded_clause; auto. now apply groundings_instances.
Qed.

Theorem groundings_enough : (forall r, In r program -> is_stratified r) -> forall I,
  perfect fact level (fun c => In c (groundings program base D)) I <-> perfect fact level (instances program base) I.
Proof.
  intros S I. pose proof (instances_stratified program base S) as K.
  rewrite (perfect_stable fact level (instances program base) K I).
  rewrite (perfect_stable fact level (fun c => In c (groundings program base D))
    (fun c H => K c (groundings_instances c H)) I).
  split; intros P f; rewrite (P f); [symmetry |]; apply founded_groundings.
Qed.

End Enough.

(** ** Epochs of programs *)

Definition proper (program : list literals) (base : list fact) (D : list positive) : Prop :=
  (forall r, In r program -> is_safe r /\ is_stratified r) /\
  (forall f c, In f base -> In c (row f) -> In c D) /\
  (forall r c, In r program -> In (Cst c) (arguments (concludes r)) -> In c D).

Lemma groundings_stratified : forall program base D, proper program base D ->
  forall c, In c (groundings program base D) -> stratified fact level c.
Proof.
  intros program base D (S & _) c K. apply (instances_stratified program base); [intros r R; now apply S |].
  now apply (groundings_instances program base D).
Qed.

(** From one program and its base facts to another one: afterwards the facts shown are the perfect model of the
    new one,
    all its instances considered. *)
Theorem epoch_datalog : forall old old_base E new new_base D w x,
  proper old old_base E -> proper new new_base D ->
  clauses fact w = groundings old old_base E -> clauses fact x = groundings new new_base D ->
  J1 fact datalog_fact_dec w -> J2 fact datalog_fact_dec level w ->
  epoch_of_strata fact datalog_fact_dec level w x ->
  (J1 fact datalog_fact_dec x /\ J2 fact datalog_fact_dec level x) /\
  perfect fact level (instances new new_base) (fun f => shown fact x f = true).
Proof.
  intros old old_base E new new_base D w x Po Pn Ew Ex H1 H2 K.
  assert (Sw : forall c, In c (clauses fact w) -> stratified fact level c)
    by (rewrite Ew; exact (groundings_stratified _ _ _ Po)).
  assert (Sx : forall c, In c (clauses fact x) -> stratified fact level c)
    by (rewrite Ex; exact (groundings_stratified _ _ _ Pn)).
  split; [exact (strata_keep_invariants fact datalog_fact_dec level w x K Sw Sx H1 H2) |].
  pose proof (strata_epoch_perfect fact datalog_fact_dec level w x K Sw Sx H1 H2) as P.
  destruct Pn as (S & B & C). rewrite Ex in P.
  apply (groundings_enough new new_base D); auto; intros r R; now apply S.
Qed.

Theorem epoch_datalog_exists : forall old old_base E new new_base D w,
  proper old old_base E -> proper new new_base D -> clauses fact w = groundings old old_base E ->
  J1 fact datalog_fact_dec w -> J2 fact datalog_fact_dec level w ->
  exists x, clauses fact x = groundings new new_base D /\ epoch_of_strata fact datalog_fact_dec level w x.
Proof.
  intros old old_base E new new_base D w Po Pn Ew H1 H2. apply strata_epoch_exists; auto.
  - rewrite Ew. exact (groundings_stratified _ _ _ Po).
  - exact (groundings_stratified _ _ _ Pn).
Qed.

(** Without negation it is the least model of Datalog.v. *)
Definition positive_literals (r : rule) : literals := Literals (head r) (body r) [].

Theorem positive_perfect : forall program base I,
  (forall r, In r program -> is_stratified (positive_literals r)) ->
  perfect fact level (instances (map positive_literals program) base) I ->
  forall f, I f <-> Datalog.least_model program base f.
Proof.
  intros program base I S P f. rewrite <- derivable_least_model.
  apply perfect_stable in P; [rewrite (P f) |].
  - split; intro F.
    + induction F as [k [(g & G & ->) | (r & v & R & ->)] _ IH _]; simpl in *; [now apply derivable_base |].
      apply in_map_iff in R. destruct R as (q & <- & Q). simpl in *. apply (derivable_rule program base q v Q).
      intros a A. apply IH. now apply in_map.
    + induction F as [g G | r v R _ IH].
      * apply (founded_clause fact _ I (given g)); simpl; [left; now exists g | |]; intros h [].
      * apply (founded_clause fact _ I (ground_clause v (positive_literals r))); simpl.
        -- right. exists (positive_literals r), v. split; [now apply in_map | reflexivity].
        -- intros g G. apply in_map_iff in G. destruct G as (a & <- & A). now apply IH.
        -- intros g [].
  - apply instances_stratified. intros r R. apply in_map_iff in R. destruct R as (q & <- & Q). now apply S.
Qed.

End Variables.
