//! The parts of a form with files from a browser (RFC 7578), one after another while they arrive: memory holds no more of
//! it than arrived at once, and the head of one part.

use std::pin::Pin;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, header};
use memchr::memmem;

/// The longest head of a part.
const HEAD: usize = 8 << 10;
/// The longest boundary, as RFC 2046 has it.
const BOUNDARY: usize = 70;

/// Why a form could not be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FormFault {
    /// It is not a form.
    Foreign,
    /// It ended too early, or is not a form inside.
    Broken,
    /// It is larger than allowed.
    TooLarge,
}

/// What the head of a part says of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FormPart {
    pub(super) name: Option<String>,
    pub(super) file_name: Option<String>,
}

/// A form that is arriving.
pub(super) struct FormReader<B> {
    body: B,
    /// The bytes that arrived last, and how many of them have been processed.
    bytes: Vec<u8>,
    done: usize,
    /// The separator of parts.
    boundary: Vec<u8>,
    /// The number of bytes that may still arrive.
    left: u64,
    /// Whether the content of a part is being read.
    is_within: bool,
}

/// The boundary that the head of a request names.
fn boundary_of(headers: &HeaderMap) -> Option<String> {
    let kind = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let (kind, parameters) = kind.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let boundary = parameter(parameters, "boundary")?;
    (1..=BOUNDARY).contains(&boundary.len()).then_some(boundary)
}

/// A parameter out of `a=b; c="d"`. Only a quote has a backslash before it, since some browsers send whole paths.
fn parameter(mut rest: &str, wanted: &str) -> Option<String> {
    loop {
        let (name, after) = rest.split_once('=')?;
        let name = name.trim_matches([' ', '\t', ';']);
        let (value, after) = match after.trim_start().strip_prefix('"') {
            None => {
                let (value, after) = after.split_once(';').unwrap_or((after, ""));
                (value.trim().to_owned(), after)
            }
            Some(quoted) => {
                let mut value = String::new();
                let mut letters = quoted.char_indices().peekable();
                let end = loop {
                    match (letters.next()?, letters.peek()) {
                        ((_, '\\'), Some((_, '"'))) => {
                            letters.next();
                            value.push('"');
                        }
                        ((at, '"'), _) => break at + 1,
                        ((_, letter), _) => value.push(letter),
                    }
                };
                (value, quoted.get(end..).unwrap_or_default())
            }
        };
        if name.eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        rest = after;
    }
}

/// What the lines of a head say.
fn part_of(head: &[u8]) -> Option<FormPart> {
    let head = std::str::from_utf8(head).ok()?;
    let disposition = head.split("\r\n").find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim()
            .eq_ignore_ascii_case("content-disposition")
            .then_some(value)
    })?;
    let (kind, parameters) = disposition.split_once(';').unwrap_or((disposition, ""));
    kind.trim()
        .eq_ignore_ascii_case("form-data")
        .then(|| FormPart {
            name: parameter(parameters, "name"),
            file_name: parameter(parameters, "filename"),
        })
}

impl<B: HttpBody<Data = Bytes> + Unpin> FormReader<B> {
    /// The form that a request brings, of no more than so many bytes.
    pub(super) fn new(headers: &HeaderMap, body: B, most: u64) -> Result<FormReader<B>, FormFault> {
        let boundary = boundary_of(headers).ok_or(FormFault::Foreign)?;
        Ok(FormReader {
            body,
            // As if a line ended before the first boundary, as one does before all others.
            bytes: b"\r\n".to_vec(),
            done: 0,
            boundary: format!("\r\n--{boundary}").into_bytes(),
            left: most,
            is_within: true,
        })
    }

    /// The bytes that are not handed out yet.
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.done..).unwrap_or_default()
    }

    /// Hands out bytes.
    fn take(&mut self, count: usize) -> Vec<u8> {
        let taken = self.rest().get(..count).unwrap_or_default().to_vec();
        self.done += count;
        taken
    }

    /// Waits for more bytes.
    async fn more(&mut self) -> Result<(), FormFault> {
        loop {
            let body = &mut self.body;
            let frame = std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context));
            let frame = frame.await.ok_or(FormFault::Broken)?;
            let frame = frame.map_err(|_| FormFault::Broken)?;
            if let Ok(data) = frame.into_data()
                && !data.is_empty()
            {
                let left = self.left.checked_sub(data.len() as u64);
                self.left = left.ok_or(FormFault::TooLarge)?;
                self.bytes.drain(..self.done);
                self.done = 0;
                self.bytes.extend_from_slice(&data);
                return Ok(());
            }
        }
    }

    /// The next bytes of the part; none at its end.
    pub(super) async fn chunk(&mut self) -> Result<Option<Vec<u8>>, FormFault> {
        while self.is_within {
            if let Some(at) = memmem::find(self.rest(), &self.boundary) {
                if at > 0 {
                    return Ok(Some(self.take(at)));
                }
                self.done += self.boundary.len();
                self.is_within = false;
                break;
            }
            // A boundary may have begun at the end.
            let whole = (self.rest().len() + 1).saturating_sub(self.boundary.len());
            if whole > 0 {
                return Ok(Some(self.take(whole)));
            }
            self.more().await?;
        }
        Ok(None)
    }

    /// The next part; what is left of the one before is passed over.
    pub(super) async fn next_part(&mut self) -> Result<Option<FormPart>, FormFault> {
        while self.chunk().await?.is_some() {}
        let end = loop {
            if self.rest().starts_with(b"--") {
                return Ok(None);
            }
            // The line of the boundary ends like those of the head.
            if let Some(end) = memmem::find(self.rest(), b"\r\n\r\n") {
                break end;
            }
            if self.rest().len() > HEAD {
                return Err(FormFault::Broken);
            }
            self.more().await?;
        };
        let head = self.rest().get(..end).filter(|head| head.len() <= HEAD);
        let part = head.and_then(part_of).ok_or(FormFault::Broken)?;
        // The content may begin with the boundary, which the end of the head stands before.
        self.done += end + 2;
        self.is_within = true;
        self.begin_content().await?;
        Ok(Some(part))
    }

    /// Passes over the end of the head, where content stands behind it.
    async fn begin_content(&mut self) -> Result<(), FormFault> {
        while self.rest().len() < self.boundary.len() && self.boundary.starts_with(self.rest()) {
            self.more().await?;
        }
        if !self.rest().starts_with(&self.boundary) {
            self.done += 2;
        }
        Ok(())
    }
}

/// The body of a request as a form.
pub(super) type FormBody = FormReader<Body>;

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::convert::Infallible;
    use std::task::{Context, Poll};

    use axum::http::HeaderValue;
    use tabiya_testing::TestRandom;

    use super::*;

    /// A body that comes in pieces.
    struct PieceBody(VecDeque<Bytes>);

    impl HttpBody for PieceBody {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, Infallible>>> {
            Poll::Ready(
                self.0
                    .pop_front()
                    .map(|piece| Ok(hyper::body::Frame::data(piece))),
            )
        }
    }

    fn headers(kind: &str) -> HeaderMap {
        let value = HeaderValue::from_str(kind).expect("a header");
        HeaderMap::from_iter([(header::CONTENT_TYPE, value)])
    }

    type Parts = Vec<(Option<String>, Option<String>, Vec<u8>)>;

    fn read(kind: &str, body: &[u8], piece: usize, most: u64) -> Result<Parts, FormFault> {
        let pieces = body.chunks(piece).map(Bytes::copy_from_slice).collect();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let mut form = FormReader::new(&headers(kind), PieceBody(pieces), most)?;
            let mut parts = Vec::new();
            while let Some(part) = form.next_part().await? {
                let mut content = Vec::new();
                while let Some(chunk) = form.chunk().await? {
                    assert!(!chunk.is_empty() && chunk.len() <= body.len());
                    content.extend(chunk);
                }
                parts.push((part.name, part.file_name, content));
            }
            Ok(parts)
        })
    }

    const KIND: &str = "multipart/form-data; boundary=\"a b\"";

    #[test]
    fn parts_come_as_they_were_sent_in_any_pieces() {
        let content = b"\r\n--a \r\n--a\r\n-- \r\n\r\n--a c\n--a b\r\r\n".as_slice();
        let files: [(&str, &[u8]); 4] = [
            ("one.pgn", content),
            ("C:\\b\\two.pgn", b""),
            ("a\\\"b", b"\r\n"),
            ("ä", &[0xff, 0]),
        ];
        let mut body = b"what stands before is nothing".to_vec();
        for (name, content) in files {
            let head = format!(
                "\r\n--a b  \r\nContent-Type: a/b\r\ncontent-disposition:form-data ; name=\"file\" ;filename=\"{name}\"\r\n\r\n"
            );
            body.extend_from_slice(head.as_bytes());
            body.extend_from_slice(content);
        }
        body.extend_from_slice(b"\r\n--a b\r\nContent-Disposition: form-data; name=word\r\n\r\nsecret\r\n--a b--\r\nbehind it");
        for piece in 1..=body.len() {
            let parts = read(KIND, &body, piece, 1 << 20).expect("parts");
            assert_eq!(parts.len(), 5, "{piece}");
            for ((_, file_name, found), (name, content)) in parts.iter().zip(files) {
                assert_eq!(file_name.as_deref(), Some(&*name.replace("\\\"", "\"")));
                assert_eq!(found, content, "{piece}");
            }
            assert_eq!(parts[4], (Some("word".into()), None, b"secret".to_vec()));
        }
    }

    #[test]
    fn a_part_without_content_may_end_with_its_head() {
        let body = b"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n--x--";
        let kind = "multipart/form-data; boundary=x";
        for piece in 1..=body.len() {
            let parts = read(kind, body, piece, 1000);
            assert_eq!(parts, Ok(vec![(Some("a".into()), None, Vec::new())]));
        }
    }

    #[test]
    fn what_is_no_form_is_refused() {
        let foreign = Err(FormFault::Foreign);
        let long = format!("multipart/form-data; boundary={}", "x".repeat(71));
        for kind in [
            "text/plain",
            "multipart/form-data",
            "multipart/form-data; boundary=",
            "multipart/mixed; boundary=x",
            &long,
        ] {
            assert_eq!(read(kind, b"--x--", 5, 100), foreign, "{kind}");
        }
        let whole =
            b"--a b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nsome content\r\n--a b--";
        assert!(read(KIND, whole, 7, 1000).is_ok());
        for cut in 0..whole.len() - 1 {
            assert_eq!(
                read(KIND, &whole[..cut], 7, 1000),
                Err(FormFault::Broken),
                "{cut}"
            );
        }
        assert_eq!(read(KIND, whole, 7, 30), Err(FormFault::TooLarge));
        let endless = [b"--a b\r\nA: ".to_vec(), vec![b'x'; HEAD]].concat();
        let endless = [endless, b"\r\n\r\n\r\n--a b--".to_vec()].concat();
        assert_eq!(read(KIND, &endless, 100, 1 << 20), Err(FormFault::Broken));
        assert_eq!(
            read(KIND, &endless, 1 << 20, 1 << 20),
            Err(FormFault::Broken)
        );
    }

    #[test]
    fn any_bytes_end_in_parts_or_a_fault() {
        let words: [&[u8]; 9] = [
            b"\r\n--x",
            b"--",
            b"\r\n",
            b"\r\n\r\n",
            b"Content-Disposition: form-data",
            b"; name=\"",
            b"\"",
            b"\\",
            b"a",
        ];
        let mut random = TestRandom::new(tabiya_testing::seed());
        for _ in 0..3000 {
            let body: Vec<u8> = (0..random.below(30))
                .flat_map(|_| random.pick(&words).to_vec())
                .collect();
            let kind = "multipart/form-data; boundary=x";
            let one = read(kind, &body, 1, 1 << 20);
            assert_eq!(one, read(kind, &body, 7, 1 << 20));
            if let Ok(parts) = one {
                let taken: usize = parts.iter().map(|part| part.2.len()).sum();
                assert!(taken <= body.len());
            }
        }
    }
}
