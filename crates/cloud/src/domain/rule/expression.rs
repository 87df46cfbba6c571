//! The syntax tree of expressions.

use std::collections::BTreeSet;

use super::{Subject, SubjectSource, Value};

/// An expression. The parser limits its depth.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Constant(Value),
    /// The current value of the subject.
    Subject(Subject),
    /// Whether the event is about this subject and changed its value.
    Changed(Subject),
    /// Time of the last event of the source.
    Time(SubjectSource),
    CurrentTime,
    /// `||` of its parts.
    Any(Vec<Self>),
    /// `&&` of its parts.
    All(Vec<Self>),
    Compare(Box<Self>, Comparison, Box<Self>),
    /// Evaluated from left to right.
    Arithmetic(Box<Self>, Vec<(Operator, Self)>),
    /// Whether the first text contains the second.
    Contains(Box<Self>, Box<Self>),
    /// Latitude and longitude in degrees.
    Place(Box<Self>, Box<Self>),
    /// Distance of two places in units of this many kilometres.
    Distance(f64, Box<Self>, Box<Self>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Equal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Plus,
    Minus,
    Times,
    DividedBy,
}

impl Expression {
    /// The subjects whose events trigger an evaluation.
    pub(crate) fn subjects(&self) -> BTreeSet<&Subject> {
        let mut subjects = BTreeSet::new();
        self.walk(&mut |part| {
            if let Self::Subject(subject) | Self::Changed(subject) = part {
                subjects.insert(subject);
            }
        });
        subjects
    }

    /// The sources that it names.
    pub(crate) fn names(&self) -> BTreeSet<&SubjectSource> {
        let mut names: BTreeSet<&SubjectSource> = self.subjects().into_iter().map(|subject| &subject.source).collect();
        self.walk(&mut |part| {
            if let Self::Time(source) = part {
                names.insert(source);
            }
        });
        names
    }

    /// Whether it uses `changed`, which needs the previous value.
    pub(crate) fn uses_changed(&self) -> bool {
        let mut asks = false;
        self.walk(&mut |part| asks |= matches!(part, Self::Changed(_)));
        asks
    }

    fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Self)) {
        visit(self);
        match self {
            Self::Constant(_) | Self::Subject(_) | Self::Changed(_) | Self::Time(_) | Self::CurrentTime => {}
            Self::Any(parts) | Self::All(parts) => parts.iter().for_each(|part| part.walk(visit)),
            Self::Compare(one, _, other)
            | Self::Contains(one, other)
            | Self::Place(one, other)
            | Self::Distance(_, one, other) => {
                one.walk(visit);
                other.walk(visit);
            }
            Self::Arithmetic(first, rest) => {
                first.walk(visit);
                rest.iter().for_each(|(_, part)| part.walk(visit));
            }
        }
    }
}
