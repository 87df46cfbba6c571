//! The distinct texts of a column.

use std::collections::HashMap;

use crate::texts::natural_order;

/// Texts that many devices share. A column contains their codes, which stay the same while a device has the text.
#[derive(Debug)]
pub(super) struct Dictionary {
    fold: fn(&str) -> String,
    texts: Vec<SharedText>,
    codes: HashMap<Box<str>, u32>,
    /// Codes that no text has.
    free: Vec<u32>,
    /// The codes of all texts in the order of the folded texts.
    order: Vec<u32>,
    /// By code: the place in the order. Texts that fold alike have the same.
    ranks: Vec<u32>,
    is_ordered: bool,
}

#[derive(Debug, Default)]
pub(super) struct SharedText {
    pub(super) text: Box<str>,
    pub(super) folded: Box<str>,
    /// The number of devices with it.
    uses: u32,
}

impl Dictionary {
    pub(super) fn new(fold: fn(&str) -> String) -> Self {
        Self {
            fold,
            texts: Vec::new(),
            codes: HashMap::new(),
            free: Vec::new(),
            order: Vec::new(),
            ranks: Vec::new(),
            is_ordered: true,
        }
    }

    /// The code of a text that one more device has.
    pub(super) fn acquire(&mut self, text: &str) -> u32 {
        let code = match self.codes.get(text) {
            Some(code) => *code,
            None => self.add(text),
        };
        self.texts[code as usize].uses += 1;
        code
    }

    /// One device less has the text.
    pub(super) fn release(&mut self, code: u32) {
        let text = &mut self.texts[code as usize];
        text.uses -= 1;
        if text.uses == 0 {
            let SharedText { text, .. } = std::mem::take(text);
            self.codes.remove(&text);
            self.free.push(code);
            self.is_ordered = false;
        }
    }

    fn add(&mut self, text: &str) -> u32 {
        let code = self.free.pop().unwrap_or_else(|| {
            self.texts.push(SharedText::default());
            u32::try_from(self.texts.len() - 1).expect("there are at most as many texts as devices")
        });
        self.texts[code as usize] = SharedText { text: text.into(), folded: (self.fold)(text).into(), uses: 0 };
        self.codes.insert(text.into(), code);
        self.is_ordered = false;
        code
    }

    /// Brings the ranks up to date.
    pub(super) fn order(&mut self) {
        if self.is_ordered {
            return;
        }
        let texts = &self.texts;
        let folded = |code: u32| &*texts[code as usize].folded;
        self.order = self.codes.values().copied().collect();
        self.order.sort_unstable_by(|one, other| natural_order::compare(folded(*one), folded(*other)));
        self.ranks = vec![0; texts.len()];
        let mut rank = 0;
        for (before, code) in self.order.iter().zip(self.order.iter().skip(1)) {
            rank += u32::from(folded(*before) != folded(*code));
            self.ranks[*code as usize] = rank;
        }
        self.is_ordered = true;
    }

    /// The code of a text, if a device has it.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        self.codes.get(text).copied()
    }

    /// Greater than every code.
    pub(super) fn codes(&self) -> usize {
        self.texts.len()
    }

    pub(super) fn text(&self, code: u32) -> &SharedText {
        &self.texts[code as usize]
    }

    /// The place of the text in the order.
    pub(super) fn rank(&self, code: u32) -> u32 {
        self.ranks[code as usize]
    }

    /// All texts in order, with their codes.
    pub(super) fn in_order(&self) -> impl Iterator<Item = (u32, &SharedText)> {
        self.order.iter().map(|code| (*code, self.text(*code)))
    }

    /// By code: whether the folded text matches.
    pub(super) fn matching(&self, is_match: impl Fn(&str) -> bool) -> Vec<bool> {
        self.texts.iter().map(|text| text.uses > 0 && is_match(&text.folded)).collect()
    }

    /// Bytes of memory.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn bytes_used(&self) -> usize {
        let letters: usize = self.texts.iter().map(|text| 2 * text.text.len() + text.folded.len()).sum();
        let entries =
            size_of::<SharedText>() * self.texts.capacity() + size_of::<(Box<str>, u32)>() * self.codes.capacity();
        letters + entries + 4 * (self.free.capacity() + self.order.capacity() + self.ranks.capacity())
    }

    /// By code: whether the text is this one.
    pub(super) fn equal(&self, text: &str) -> Vec<bool> {
        let code = self.find(text);
        (0..).zip(&self.texts).map(|(at, _)| Some(at) == code).collect()
    }
}
