//! The texts that a device has to itself: DSN, serial number, and the numbers of customer and store. They stand in one block, so that
//! a search reads memory from its beginning to its end.

use memchr::memmem::Finder;

use crate::index::columns::OwnColumn;
use crate::index::filter::TextMatch;
use crate::texts::folding::fold;

/// The byte, which no text contains, that precedes a folded text.
const fn mark(column: OwnColumn) -> u8 {
    match column {
        OwnColumn::Dsn => 0xf8,
        OwnColumn::SerialNumber => 0xf9,
        OwnColumn::CustomerId => 0xfa,
        OwnColumn::StoreNumber => 0xfb,
    }
}

/// Precedes the DSN as it is, with which an entry begins.
const ENTRY: u8 = 0xfe;
/// Precedes a text without its hyphens.
const WITHOUT_HYPHENS: u8 = 0xfc;
/// All bytes that precede texts are at least this.
const FIRST_MARK: u8 = 0xf8;
/// The entry of no device.
const NONE: u32 = u32::MAX;
/// Room for texts that no device has any more is reclaimed when there is more of it than this and than the rest.
const MIN_WASTE: usize = 1 << 20;

/// The texts of all devices.
#[derive(Debug, Default)]
pub(super) struct OwnTexts {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// By device: its entry.
    entry_of: Vec<u32>,
    /// Bytes of entries that no device has.
    wasted: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Where it begins.
    at: u32,
    device: u32,
}

/// The texts of one device.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewTexts<'a> {
    pub(super) dsn: &'a str,
    pub(super) serial_number: &'a str,
    pub(super) customer_id: &'a str,
    pub(super) store_number: &'a str,
}

/// A condition on own texts.
#[derive(Debug)]
pub(super) struct OwnTextMatch {
    /// `None` for all of them.
    column: Option<OwnColumn>,
    place: Place,
    finder: Finder<'static>,
}

/// Where the text that is looked for stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Anywhere,
    Beginning,
    BeginningOfWord,
    Whole,
}

impl OwnTextMatch {
    pub(super) fn of(column: OwnColumn, text_match: &TextMatch) -> Self {
        let (place, needle) = match text_match {
            TextMatch::Exact(needle) => (Place::Whole, needle),
            TextMatch::Prefix(needle) => (Place::Beginning, needle),
            TextMatch::Contains(needle) => (Place::Anywhere, needle),
        };
        Self { column: Some(column), place, finder: Finder::new(needle).into_owned() }
    }

    /// Finds a word of a search in any of the texts.
    pub(super) fn of_word(text_match: &TextMatch) -> Self {
        let (place, needle) = match text_match {
            TextMatch::Contains(needle) => (Place::Anywhere, needle),
            TextMatch::Exact(needle) | TextMatch::Prefix(needle) => (Place::BeginningOfWord, needle),
        };
        Self { column: None, place, finder: Finder::new(needle).into_owned() }
    }

    /// Whether the needle, found at `at`, is where it must be.
    fn is_match(&self, bytes: &[u8], at: usize) -> bool {
        let before = bytes[at - 1];
        let is_in_place = match self.place {
            Place::Anywhere => true,
            Place::Beginning => before >= FIRST_MARK,
            Place::BeginningOfWord => before >= FIRST_MARK || before == b' ',
            Place::Whole => {
                before >= FIRST_MARK
                    && bytes.get(at + self.finder.needle().len()).is_none_or(|after| *after >= FIRST_MARK)
            }
        };
        is_in_place && {
            let before = bytes[..at].iter().rev().copied().find(|byte| *byte >= FIRST_MARK);
            before.is_some_and(|before| match self.column {
                Some(column) => before == mark(column),
                None => before != ENTRY,
            })
        }
    }

    /// Whether one of the places where the needle stands in `bytes` is right.
    fn is_in(&self, bytes: &[u8]) -> bool {
        if self.finder.needle().is_empty() {
            // Only texts that are empty, or that begin with nothing.
            return self.place != Place::Whole || self.column.is_some_and(|column| is_empty(bytes, column));
        }
        let mut from = 0;
        while let Some(at) = self.finder.find(&bytes[from..]) {
            if self.is_match(bytes, from + at) {
                return true;
            }
            from += at + 1;
        }
        false
    }
}

fn is_empty(bytes: &[u8], column: OwnColumn) -> bool {
    let begin = bytes.iter().position(|byte| *byte == mark(column));
    begin.is_none_or(|at| bytes.get(at + 1).is_none_or(|after| *after >= FIRST_MARK))
}

impl OwnTexts {
    pub(super) fn reserve(&mut self, devices: usize) {
        self.entries.reserve_exact(devices);
        self.entry_of.reserve_exact(devices);
    }

    /// Replaces the texts of a device.
    pub(super) fn set(&mut self, device: u32, texts: NewTexts<'_>) {
        self.clear(device);
        let at = u32::try_from(self.bytes.len()).expect("the texts of all devices have less than 4 GiB");
        self.bytes.push(ENTRY);
        self.bytes.extend_from_slice(texts.dsn.as_bytes());
        let own = [
            (OwnColumn::Dsn, texts.dsn),
            (OwnColumn::SerialNumber, texts.serial_number),
            (OwnColumn::CustomerId, texts.customer_id),
            (OwnColumn::StoreNumber, texts.store_number),
        ]
        .map(|(column, text)| (column, fold(text)));
        for (column, folded) in &own {
            self.bytes.push(mark(*column));
            self.bytes.extend_from_slice(folded.as_bytes());
        }
        for (_, folded) in own.iter().filter(|(_, folded)| folded.contains('-')) {
            self.bytes.push(WITHOUT_HYPHENS);
            self.bytes.extend(folded.bytes().filter(|byte| *byte != b'-'));
        }
        if self.entry_of.len() <= device as usize {
            self.entry_of.resize(device as usize + 1, NONE);
        }
        self.entry_of[device as usize] = u32::try_from(self.entries.len()).expect("there are as many as devices");
        self.entries.push(Entry { at, device });
    }

    /// Removes the texts of a device.
    pub(super) fn clear(&mut self, device: u32) {
        let Some(entry) = self.entry_of.get_mut(device as usize).filter(|entry| **entry != NONE) else { return };
        let entry = std::mem::replace(entry, NONE);
        self.wasted += self.range(entry).len();
        self.entries[entry as usize].device = NONE;
        if self.wasted > MIN_WASTE.max(self.bytes.len() / 2) {
            self.compact();
        }
    }

    fn compact(&mut self) {
        let mut bytes = Vec::with_capacity(self.bytes.len() - self.wasted);
        let mut entries = Vec::new();
        for (number, entry) in (0..).zip(&self.entries) {
            if entry.device != NONE {
                self.entry_of[entry.device as usize] = u32::try_from(entries.len()).expect("fewer than before");
                entries.push(Entry { at: u32::try_from(bytes.len()).expect("fewer than before"), ..*entry });
                bytes.extend_from_slice(&self.bytes[self.range(number)]);
            }
        }
        (self.bytes, self.entries, self.wasted) = (bytes, entries, 0);
    }

    fn range(&self, entry: u32) -> std::ops::Range<usize> {
        let end = self.entries.get(entry as usize + 1).map_or(self.bytes.len(), |next| next.at as usize);
        self.entries[entry as usize].at as usize..end
    }

    fn bytes_of(&self, device: u32) -> &[u8] {
        &self.bytes[self.range(self.entry_of[device as usize])]
    }

    /// The DSN as it is.
    pub(super) fn dsn(&self, device: u32) -> &str {
        let bytes = &self.bytes_of(device)[1..];
        let end = bytes.iter().position(|byte| *byte >= FIRST_MARK).unwrap_or(bytes.len());
        std::str::from_utf8(&bytes[..end]).unwrap_or_default()
    }

    /// A folded text.
    pub(super) fn folded(&self, device: u32, column: OwnColumn) -> &str {
        let bytes = self.bytes_of(device);
        let begin = bytes.iter().position(|byte| *byte == mark(column)).map_or(bytes.len(), |at| at + 1);
        let end = bytes[begin..].iter().position(|byte| *byte >= FIRST_MARK).map_or(bytes.len(), |at| begin + at);
        std::str::from_utf8(&bytes[begin..end]).unwrap_or_default()
    }

    /// Whether a device matches.
    pub(super) fn matches(&self, device: u32, wanted: &OwnTextMatch) -> bool {
        wanted.is_in(self.bytes_of(device))
    }

    /// By device: whether it matches. Reads the texts of all devices.
    pub(super) fn matching(&self, wanted: &OwnTextMatch) -> Vec<bool> {
        let mut found = vec![false; self.entry_of.len()];
        if wanted.finder.needle().is_empty() {
            let devices = self.entries.iter().filter(|entry| entry.device != NONE);
            devices.for_each(|entry| found[entry.device as usize] = self.matches(entry.device, wanted));
            return found;
        }
        let mut entry = 0;
        let mut from = 0;
        while let Some(at) = wanted.finder.find(&self.bytes[from..]) {
            let at = from + at;
            entry += self.entries[entry..].partition_point(|entry| entry.at as usize <= at) - 1;
            let device = self.entries[entry].device;
            from = at + 1;
            if device != NONE && wanted.is_match(&self.bytes, at) {
                found[device as usize] = true;
                from = self.entries.get(entry + 1).map_or(self.bytes.len(), |next| next.at as usize);
            }
        }
        found
    }

    /// Bytes of memory.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn bytes_used(&self) -> usize {
        self.bytes.capacity() + 8 * self.entries.capacity() + 4 * self.entry_of.capacity()
    }
}
