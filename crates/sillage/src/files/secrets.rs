//! Reads secrets from files. Errors never quote the content of such a file.

use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};
use console::SecretText;

/// No secret is this long, so a longer file must be the wrong one.
const MAX_BYTES: u64 = 4096;

/// Reads a secret of one line.
pub(crate) fn text(path: &Path) -> anyhow::Result<SecretText> {
    line(path).map(SecretText::from)
}

/// Reads a 256-bit key written as hexadecimal digits.
pub(crate) fn key(path: &Path) -> anyhow::Result<[u8; 32]> {
    let mut key = [0; 32];
    // The decoder's error is dropped because it quotes its input.
    match hex::decode_to_slice(line(path)?, &mut key) {
        Ok(()) => Ok(key),
        Err(_) => bail!("{} does not contain 64 hexadecimal digits", path.display()),
    }
}

/// Reads the only line of a file.
pub(crate) fn line(path: &Path) -> anyhow::Result<String> {
    let file = fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut text = String::new();
    let read = file.take(MAX_BYTES + 1).read_to_string(&mut text);
    read.with_context(|| format!("cannot read {}", path.display()))?;
    let line = text.trim();
    if line.is_empty() {
        bail!("{} is empty", path.display());
    }
    if line.lines().count() > 1 || text.len() as u64 > MAX_BYTES {
        bail!("{} contains more than one line", path.display());
    }
    Ok(line.to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn file(folder: &tempfile::TempDir, content: impl AsRef<[u8]>) -> PathBuf {
        let path = folder.path().join("secret");
        fs::write(&path, content).unwrap();
        path
    }

    #[test]
    fn secret_is_read_without_its_line_ending() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(line(&file(&folder, "hush, hush\n")).unwrap(), "hush, hush");
        assert_eq!(key(&file(&folder, format!("{}\r\n", "0a".repeat(32)))).unwrap(), [10; 32]);
    }

    #[test]
    fn invalid_secret_file_is_rejected_without_quoting_it() {
        let folder = tempfile::tempdir().unwrap();
        for (content, expected) in [
            (b"".as_slice(), "is empty"),
            (b" \n", "is empty"),
            (b"hush\nhush", "more than one line"),
            ("hush".repeat(2000).as_bytes(), "more than one line"),
            (b"hush\xff", "cannot read"),
        ] {
            let error = format!("{:#}", line(&file(&folder, content)).unwrap_err());
            assert!(error.contains(expected) && !error.contains("hush"), "{error}");
        }
        for digits in ["hush".repeat(16), "0a".repeat(31), "0a".repeat(33)] {
            let error = format!("{:#}", key(&file(&folder, &digits)).unwrap_err());
            assert!(error.contains("64 hexadecimal digits") && !error.contains(&digits), "{error}");
        }
        let missing = folder.path().join("missing");
        assert!(format!("{:#}", line(&missing).unwrap_err()).contains("missing"));
    }
}
