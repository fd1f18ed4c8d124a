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

let constant line w =
  if is_variable_word w || w = "|" then malformed line ("expected a constant, found " ^ w) else number w

let term w = if is_variable_word w then Var (number w) else Cst (number w)
let name line w = if is_variable_word w || w = "|" then malformed line ("expected a name, found " ^ w) else number w

let fact_of line = function
  | p :: row -> { relation = name line p; row = List.map (constant line) row }
  | [] -> malformed line "expected a fact"

let atom_of line = function
  | p :: arguments -> { predicate = name line p; arguments = List.map term arguments }
  | [] -> malformed line "expected an atom after |"

(* The words between bars. *)
let rec parts = function
  | [] -> [ [] ]
  | "|" :: rest -> [] :: parts rest
  | w :: rest -> ( match parts rest with part :: others -> (w :: part) :: others | [] -> [ [ w ] ])

let rule_of line label rest =
  match parts rest with
  | [] :: head :: body ->
      { label = name line label; head = atom_of line head; body = List.map (atom_of line) body }
  | _ -> malformed line "expected | after the rule's label"

type reading = {
  mutable rules : rule list;
  mutable based : fact list;
  mutable ranked : (fact * n) list;
  mutable strata : (positive * n) list;
  layered : (string, unit) Hashtbl.t;
  mutable ended : bool;
}

let read_stratum into line p n =
  if Hashtbl.mem into.layered p then malformed line ("a second stratum for " ^ p);
  Hashtbl.add into.layered p ();
  into.strata <- (name line p, natural line n) :: into.strata

let read_line into line text =
  let found = List.filter (fun w -> w <> "") (String.split_on_char ' ' text) in
  if into.ended && found <> [] then malformed line "a line after the end";
  match found with
  | [] -> ()
  | [ "end" ] -> into.ended <- true
  | [ "stratum"; p; n ] -> read_stratum into line p n
  | "rule" :: label :: rest -> into.rules <- rule_of line label rest :: into.rules
  | "base" :: rest -> into.based <- fact_of line rest :: into.based
  | "fact" :: rank :: rest -> into.ranked <- (fact_of line rest, natural line rank) :: into.ranked
  | kind :: _ -> malformed line ("expected stratum, rule, base, fact or end, found " ^ kind)

let header = "tidelog-positive 1"
let expected_header = "expected the line: " ^ header

let read channel =
  let into =
    { rules = []; based = []; ranked = []; strata = []; layered = Hashtbl.create 64; ended = false }
  in
  let rec lines n =
    match input_line channel with
    | text ->
        if n > 1 then read_line into n text
        else if text <> header then malformed 1 expected_header;
        lines (n + 1)
    | exception End_of_file ->
        if n = 1 then malformed 1 expected_header;
        if not into.ended then malformed n "the text stops before its end line"
  in
  lines 1;
  {
    program = List.rev into.rules;
    base = List.rev into.based;
    facts = List.rev into.ranked;
    stratum = stratum_of into.strata;
  }

(* Saying *)

let told f = "`" ^ String.concat " " (word f.relation :: List.map word f.row) ^ "`"

let said = function
  | Unsafe (r, x) ->
      Printf.sprintf "rule %s is not safe: %s of its head does not occur in its body" (word r.label) (word x)
  | Unlayered (r, a) ->
      Printf.sprintf "rule %s reads %s, which stands in a higher stratum than its head %s" (word r.label)
        (word a.predicate) (word r.head.predicate)
  | Repeated f -> Printf.sprintf "fact %s is listed twice" (told f)
  | Missing f -> Printf.sprintf "base fact %s is not in the state" (told f)
  | Open (r, h, []) -> Printf.sprintf "rule %s gives %s, which is not in the state" (word r.label) (told h)
  | Open (r, h, premises) ->
      Printf.sprintf "rule %s gives %s, which is not in the state, from %s" (word r.label) (told h)
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
      prerr_endline "usage: tidelog-check-positive [FILE]";
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
