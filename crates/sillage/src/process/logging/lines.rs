//! Writes log entries to standard error, one line each.

use std::io::{Result as IoResult, Stderr, Write, stderr};

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

use super::journal;

/// Makes a writer for each entry.
pub(super) struct Lines;

impl<'a> MakeWriter<'a> for Lines {
    type Writer = OneLine<Stderr>;

    fn make_writer(&'a self) -> Self::Writer {
        OneLine { out: stderr(), prefix: journal::priority(Level::INFO) }
    }

    fn make_writer_for(&'a self, entry: &Metadata<'_>) -> Self::Writer {
        OneLine { out: stderr(), prefix: journal::priority(*entry.level()) }
    }
}

/// Writes each entry as one line: texts from elsewhere, such as a proxy's error page in place of a response, may have several.
pub(super) struct OneLine<W> {
    out: W,
    /// What the line begins with.
    prefix: &'static str,
}

impl<W: Write> Write for OneLine<W> {
    fn write(&mut self, entry: &[u8]) -> IoResult<usize> {
        let (text, end) = entry.split_at(entry.len() - usize::from(entry.ends_with(b"\n")));
        let mut line = Vec::with_capacity(self.prefix.len() + entry.len());
        line.extend(self.prefix.as_bytes());
        for byte in text {
            match byte {
                b'\n' => line.extend(br"\n"),
                b'\r' => line.extend(br"\r"),
                _ => line.push(*byte),
            }
        }
        line.extend(end);
        self.out.write_all(&line)?;
        Ok(entry.len())
    }

    fn flush(&mut self) -> IoResult<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_is_written_as_one_line() {
        for (entry, prefix, line) in [
            ("one\n", "", "one\n"),
            ("one\n", "<4>", "<4>one\n"),
            ("<html>\r\n<b>503</b>\n\n", "<3>", "<3><html>\\r\\n<b>503</b>\\n\n"),
            ("without an end", "", "without an end"),
            ("", "", ""),
        ] {
            let mut written = Vec::new();
            OneLine { out: &mut written, prefix }.write_all(entry.as_bytes()).unwrap();
            assert_eq!(String::from_utf8(written).unwrap(), line, "{entry:?}");
        }
    }
}
