//! The process in which the inputs run.

use std::{
    alloc::System,
    fs::File,
    io::{Seek, Write},
    path::Path,
    process::exit,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use cap::Cap;
use fastrand::Rng;
use tabiya_fuzz::{FuzzTarget, databases, file_parts, mutate, seeds, targets};

/// Beyond its limit this allocator fails, which aborts the process with a message.
#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// Longer than this no input may take; generous, because the machine may be busy.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// A stack on which recursion by nesting depth does not go unnoticed.
const STACK: usize = 2 * 1024 * 1024;

/// Counts the inputs that were begun; the watch compares it with what it saw before.
static BEGUN: AtomicU64 = AtomicU64::new(0);

/// `TARGET SEED MILLISECONDS RUNS all|damaged CORPUS SCRATCH`: what the parent asks for.
pub(crate) fn work(args: &[String]) -> Result<(), String> {
    let [name, seed, time, runs, kind, corpus, scratch] = args else {
        return Err("the worker is started by its parent".to_owned());
    };
    let number = |text: &str| text.parse::<u64>().map_err(|error| error.to_string());
    let target = targets::find(Path::new(corpus), name).ok_or("unknown target")?;
    let mut worker = FuzzWorker {
        rng: Rng::with_seed(number(seed)?),
        until: Instant::now() + Duration::from_millis(number(time)?),
        runs: number(runs)?,
        scratch: File::create(scratch).map_err(|error| error.to_string())?,
        samples: seeds::read(Path::new(corpus), &target)
            .into_iter()
            .map(|(_, sample)| sample)
            .collect(),
        target,
    };
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        // The memory that printing needs does not count.
        let _ = MEMORY.set_limit(usize::MAX);
        match info.location() {
            Some(at) => eprintln!("panic at {}:{}", at.file(), at.line()),
            None => eprintln!("panic"),
        }
        default(info);
        finish(101);
    }));
    let with_samples = kind == "all";
    thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            worker.run(with_samples);
            finish(0);
        })
        .map_err(|error| error.to_string())?;
    watch()
}

/// Says how many inputs were begun, for the parent to add up, and ends the process.
fn finish(code: i32) -> ! {
    println!("{}", BEGUN.load(Ordering::Relaxed));
    databases::sweep(std::process::id());
    exit(code)
}

/// Ends the process when one input takes too long.
fn watch() -> ! {
    let mut last = (BEGUN.load(Ordering::Relaxed), Instant::now());
    loop {
        thread::sleep(Duration::from_millis(100));
        let begun = BEGUN.load(Ordering::Relaxed);
        if begun != last.0 {
            last = (begun, Instant::now());
        } else if last.1.elapsed() > TIME_LIMIT {
            eprintln!("hang: one input took more than {TIME_LIMIT:?}");
            finish(102);
        }
    }
}

struct FuzzWorker {
    target: FuzzTarget,
    rng: Rng,
    until: Instant,
    runs: u64,
    scratch: File,
    samples: Vec<Vec<u8>>,
}

impl FuzzWorker {
    fn run(&mut self, with_samples: bool) {
        let samples = std::mem::take(&mut self.samples);
        if with_samples {
            self.input(&[]);
            samples.iter().for_each(|sample| self.input(sample));
        }
        while BEGUN.load(Ordering::Relaxed) < self.runs && Instant::now() < self.until {
            let data = self.damaged(&samples);
            self.input(&data);
        }
    }

    /// A sample with damage in one of its files, so that the others stay where they are.
    fn damaged(&mut self, samples: &[Vec<u8>]) -> Vec<u8> {
        let rng = &mut self.rng;
        let mut pick = || rng.choice(samples).map_or(&[][..], Vec::as_slice);
        let (sample, other) = (pick(), pick());
        let count = self.target.suffixes.len();
        let mut files: Vec<Vec<u8>> = file_parts::unpack(count, sample)
            .into_iter()
            .map(<[u8]>::to_vec)
            .collect();
        let others = file_parts::unpack(count, other);
        let at = rng.usize(0..files.len().max(1));
        if let (Some(file), Some(other)) = (files.get_mut(at), others.get(at)) {
            mutate::mutate(rng, file, other, self.target.words);
        }
        file_parts::pack(&files)
    }

    fn input(&mut self, data: &[u8]) {
        let kept = self
            .scratch
            .rewind()
            .and_then(|()| self.scratch.write_all(data))
            .and_then(|()| self.scratch.set_len(data.len() as u64));
        if let Err(error) = kept {
            eprintln!("the scratch file cannot be written: {error}");
            finish(103);
        }
        BEGUN.fetch_add(1, Ordering::Relaxed);
        let limit = MEMORY.allocated().saturating_add(self.target.budget);
        if MEMORY.set_limit(limit).is_err() {
            eprintln!("the memory limit cannot be set");
            finish(103);
        }
        self.target.run(data);
    }
}
