(** Certificates exist: a finite perfect model has ranks that the checker accepts, and so, whatever the strata, has a
    finite least model.

    So the ranks ask nothing of an engine that could not be met. A derivation is written as a list in which every fact
    comes before those it rests on; a fact's rank is the number of facts after its last place in that list. *)

From Coq Require Import PArith NArith List Lia.
From Tidelog Require Import Datalog Certificate Checker.
Import ListNotations.

Lemma fact_dec : forall f g : fact, {f = g} + {f <> g}.
Proof.
  decide equality; [apply list_eq_dec |]; apply Pos.eq_dec.
Qed.

Section Ranks.

Variable program : list clause.
Variable base : list fact.
Variable order : positive -> N.
Variable I : fact -> Prop.

Notation derived := (founded program base order I).

(** Every fact of the list is a base fact or follows by a rule from facts further on. *)
Inductive grounded : list fact -> Prop :=
| grounded_nil : grounded []
| grounded_base : forall f l, In f base -> grounded l -> grounded (f :: l)
| grounded_rule : forall r v l, In r program -> admitted order I r v ->
    (forall a, In a (body r) -> In (ground v a) l) -> grounded l -> grounded (ground v (head r) :: l).

Lemma grounded_app : forall l m, grounded l -> grounded m -> grounded (l ++ m).
Proof.
  intros l m G M. induction G as [| f l H G IH | r v l Hr A Hb G IH]; simpl; [exact M | now apply grounded_base |].
  apply grounded_rule; [exact Hr | exact A | | exact IH]. intros a Ha. apply in_or_app. left. now apply Hb.
Qed.

Lemma grounded_derived : forall l, grounded l -> forall f, In f l -> derived f.
Proof.
  induction 1 as [| f l H G IH | r v l Hr A Hb G IH]; intros g [].
  - subst. now apply founded_base.
  - now apply IH.
  - subst. apply founded_rule; [exact Hr | exact A |]. intros a Ha. now apply IH, Hb.
  - now apply IH.
Qed.

Lemma grounded_all : forall fs,
  (forall f, In f fs -> exists l, grounded l /\ In f l) ->
  exists l, grounded l /\ forall f, In f fs -> In f l.
Proof.
  induction fs as [| f fs IH]; intro H.
  - exists []. split; [constructor | intros f []].
  - destruct (H f (or_introl eq_refl)) as (l & G & J).
    destruct IH as (m & G' & K); [intros g Hg; apply H; now right |].
    exists (l ++ m). split; [now apply grounded_app |].
    intros g [<- | Hg]; apply in_or_app; auto.
Qed.

Lemma derived_grounded : forall f, derived f -> exists l, grounded l /\ In f l.
Proof.
  apply founded_induction.
  - intros f H. exists [f]. split; [apply grounded_base; [exact H | constructor] | now left].
  - intros r v Hr A _ IH. destruct (grounded_all (map (ground v) (body r))) as (l & G & J).
    + intros g Hg. apply in_map_iff in Hg. destruct Hg as (a & <- & Ha). now apply IH.
    + exists (ground v (head r) :: l). split; [| now left].
      apply grounded_rule; [exact Hr | exact A | | exact G]. intros a Ha. now apply J, in_map.
Qed.

Fixpoint position (l : list fact) (f : fact) : N :=
  match l with
  | [] => 0%N
  | _ :: tail => if in_dec fact_dec f tail then position tail f else N.of_nat (length tail)
  end.

Lemma position_bound : forall l f, In f l -> (position l f < N.of_nat (length l))%N.
Proof.
  induction l as [| g l IH]; intros f H; [destruct H |]. cbn [position length].
  destruct (in_dec fact_dec f l) as [K | N]; [specialize (IH f K) |]; lia.
Qed.

Lemma position_tail : forall g l f, In f l -> position (g :: l) f = position l f.
Proof.
  intros g l f H. cbn [position]. now destruct (in_dec fact_dec f l).
Qed.

Lemma grounded_support : forall l, grounded l -> forall f, In f l ->
  In f base \/ exists r v, In r program /\ ground v (head r) = f /\ admitted order I r v /\
    forall a, In a (body r) -> In (ground v a) l /\ (position l (ground v a) < position l f)%N.
Proof.
  assert (Later : forall g l f,
    (exists r v, In r program /\ ground v (head r) = f /\ admitted order I r v /\
      forall a, In a (body r) -> In (ground v a) l /\ (position l (ground v a) < position l f)%N) -> In f l ->
    exists r v, In r program /\ ground v (head r) = f /\ admitted order I r v /\
      forall a, In a (body r) ->
        In (ground v a) (g :: l) /\ (position (g :: l) (ground v a) < position (g :: l) f)%N).
  { intros g l f (r & v & Hr & E & A & H) J. exists r, v. do 3 (split; [assumption |]).
    intros a Ha. destruct (H a Ha) as [Il Lt]. split; [now right |]. now rewrite !position_tail. }
  induction 1 as [| g l H G IH | r v l Hr A Hb G IH]; intros f J; [destruct J | |].
  - destruct J as [<- | J]; [now left |]. destruct (IH f J) as [B | S]; [now left | right; now apply Later].
  - destruct (in_dec fact_dec f l) as [K | N].
    + destruct (IH f K) as [B | S]; [now left | right; now apply Later].
    + destruct J as [<- | J]; [| contradiction]. right. exists r, v. do 3 (split; [auto |]).
      intros a Ha. split; [right; now apply Hb |].
      rewrite position_tail by (now apply Hb). cbn [position].
      destruct (in_dec fact_dec (ground v (head r)) l) as [K | _]; [contradiction |].
      now apply position_bound, Hb.
Qed.

End Ranks.

Theorem certificate_exists :
  forall (program : list clause) (base : list fact) (stratum order : positive -> N) (fs : list fact),
  NoDup fs ->
  (forall r, In r program -> all_bound r) ->
  (forall r a, In r program -> In a (body r) -> (stratum (predicate a) <= stratum (predicate (head r)))%N) ->
  (forall r a, In r program -> In a (negated r) -> (stratum (predicate a) < stratum (predicate (head r)))%N) ->
  perfect_model program base stratum order (fun f => In f fs) ->
  exists rank : fact -> N, check (State program base (map (fun f => (f, rank f)) fs) stratum order) = None.
Proof.
  intros program base stratum order fs D S T U P. rewrite perfect_founded in P by assumption.
  destruct (grounded_all program base order (fun f => In f fs) fs) as (l & G & J).
  { intros f Hf. now apply derived_grounded, P. }
  exists (position l). apply check_certified.
  set (s := State program base (map (fun f => (f, position l f)) fs) stratum order).
  assert (Q : forall f, present s f <-> In f fs).
  { intro f. unfold present. simpl. split.
    - intros [n H]. apply in_map_iff in H. destruct H as (g & E & H). congruence.
    - intro H. exists (position l f). now apply (in_map (fun f => (f, position l f))). }
  assert (A : forall r v, admitted order (present s) r v <-> admitted order (fun f => In f fs) r v).
  { intros r v. unfold admitted. split; intros [N C]; (split; [| exact C]); intros a Ha H; now apply (N a Ha), Q. }
  constructor; cbn [Certificate.program Certificate.base facts Certificate.stratum place s].
  - exact S.
  - exact T.
  - exact U.
  - rewrite map_map. simpl. now rewrite map_id.
  - intros f Hf. now apply Q, P, founded_base.
  - intros r v Hr C H. apply Q, P, founded_rule; [exact Hr | now apply A |]. intros a Ha. now apply P, Q, H.
  - intros h Hh. apply in_map_iff in Hh. destruct Hh as (f & <- & Hf). simpl.
    destruct (grounded_support program base order _ l G f (J f Hf)) as [B | (r & v & Hr & <- & C & Hb)];
      [now left | right].
    exists r, v. do 2 (split; [auto |]). split; [now apply A |]. simpl. intros a Ha. exists (position l (ground v a)).
    destruct (Hb a Ha) as [Il Lt]. split.
    + apply (in_map (fun f => (f, position l f))), P. now apply (grounded_derived program base order _ l).
    + unfold lower. simpl. specialize (T r a Hr Ha). apply N.le_lteq in T. intuition.
Qed.

(** Without conditions, the strata may be any in which no rule reads a higher one. *)
Theorem positive_certificate_exists :
  forall (program : list clause) (base : list fact) (stratum order : positive -> N) (fs : list fact),
  NoDup fs ->
  (forall r, In r program -> unconditional r) ->
  (forall f, In f fs <-> least_model (map core program) base f) ->
  (forall r, In r program -> safe r) ->
  (forall r a, In r program -> In a (body r) -> (stratum (predicate a) <= stratum (predicate (head r)))%N) ->
  exists rank : fact -> N, check (State program base (map (fun f => (f, rank f)) fs) stratum order) = None.
Proof.
  intros program base stratum order fs D U L S T.
  assert (N : forall r a, In r program -> In a (negated r) ->
    (stratum (predicate a) < stratum (predicate (head r)))%N).
  { intros r a Hr Ha. destruct (U r Hr) as [E _]. rewrite E in Ha. destruct Ha. }
  apply certificate_exists; auto.
  - intros r Hr x [(a & [<- | Ha] & Hx) | (t & Ht & _)]; [now apply (S r Hr) | |]; destruct (U r Hr) as [E F].
    + rewrite E in Ha. destruct Ha.
    + rewrite F in Ht. destruct Ht.
  - apply perfect_founded; auto. intro f. rewrite (founded_derivable program base order _ U f), derivable_least_model.
    apply L.
Qed.
