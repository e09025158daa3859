//! A reader that ends when the user stops the job, even while a site is silent.

use std::io::{Error, ErrorKind, Read, Result};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use tabiya_model::Control;

/// How often it is looked whether the job was stopped.
const PERIOD: Duration = Duration::from_millis(100);

/// Bytes that are read at once.
const PART: usize = 64 << 10;

/// Parts that may wait.
const WAITING: usize = 4;

/// Another thread waits for the site, so that this one can stop at any time.
pub(crate) struct StoppableReader {
    /// An empty part is the end.
    parts: Receiver<Result<Vec<u8>>>,
    part: Vec<u8>,
    at: usize,
    is_over: bool,
    control: Control,
}

impl StoppableReader {
    pub(crate) fn new(reader: impl Read + Send + 'static, control: Control) -> StoppableReader {
        let (sender, parts) = sync_channel(WAITING);
        std::thread::spawn(move || read_parts(reader, &sender));
        StoppableReader {
            parts,
            part: Vec::new(),
            at: 0,
            is_over: false,
            control,
        }
    }
}

/// Reads until the end, a failure, or until nobody wants more.
fn read_parts(mut reader: impl Read, parts: &SyncSender<Result<Vec<u8>>>) {
    loop {
        let mut part = vec![0; PART];
        match reader.read(&mut part) {
            Ok(0) => break,
            Ok(length) => {
                part.truncate(length);
                if parts.send(Ok(part)).is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                let _ = parts.send(Err(error));
                return;
            }
        }
    }
    // The connection is free before the next request.
    drop(reader);
    let _ = parts.send(Ok(Vec::new()));
}

impl Read for StoppableReader {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        while self.at == self.part.len() {
            if self.control.is_stopped() {
                return Err(Error::other("stopped"));
            }
            if self.is_over {
                return Ok(0);
            }
            match self.parts.recv_timeout(PERIOD) {
                Ok(part) => {
                    self.part = part?;
                    self.at = 0;
                    self.is_over = self.part.is_empty();
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::from(ErrorKind::UnexpectedEof));
                }
            }
        }
        let left = self.part.get(self.at..).unwrap_or_default();
        let length = left.len().min(buffer.len());
        for (to, from) in buffer.iter_mut().zip(left) {
            *to = *from;
        }
        self.at += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Brings some bytes in small parts, then fails or ends.
    struct SmallParts(Vec<u8>, Option<ErrorKind>);

    impl Read for SmallParts {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            if let (true, Some(kind)) = (self.0.is_empty(), self.1) {
                return Err(kind.into());
            }
            let length = self.0.len().min(7).min(buffer.len());
            for (to, from) in buffer.iter_mut().zip(self.0.drain(..length)) {
                *to = from;
            }
            Ok(length)
        }
    }

    /// Says nothing for ever.
    struct Silence;

    impl Read for Silence {
        fn read(&mut self, _: &mut [u8]) -> Result<usize> {
            loop {
                std::thread::park();
            }
        }
    }

    #[test]
    fn everything_arrives_and_a_failure_is_no_end() {
        let all: Vec<u8> = (0..200_000_u32).map(|at| (at % 251) as u8).collect();
        let mut read = Vec::new();
        let source = SmallParts(all.clone(), None);
        StoppableReader::new(source, Control::default())
            .read_to_end(&mut read)
            .expect("read");
        assert!(read == all);
        let source = SmallParts(all.clone(), Some(ErrorKind::ConnectionReset));
        let mut read = Vec::new();
        let error = StoppableReader::new(source, Control::default())
            .read_to_end(&mut read)
            .expect_err("a failure");
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
        assert!(read == all);
    }

    #[test]
    fn silence_ends_when_the_job_is_stopped() {
        let control = Control::default();
        let mut reader = StoppableReader::new(Silence, control.clone());
        let stopping = std::thread::spawn(move || {
            std::thread::sleep(PERIOD);
            control.stop();
        });
        let error = reader.read(&mut [0; 8]).expect_err("stopped");
        assert_eq!(error.to_string(), "stopped");
        stopping.join().expect("stopped");
    }
}
