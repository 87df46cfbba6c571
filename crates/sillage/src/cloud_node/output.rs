//! Output of commands.

use std::io::{Write, stdout};

/// Prints one line.
pub(crate) fn print_line(line: &str) -> anyhow::Result<()> {
    Ok(writeln!(stdout(), "{}", printable(line))?)
}

/// Prints a table with aligned columns.
pub(crate) fn print_table<const N: usize>(titles: [&str; N], rows: &[[String; N]]) -> anyhow::Result<()> {
    let titles = titles.map(str::to_owned);
    let rows: Vec<[String; N]> =
        [&titles].into_iter().chain(rows).map(|row| row.each_ref().map(|cell| printable(cell))).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; N] = std::array::from_fn(width);
    let mut out = stdout().lock();
    for row in &rows {
        let line: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        writeln!(out, "{}", line.join("  ").trim_end())?;
    }
    Ok(out.flush()?)
}

/// Replaces control characters, because names from users could contain terminal escape sequences.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Prints a text of several lines.
pub(crate) fn print_text(text: &str) -> anyhow::Result<()> {
    text.lines().try_for_each(print_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(printable("Ada\x1b[2J\n"), "Ada\u{fffd}[2J\u{fffd}");
        assert_eq!(printable("Zoë"), "Zoë");
    }
}
