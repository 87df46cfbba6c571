//! An expression that was read.

use std::collections::BTreeSet;

use super::{Subject, SubjectSource, Value};

/// An expression. How deep it goes is bounded by the parser.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expression {
    Constant(Value),
    /// What the subject is now.
    Subject(Subject),
    /// Whether it is this that happened, and made it another.
    Changed(Subject),
    /// When something of theirs last happened.
    Time(SubjectSource),
    CurrentTime,
    /// One of them, with `||`.
    Any(Vec<Self>),
    /// Each of them, with `&&`.
    All(Vec<Self>),
    Compare(Box<Self>, Comparison, Box<Self>),
    /// From left to right.
    Arithmetic(Box<Self>, Vec<(Operator, Self)>),
    /// Whether the first text has the second in it.
    Contains(Box<Self>, Box<Self>),
    /// Degrees north and east.
    Place(Box<Self>, Box<Self>),
    /// Between two places, in units of so many kilometres.
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
    /// What it is about: it is looked at when one of them happens.
    pub(crate) fn subjects(&self) -> BTreeSet<&Subject> {
        let mut subjects = BTreeSet::new();
        self.walk(&mut |part| {
            if let Self::Subject(subject) | Self::Changed(subject) = part {
                subjects.insert(subject);
            }
        });
        subjects
    }

    /// Everybody whom it names.
    pub(crate) fn names(&self) -> BTreeSet<&SubjectSource> {
        let mut names: BTreeSet<&SubjectSource> = self.subjects().into_iter().map(|subject| &subject.source).collect();
        self.walk(&mut |part| {
            if let Self::Time(source) = part {
                names.insert(source);
            }
        });
        names
    }

    /// Whether it asks what something was before.
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
