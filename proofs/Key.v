(** Maps keyed by lists of positive numbers, over the binary tries of the standard library.

    [code] writes a list as one positive number; no two lists have the same code ([code_injective]). [gather] files
    every item of a list under each of its keys; what is found under a key is exactly what has it ([gather_found]). *)

From Coq Require Import PArith List FMapPositive.
Import ListNotations.

(** Each bit of [p] is preceded by a 0, its end is a 1: so the code says where [p] ends and the rest begins. *)
Fixpoint put (p rest : positive) : positive :=
  match p with
  | xO q => xO (xO (put q rest))
  | xI q => xO (xI (put q rest))
  | xH => xI rest
  end.

Fixpoint code (l : list positive) : positive :=
  match l with
  | [] => xH
  | p :: tail => put p (code tail)
  end.

Lemma put_injective : forall p q a b, put p a = put q b -> p = q /\ a = b.
Proof.
  induction p as [p IH | p IH |]; destruct q as [q | q |]; simpl; intros a b E; try discriminate E;
    injection E as E; try (apply IH in E); intuition congruence.
Qed.

Lemma put_not_end : forall p a, put p a <> xH.
Proof.
  destruct p; discriminate.
Qed.

Lemma code_injective : forall l m, code l = code m -> l = m.
Proof.
  induction l as [| p l IH]; destruct m as [| q m]; simpl; intro E.
  - reflexivity.
  - symmetry in E. now apply put_not_end in E.
  - now apply put_not_end in E.
  - apply put_injective in E. destruct E as [-> E]. f_equal. now apply IH.
Qed.

Section Files.

Variable A : Type.

Definition files := PositiveMap.t (list A).

Definition found (m : files) (k : list positive) : list A :=
  match PositiveMap.find (code k) m with Some l => l | None => [] end.

Definition file (x : A) (m : files) (k : list positive) : files :=
  PositiveMap.add (code k) (x :: found m k) m.

Lemma file_found : forall x m k j y,
  In y (found (file x m k) j) <-> In y (found m j) \/ (y = x /\ j = k).
Proof.
  intros x m k j y. unfold found at 1, file.
  destruct (Pos.eq_dec (code j) (code k)) as [E | N].
  - apply code_injective in E. subst j. rewrite PositiveMap.gss. simpl. intuition congruence.
  - rewrite PositiveMap.gso by exact N. fold (found m j).
    split; [now left | intros [H | [_ ->]]; [exact H | now destruct N]].
Qed.

Variable keys : A -> list (list positive).

Definition file_all (m : files) (x : A) : files := fold_left (file x) (keys x) m.

Definition gather (l : list A) : files := fold_left file_all l (PositiveMap.empty (list A)).

Lemma file_fold_found : forall x ks m j y,
  In y (found (fold_left (file x) ks m) j) <-> In y (found m j) \/ (y = x /\ In j ks).
Proof.
  intros x ks. induction ks as [| k ks IH]; intros m j y; simpl.
  - intuition.
  - rewrite IH, file_found. intuition.
Qed.

Lemma gather_fold_found : forall l m j y,
  In y (found (fold_left file_all l m) j) <-> In y (found m j) \/ (In y l /\ In j (keys y)).
Proof.
  induction l as [| x l IH]; intros m j y; simpl.
  - intuition.
  - rewrite IH. unfold file_all. rewrite file_fold_found. intuition (subst; auto).
Qed.

Lemma gather_found : forall l j y, In y (found (gather l) j) <-> In y l /\ In j (keys y).
Proof.
  intros l j y. unfold gather. rewrite gather_fold_found.
  unfold found. rewrite PositiveMap.gempty. simpl. intuition.
Qed.

End Files.

Arguments found {A}.
Arguments gather {A}.
