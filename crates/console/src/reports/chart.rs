//! A bar chart for print, drawn as SVG: it needs no script.

use minijinja::{Value, context};

/// The height of the highest bar, in the units of the drawing.
const HEIGHT: f64 = 100.0;
/// From the left edge of a bar to that of the next one.
const STEP: usize = 20;

/// A bar for each of a series of values, none of which is negative.
pub(crate) struct BarChart {
    pub(crate) caption: String,
    /// Labels of the bars, and their values unless they are unknown.
    pub(crate) bars: Vec<(String, Option<f64>)>,
    /// Shows a value.
    pub(crate) text: fn(f64) -> String,
}

impl BarChart {
    /// What the template draws.
    pub(super) fn drawing(&self) -> Value {
        let known = self.bars.iter().filter_map(|(_, value)| *value);
        let highest = known.fold(0.0, f64::max);
        let bars: Value = self
            .bars
            .iter()
            .enumerate()
            .filter_map(|(place, (label, value))| {
                let value = (*value)?;
                let height = if highest > 0.0 { value / highest * HEIGHT } else { 0.0 };
                let (height, top) = (format!("{height:.2}"), format!("{:.2}", HEIGHT - height));
                Some(context! { x => place * STEP, top, height, label, value => (self.text)(value) })
            })
            .collect();
        let label = |bar: Option<&(String, Option<f64>)>| bar.map(|(label, _)| label.clone());
        context! {
            caption => self.caption.as_str(),
            width => (self.bars.len() * STEP).max(STEP),
            highest => (self.text)(highest),
            first => label(self.bars.first()),
            last => label(self.bars.last()),
            bars,
        }
    }
}
