//! Output of commands.

use std::io::{Write, stdout};

use serde::Serialize;

/// How a list is printed.
#[derive(clap::Args)]
pub(crate) struct ListFormat {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ListFormat {
    /// Prints the items as JSON, or as a table with a row for each.
    pub(crate) fn print<T: Serialize, const N: usize>(
        &self,
        items: &[T],
        titles: [&str; N],
        row: impl Fn(&T) -> [String; N],
    ) -> anyhow::Result<()> {
        match self.json {
            true => print_json(&items),
            false => print_table(titles, &items.iter().map(row).collect::<Vec<_>>()),
        }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.json
    }
}

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

/// Prints JSON.
pub(crate) fn print_json(content: &impl Serialize) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(content)?;
    Ok(writeln!(stdout(), "{}", with_escapes(&text))?)
}

/// Escapes the control characters that JSON may contain as they are.
fn with_escapes(json: &str) -> String {
    let escape = |c: char| match c {
        '\n' => "\n".to_owned(),
        c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    json.chars().map(escape).collect()
}

/// Replaces control characters, because names from users could contain terminal escape sequences.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Prints a text of several lines.
pub(crate) fn print_text(text: &str) -> anyhow::Result<()> {
    text.lines().try_for_each(print_line)
}

/// Prints how many migrations were applied.
pub(crate) fn print_migrated(steps: usize) -> anyhow::Result<()> {
    match steps {
        0 => print_line("The schema was up to date already."),
        1 => print_line("Migrated: 1 step."),
        steps => print_line(&format!("Migrated: {steps} steps.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(printable("Ada\x1b[2J\n"), "Ada\u{fffd}[2J\u{fffd}");
        assert_eq!(printable("Zoë"), "Zoë");
        let json = serde_json::to_string_pretty(&["Ada\x1b\u{9b}2J\x7f\n"]).unwrap();
        assert_eq!(with_escapes(&json), "[\n  \"Ada\\u001b\\u009b2J\\u007f\\n\"\n]");
    }
}
