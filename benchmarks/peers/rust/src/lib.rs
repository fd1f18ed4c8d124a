//! What the contestants in Rust share: reading a task, taking its steps, and printing what each cost.
//!
//! Law: they follow `benchmarks/peers/protocol.py`, with one thread.

use std::{env, fs, path::Path, process};

/// A row; relations of fewer than three columns leave the rest at zero.
pub type Row = [i64; 3];

/// The number of rows of a view, and their checksum.
#[derive(Clone, Copy, Default)]
pub struct Digest {
    pub rows: i64,
    pub sum: u64,
}

impl Digest {
    /// Count a row, by its `mixed` cells, with its weight: 1 when it comes, -1 when it goes.
    pub fn add(&mut self, mixed: u64, weight: i64) {
        self.rows += weight;
        self.sum = self.sum.wrapping_add(mixed.wrapping_mul(weight as u64));
    }
}

/// The share of one row in the checksum.
pub fn mixed(cells: &[i64]) -> u64 {
    cells.iter().fold(0x9E37_79B9_7F4A_7C15, |mix, &cell| {
        let mix = (mix ^ cell as u64).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mix ^ mix >> 31
    })
}

/// What takes the steps.
pub trait System {
    /// Base facts come (weight 1) or go (weight -1).
    fn change(&mut self, relation: &str, rows: &[Row], weight: i64);
    /// Bring the view up to date.
    fn update(&mut self);
    /// The view as it is now.
    fn digest(&mut self) -> Digest;
}

/// The name of the program and the folder of the task.
pub fn arguments() -> (String, String) {
    let words: Vec<String> = env::args().skip(1).collect();
    match words.as_slice() {
        [program, folder] => (program.clone(), folder.clone()),
        _ => panic!("expected the name of a program and a folder"),
    }
}

/// End: the system cannot express the program.
pub fn cannot(reason: &str) -> ! {
    eprintln!("{reason}");
    process::exit(3)
}

/// Load the facts, and take all steps but that of the rule, since the program is compiled.
pub fn take_steps(folder: &str, system: &mut impl System) {
    for (relation, rows) in read(folder, "facts") {
        system.change(&relation, &rows, 1);
    }
    step("build", system, &[], 0);
    for (part, out, back) in [("out", "out", "in"), ("one", "one out", "one in")] {
        let changes = read(folder, part);
        step(out, system, &changes, -1);
        step(back, system, &changes, 1);
    }
    if let Some(peak) = peak() {
        println!("{{\"step\": \"memory\", \"bytes\": {peak}}}");
    }
}

fn step(name: &str, system: &mut impl System, changes: &[(String, Vec<Row>)], weight: i64) {
    let began = seconds();
    for (relation, rows) in changes {
        system.change(relation, rows, weight);
    }
    system.update();
    let took = seconds() - began;
    let Digest { rows, sum } = system.digest();
    println!("{{\"step\": \"{name}\", \"seconds\": {took:.9}, \"rows\": {rows}, \"sum\": {sum}}}");
}

fn read(folder: &str, part: &str) -> Vec<(String, Vec<Row>)> {
    let mut found: Vec<_> = fs::read_dir(Path::new(folder).join(part))
        .expect("a folder of facts")
        .map(|entry| {
            let path = entry.expect("a file of facts").path();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(path).expect("text").lines().map(row).collect())
        })
        .collect();
    found.sort();
    found
}

fn row(line: &str) -> Row {
    let mut cells = [0; 3];
    for (place, text) in line.split('\t').enumerate() {
        cells[place] = text.parse().expect("a whole number");
    }
    cells
}

/// The highest resident memory of this process in bytes (Linux).
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
}

/// The processor time of this process, all its threads together.
fn seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
