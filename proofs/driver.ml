(* The way in and out of the extracted checker: reads a state (FORMAT.md), prints the verdict.

   This file is trusted, not proved: it has to hand the checker what the text says. Words become numbers by one table,
   so two words are the same number only if they are the same word. It decides nothing about the state.
   Exit code 0: accepted; 1: rejected; 2: not a state. *)

open Checker

exception Malformed of int * string

let malformed line what = raise (Malformed (line, what))

(* Words and numbers *)

let numbers : (string, int) Hashtbl.t = Hashtbl.create 4096
let words : (int, string) Hashtbl.t = Hashtbl.create 4096

let rec positive_of_int n =
  if n <= 1 then XH else if n land 1 = 0 then XO (positive_of_int (n lsr 1)) else XI (positive_of_int (n lsr 1))

let rec int_of_positive = function XH -> 1 | XO p -> 2 * int_of_positive p | XI p -> (2 * int_of_positive p) + 1
let n_of_int n = if n = 0 then N0 else Npos (positive_of_int n)
let int_of_n = function N0 -> 0 | Npos p -> int_of_positive p

let number word =
  match Hashtbl.find_opt numbers word with
  | Some n -> positive_of_int n
  | None ->
      let n = Hashtbl.length numbers + 1 in
      Hashtbl.add numbers word n;
      Hashtbl.add words n word;
      positive_of_int n

let word p = Hashtbl.find words (int_of_positive p)

(* Reading *)

let natural line text =
  let digits = String.length text > 0 && String.for_all (fun c -> '0' <= c && c <= '9') text in
  if digits && String.length text <= 18 then n_of_int (int_of_string text)
  else malformed line ("expected a number of at most 18 digits, found " ^ text)

let is_variable_word w = w.[0] = '?'

let comparisons = [ ("=", Same); ("!=", Different); ("<", Less); ("<=", AtMost) ]
let is_mark w = w = "|" || w = "!" || List.mem_assoc w comparisons

let constant line w =
  if is_variable_word w || is_mark w then malformed line ("expected a constant, found " ^ w) else number w

let term line w = if is_variable_word w then Var (number w) else Cst (constant line w)
let name line w = if is_variable_word w || is_mark w then malformed line ("expected a name, found " ^ w) else number w

let fact_of line = function
  | p :: row -> { relation = name line p; row = List.map (constant line) row }
  | [] -> malformed line "expected a fact"

let atom_of line = function
  | p :: arguments -> { predicate = name line p; arguments = List.map (term line) arguments }
  | [] -> malformed line "expected an atom after |"

let test_of line kind = function
  | [ l; r ] -> { compares = List.assoc kind comparisons; left = term line l; right = term line r }
  | _ -> malformed line ("expected two terms after " ^ kind)

(* The words between bars. *)
let rec parts = function
  | [] -> [ [] ]
  | "|" :: rest -> [] :: parts rest
  | w :: rest -> ( match parts rest with part :: others -> (w :: part) :: others | [] -> [ [ w ] ])

(* One part of a rule's body, put before the others. *)
let literal_of line part clause =
  match part with
  | "!" :: absent -> { clause with negated = atom_of line absent :: clause.negated }
  | mark :: sides when List.mem_assoc mark comparisons -> { clause with tests = test_of line mark sides :: clause.tests }
  | _ -> { clause with core = { clause.core with body = atom_of line part :: clause.core.body } }

let rule_of line label rest =
  match parts rest with
  | [] :: head :: body ->
      let core = { label = name line label; head = atom_of line head; body = [] } in
      List.fold_right (literal_of line) body { core; negated = []; tests = [] }
  | _ -> malformed line "expected | after the rule's label"

type reading = {
  mutable rules : clause list;
  mutable based : fact list;
  mutable ranked : (fact * n) list;
  mutable strata : (positive * n) list;
  layered : (string, unit) Hashtbl.t;
  mutable order : (positive * n) list;
  ordered : (string, unit) Hashtbl.t;
  mutable ended : bool;
}

let read_stratum into line p n =
  if Hashtbl.mem into.layered p then malformed line ("a second stratum for " ^ p);
  Hashtbl.add into.layered p ();
  into.strata <- (name line p, natural line n) :: into.strata

let read_value into line w =
  if Hashtbl.mem into.ordered w then malformed line ("a second place for " ^ w);
  Hashtbl.add into.ordered w ();
  into.order <- (constant line w, n_of_int (Hashtbl.length into.ordered)) :: into.order

(* The constants that are used, all of which need a place if a rule orders any. *)
let used into =
  let of_term = function Cst c -> [ c ] | Var _ -> [] in
  let of_atom a = List.concat_map of_term a.arguments in
  let of_rule r =
    List.concat_map of_atom ((r.core.head :: r.core.body) @ r.negated)
    @ List.concat_map (fun t -> of_term t.left @ of_term t.right) r.tests
  in
  let rows = List.rev_append into.based (List.rev_map fst into.ranked) in
  List.rev_append (List.concat_map of_rule into.rules) (List.concat_map (fun f -> f.row) rows)

let check_order into line =
  let orders r = List.exists (fun t -> t.compares = Less || t.compares = AtMost) r.tests in
  let unordered c = not (Hashtbl.mem into.ordered (word c)) in
  if List.exists orders into.rules then
    Option.iter (fun c -> malformed line ("no place in the order for " ^ word c)) (List.find_opt unordered (used into))

let read_line into line text =
  let found = List.filter (fun w -> w <> "") (String.split_on_char ' ' text) in
  if into.ended && found <> [] then malformed line "a line after the end";
  match found with
  | [] -> ()
  | [ "end" ] -> into.ended <- true
  | [ "stratum"; p; n ] -> read_stratum into line p n
  | [ "value"; w ] -> read_value into line w
  | "rule" :: label :: rest -> into.rules <- rule_of line label rest :: into.rules
  | "base" :: rest -> into.based <- fact_of line rest :: into.based
  | "fact" :: rank :: rest -> into.ranked <- (fact_of line rest, natural line rank) :: into.ranked
  | kind :: _ -> malformed line ("expected stratum, rule, value, base, fact or end, found " ^ kind)

let header = "tidelog-core 1"
let expected_header = "expected the line: " ^ header

let read channel =
  let into =
    {
      rules = [];
      based = [];
      ranked = [];
      strata = [];
      layered = Hashtbl.create 64;
      order = [];
      ordered = Hashtbl.create 4096;
      ended = false;
    }
  in
  let rec lines n =
    match input_line channel with
    | text ->
        if n > 1 then read_line into n text
        else if text <> header then malformed 1 expected_header;
        lines (n + 1)
    | exception End_of_file ->
        if n = 1 then malformed 1 expected_header;
        if not into.ended then malformed n "the text stops before its end line";
        check_order into (n - 1)
  in
  lines 1;
  {
    program = List.rev into.rules;
    base = List.rev into.based;
    facts = List.rev into.ranked;
    stratum = number_of into.strata;
    place = number_of into.order;
  }

(* Saying *)

let told f = "`" ^ String.concat " " (word f.relation :: List.map word f.row) ^ "`"

let said = function
  | Unsafe (r, x) ->
      Printf.sprintf "rule %s is not safe: %s does not occur in a positive atom of its body" (word r.core.label)
        (word x)
  | Unlayered (r, a) ->
      Printf.sprintf "rule %s reads %s, which stands in a higher stratum than its head %s" (word r.core.label)
        (word a.predicate) (word r.core.head.predicate)
  | Undecided (r, a) ->
      Printf.sprintf "rule %s negates %s, which does not stand in a lower stratum than its head %s"
        (word r.core.label) (word a.predicate) (word r.core.head.predicate)
  | Repeated f -> Printf.sprintf "fact %s is listed twice" (told f)
  | Missing f -> Printf.sprintf "base fact %s is not in the state" (told f)
  | Open (r, h, []) -> Printf.sprintf "rule %s gives %s, which is not in the state" (word r.core.label) (told h)
  | Open (r, h, premises) ->
      Printf.sprintf "rule %s gives %s, which is not in the state, from %s" (word r.core.label) (told h)
        (String.concat ", " (List.map told premises))
  | Unsupported (f, n) ->
      Printf.sprintf "fact %s of rank %d is no base fact and has no support of lower rank" (told f) (int_of_n n)

let input () =
  match Sys.argv with
  | [| _ |] | [| _; "-" |] -> read stdin
  | [| _; path |] ->
      let channel = open_in path in
      Fun.protect ~finally:(fun () -> close_in channel) (fun () -> read channel)
  | _ ->
      prerr_endline "usage: tidelog-check-core [FILE]";
      exit 2

let () =
  match check (input ()) with
  | None -> print_endline "accepted"
  | Some violation ->
      print_endline ("rejected: " ^ said violation);
      exit 1
  | exception Malformed (line, what) ->
      Printf.eprintf "malformed: line %d: %s\n" line what;
      exit 2
  | exception Sys_error what ->
      Printf.eprintf "cannot read: %s\n" what;
      exit 2
