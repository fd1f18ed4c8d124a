(* The way in and out of the extracted forward engine: reads a program and updates, prints the graph after each run.

   This file is trusted, not proved: it has to hand the engine what the text says. Words become numbers by one table, so
   two words are the same number only if they are the same word. The format is in FORMAT.md.
   Exit code 0: done; 2: not a program, or a malformed line. *)

open Forward

exception Malformed of int * string

let malformed line what = raise (Malformed (line, what))

(* Words and numbers *)

let numbers : (string, int) Hashtbl.t = Hashtbl.create 4096
let words : (int, string) Hashtbl.t = Hashtbl.create 4096

let rec positive_of_int n =
  if n <= 1 then XH else if n land 1 = 0 then XO (positive_of_int (n lsr 1)) else XI (positive_of_int (n lsr 1))

let rec int_of_positive = function XH -> 1 | XO p -> 2 * int_of_positive p | XI p -> (2 * int_of_positive p) + 1

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

let term w = if w.[0] = '?' then Var (number w) else Cst (number w)

let key_of line w =
  let last = String.length w - 1 in
  if w.[last] <> '+' then (number w, Once)
  else if last = 0 then malformed line "expected a symbol before +"
  else (number (String.sub w 0 last), Closed)

let rec parts = function
  | [] -> [ [] ]
  | "|" :: rest -> [] :: parts rest
  | w :: rest -> ( match parts rest with part :: others -> (w :: part) :: others | [] -> [ [ w ] ])

let literal_of line = function
  | symbol :: terms -> { literal_key = key_of line symbol; literal_terms = List.map term terms }
  | [] -> malformed line "expected a literal after |"

type reading = {
  mutable base : positive list;
  mutable defined : positive list;
  clauses : (positive, clause) Hashtbl.t;
  mutable plus : fact list;
  mutable minus : fact list;
  mutable table : table;
  mutable runs : int;
}

let read_clause into line symbol rest =
  match parts rest with
  | [] :: head :: body ->
      let symbol = number symbol and head = List.map term head and body = List.map (literal_of line) body in
      (match Hashtbl.find_opt into.clauses symbol with
      | None ->
          into.defined <- symbol :: into.defined;
          Hashtbl.replace into.clauses symbol { clause_head = head; clause_bodies = [ body ] }
      | Some c when c.clause_head = head ->
          Hashtbl.replace into.clauses symbol { c with clause_bodies = c.clause_bodies @ [ body ] }
      | Some _ -> malformed line "the bodies of a clause have the same head")
  | _ -> malformed line "expected | after the symbol"

(* Clauses are listed in an order in which each reads base symbols and symbols before its own. *)
let run into line =
  let base = List.rev into.base and defined = List.rev into.defined in
  let clause_of s = Hashtbl.find into.clauses s in
  if into.runs = 0 && not (is_program clause_of base defined) then
    malformed line "not a program: a clause is not safe or reads an unknown symbol, or a symbol has two meanings";
  let support _ = into.runs > 0 in
  into.table <- session clause_of support base defined into.table into.plus into.minus;
  into.plus <- [];
  into.minus <- [];
  into.runs <- into.runs + 1;
  let show tag mark s =
    let line_of row = String.concat " " ((word s ^ mark) :: List.map word row) in
    List.iter print_endline (List.sort compare (List.map line_of (rows_of into.table (s, tag))))
  in
  List.iter (fun s -> show Once "" s; show Closed "+" s) (base @ defined);
  print_endline "."

let started into line = if into.runs > 0 then malformed line "the program cannot change after the first run"

let read_line into line text =
  let edge symbol row =
    if not (List.mem (number symbol) into.base) then malformed line ("not a base symbol: " ^ symbol);
    fact_at (number symbol, Once) (List.map number row)
  in
  match List.filter (fun w -> w <> "") (String.split_on_char ' ' text) with
  | [] -> ()
  | "base" :: symbols ->
      started into line;
      into.base <- List.rev_append (List.map number symbols) into.base
  | "clause" :: symbol :: rest ->
      started into line;
      read_clause into line symbol rest
  | "+" :: symbol :: row -> into.plus <- edge symbol row :: into.plus
  | "-" :: symbol :: row -> into.minus <- edge symbol row :: into.minus
  | [ "run" ] -> run into line
  | kind :: _ -> malformed line ("expected base, clause, +, - or run, found " ^ kind)

let header = "tidelog-forward 1"

let () =
  let into =
    { base = []; defined = []; clauses = Hashtbl.create 64; plus = []; minus = []; table = empty_table; runs = 0 }
  in
  let rec lines n =
    match input_line stdin with
    | text ->
        if n > 1 then read_line into n text else if text <> header then malformed 1 ("expected the line: " ^ header);
        lines (n + 1)
    | exception End_of_file -> if n = 1 then malformed 1 ("expected the line: " ^ header)
  in
  try lines 1
  with Malformed (line, what) ->
    Printf.eprintf "malformed: line %d: %s\n" line what;
    exit 2
