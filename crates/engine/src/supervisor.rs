//! Keeps an engine running: one that crashes or hangs is restarted, and tries once more.

use tabiya_model::Control;

use crate::driver::{Engine, EngineSpec, EngineTimeouts};
use crate::error::{EngineError, EngineFault};

/// How often one piece of work may bring an engine down before it is given up.
const ATTEMPTS: u32 = 3;

/// The most notes that are kept.
const MOST_NOTES: usize = 50;

/// An engine that is started when needed and restarted when it fails.
#[derive(Debug)]
pub struct EngineSupervisor {
    spec: EngineSpec,
    patience: EngineTimeouts,
    engine: Option<Engine>,
    restarts: u64,
    has_worked: bool,
    notes: Vec<String>,
}

impl EngineSupervisor {
    /// Starts an engine, so that a failure to start shows here.
    pub fn start(
        spec: &EngineSpec,
        patience: EngineTimeouts,
        control: &Control,
    ) -> Result<EngineSupervisor, EngineError> {
        Ok(EngineSupervisor {
            spec: spec.clone(),
            patience,
            engine: Some(Engine::start(spec, patience, control)?),
            restarts: 0,
            has_worked: false,
            notes: Vec::new(),
        })
    }

    /// The engine's own name.
    #[must_use]
    pub fn id(&self) -> &str {
        self.engine
            .as_ref()
            .map_or(&self.spec.name, |engine| engine.id())
    }

    /// The process id, while it runs.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.engine.as_ref().map(Engine::process_id)
    }

    /// How often it was restarted.
    #[must_use]
    pub fn restarts(&self) -> u64 {
        self.restarts
    }

    /// Whether it has ever completed a task.
    #[must_use]
    pub fn has_worked(&self) -> bool {
        self.has_worked
    }

    /// Notes: failures that a restart fixed, and invalid lines.
    pub fn take_notes(&mut self) -> Vec<String> {
        if let Some(engine) = &mut self.engine {
            for oddity in engine.take_oddities() {
                note(&mut self.notes, format!("{}: {oddity}", self.spec.name));
            }
        }
        std::mem::take(&mut self.notes)
    }

    /// Runs a task. If the engine fails during it, it is run again from the start, and given up after several failures; the
    /// engine can then be used for something else.
    pub fn work<T>(
        &mut self,
        control: &Control,
        mut work: impl FnMut(&mut Engine) -> Result<T, EngineFault>,
    ) -> Result<T, EngineError> {
        let mut attempt = 1;
        loop {
            let mut engine = match self.engine.take() {
                Some(engine) => engine,
                None => {
                    self.restarts += 1;
                    Engine::start(&self.spec, self.patience, control)?
                }
            };
            let fault = match work(&mut engine) {
                Ok(done) => {
                    self.has_worked = true;
                    self.engine = Some(engine);
                    return Ok(done);
                }
                Err(fault) => fault,
            };
            let fatal = fault.is_fatal();
            let error = engine.error(fault);
            if !fatal {
                self.engine = Some(engine);
                return Err(error);
            }
            for oddity in engine.take_oddities() {
                note(&mut self.notes, format!("{}: {oddity}", self.spec.name));
            }
            drop(engine);
            // One that does not search has been waited for long enough.
            let is_idle = matches!(error.fault, EngineFault::Idle(_));
            if attempt == ATTEMPTS || is_idle || control.is_stopped() {
                return Err(error);
            }
            note(&mut self.notes, format!("{error}; it was restarted"));
            attempt += 1;
        }
    }
}

fn note(notes: &mut Vec<String>, note: String) {
    if notes.len() < MOST_NOTES && !notes.contains(&note) {
        notes.push(note);
    }
}
