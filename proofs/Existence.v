(** Certificates exist: whatever the strata, a finite least model has ranks that the checker accepts.

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

Variable program : list rule.
Variable base : list fact.

(** Every fact of the list is a base fact or follows by a rule from facts further on. *)
Inductive grounded : list fact -> Prop :=
| grounded_nil : grounded []
| grounded_base : forall f l, In f base -> grounded l -> grounded (f :: l)
| grounded_rule : forall r v l, In r program -> (forall a, In a (body r) -> In (ground v a) l) ->
    grounded l -> grounded (ground v (head r) :: l).

Lemma grounded_app : forall l m, grounded l -> grounded m -> grounded (l ++ m).
Proof.
  intros l m G M. induction G as [| f l H G IH | r v l Hr Hb G IH]; simpl; [exact M | now apply grounded_base |].
  apply grounded_rule; [exact Hr | | exact IH]. intros a Ha. apply in_or_app. left. now apply Hb.
Qed.

Lemma grounded_derivable : forall l, grounded l -> forall f, In f l -> derivable program base f.
Proof.
  induction 1 as [| f l H G IH | r v l Hr Hb G IH]; intros g [].
  - subst. now apply derivable_base.
  - now apply IH.
  - subst. apply derivable_rule; [exact Hr |]. intros a Ha. now apply IH, Hb.
  - now apply IH.
Qed.

Lemma grounded_all : forall fs,
  (forall f, In f fs -> exists l, grounded l /\ In f l) ->
  exists l, grounded l /\ forall f, In f fs -> In f l.
Proof.
  induction fs as [| f fs IH]; intro H.
  - exists []. split; [constructor | intros f []].
  - destruct (H f (or_introl eq_refl)) as (l & G & I).
    destruct IH as (m & G' & I'); [intros g Hg; apply H; now right |].
    exists (l ++ m). split; [now apply grounded_app |].
    intros g [<- | Hg]; apply in_or_app; auto.
Qed.

Lemma derivable_grounded : forall f, derivable program base f -> exists l, grounded l /\ In f l.
Proof.
  induction 1 as [f H | r v Hr _ IH].
  - exists [f]. split; [apply grounded_base; [exact H | constructor] | now left].
  - destruct (grounded_all (map (ground v) (body r))) as (l & G & I).
    + intros g Hg. apply in_map_iff in Hg. destruct Hg as (a & <- & Ha). now apply IH.
    + exists (ground v (head r) :: l). split; [| now left].
      apply grounded_rule; [exact Hr | | exact G]. intros a Ha. now apply I, in_map.
Qed.

Fixpoint place (l : list fact) (f : fact) : N :=
  match l with
  | [] => 0%N
  | _ :: tail => if in_dec fact_dec f tail then place tail f else N.of_nat (length tail)
  end.

Lemma place_bound : forall l f, In f l -> (place l f < N.of_nat (length l))%N.
Proof.
  induction l as [| g l IH]; intros f H; [destruct H |]. cbn [place length].
  destruct (in_dec fact_dec f l) as [I | N]; [specialize (IH f I) |]; lia.
Qed.

Lemma place_tail : forall g l f, In f l -> place (g :: l) f = place l f.
Proof.
  intros g l f H. cbn [place]. now destruct (in_dec fact_dec f l).
Qed.

Lemma grounded_support : forall l, grounded l -> forall f, In f l ->
  In f base \/ exists r v, In r program /\ ground v (head r) = f /\
    forall a, In a (body r) -> In (ground v a) l /\ (place l (ground v a) < place l f)%N.
Proof.
  assert (Later : forall g l f,
    (exists r v, In r program /\ ground v (head r) = f /\
      forall a, In a (body r) -> In (ground v a) l /\ (place l (ground v a) < place l f)%N) -> In f l ->
    exists r v, In r program /\ ground v (head r) = f /\
      forall a, In a (body r) -> In (ground v a) (g :: l) /\ (place (g :: l) (ground v a) < place (g :: l) f)%N).
  { intros g l f (r & v & Hr & E & H) I. exists r, v. repeat split; auto.
    - right. now apply H.
    - rewrite !place_tail; [now apply H | exact I | now apply H]. }
  induction 1 as [| g l H G IH | r v l Hr Hb G IH]; intros f I; [destruct I | |].
  - destruct I as [<- | I]; [now left |]. destruct (IH f I) as [B | S]; [now left | right; now apply Later].
  - destruct (in_dec fact_dec f l) as [I' | N].
    + destruct (IH f I') as [B | S]; [now left | right; now apply Later].
    + destruct I as [<- | I]; [| contradiction]. right. exists r, v. repeat split; auto.
      * right. now apply Hb.
      * rewrite place_tail by (now apply Hb). cbn [place].
        destruct (in_dec fact_dec (ground v (head r)) l) as [I' | _]; [contradiction |].
        now apply place_bound, Hb.
Qed.

Theorem certificate_exists : forall (stratum : positive -> N) (fs : list fact),
  NoDup fs ->
  (forall f, In f fs <-> derivable program base f) ->
  (forall r, In r program -> safe r) ->
  (forall r a, In r program -> In a (body r) -> (stratum (predicate a) <= stratum (predicate (head r)))%N) ->
  exists rank : fact -> N, check (State program base (map (fun f => (f, rank f)) fs) stratum) = None.
Proof.
  intros stratum fs D L S T.
  destruct (grounded_all fs) as (l & G & I).
  { intros f Hf. now apply derivable_grounded, L. }
  exists (place l). apply check_certified.
  assert (P : forall f, present (State program base (map (fun f => (f, place l f)) fs) stratum) f <-> In f fs).
  { intro f. unfold present. simpl. split.
    - intros [n H]. apply in_map_iff in H. destruct H as (g & E & H). congruence.
    - intro H. exists (place l f). now apply (in_map (fun f => (f, place l f))). }
  constructor; cbn [Certificate.program Certificate.base facts Certificate.stratum].
  - exact S.
  - exact T.
  - rewrite map_map. simpl. now rewrite map_id.
  - intros f Hf. now apply P, L, derivable_base.
  - intros r v Hr H. apply P, L, derivable_rule; [exact Hr |]. intros a Ha. now apply L, P, H.
  - intros h Hh. apply in_map_iff in Hh. destruct Hh as (f & <- & Hf). simpl.
    destruct (grounded_support l G f (I f Hf)) as [B | (r & v & Hr & <- & Hb)]; [now left | right].
    exists r, v. repeat split; [exact Hr |]. simpl. intros a Ha. exists (place l (ground v a)).
    destruct (Hb a Ha) as [Il Lt]. split.
    + apply (in_map (fun f => (f, place l f))), L. now apply (grounded_derivable l).
    + unfold lower. simpl. specialize (T r a Hr Ha). apply N.le_lteq in T. intuition.
Qed.

End Ranks.
