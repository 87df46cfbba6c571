//! Parsers of subjects and assignments.

use winnow::combinator::{alt, delimited, not, peek, preceded, separated};
use winnow::error::ErrMode;
use winnow::stream::Stream;
use winnow::token::rest;
use winnow::{ModalResult, Parser};

use super::token::{argument, close, description, expected, open, quoted, token, word};
use super::{Input, OPERAND};
use crate::domain::rule::expression::{Comparison, Expression};
use crate::domain::rule::{Assignment, Subject, SubjectKind, SubjectSource, Value};

/// A subject, or a comparison when a state follows.
pub(super) fn subject(input: &mut Input<'_>) -> ModalResult<Expression> {
    let start = input.checkpoint();
    let name = word(input)?;
    let arity = match name {
        "DATAPOINT" | "DP" | "DATAPOINT_ACK" | "CONNECTION" => 2..=2,
        "CONNECTIVITY" | "LOCATION" => 1..=1,
        "REGISTRATION" => 1..=2,
        "ACTIVATION" | "VERSION" | "VIRTEVENT" => {
            input.reset(&start);
            return expected("a subject of which this cloud has events", input);
        }
        _ => {
            input.reset(&start);
            return expected(OPERAND, input);
        }
    };
    let arguments: Vec<&str> = delimited(open, separated(0.., argument, token(',')), close).parse_next(input)?;
    let device = |name: &str| SubjectSource::Device(name.to_owned());
    let of = |kind, source| Expression::Subject(Subject::of(kind, source));
    let of_property = |kind, dsn, property| Expression::Subject(Subject::of_property(kind, dsn, property));
    let found = match (name, arguments.as_slice()) {
        ("DATAPOINT" | "DP", [dsn, property]) => Some(of_property(SubjectKind::Datapoint, dsn, property)),
        ("DATAPOINT_ACK", [dsn, property]) => Some(of_property(SubjectKind::Ack, dsn, property)),
        ("CONNECTIVITY", [dsn]) => Some(of(SubjectKind::Connectivity, device(dsn))),
        ("REGISTRATION", [dsn]) => Some(of(SubjectKind::Registration, device(dsn))),
        ("LOCATION", [source]) => Some(of(SubjectKind::Location, SubjectSource::named(source))),
        ("CONNECTION", [dsn, state]) => {
            in_state(of(SubjectKind::Connectivity, device(dsn)), state, ["online", "offline"])
        }
        ("REGISTRATION", [dsn, state]) => {
            in_state(of(SubjectKind::Registration, device(dsn)), state, ["true", "false"])
        }
        _ => None,
    };
    if let Some(found) = found {
        return Ok(found);
    }
    input.reset(&start);
    match arguments.len() {
        given if arity.contains(&given) => expected("a state that the subject has", input),
        _ => expected("a subject with its arguments", input),
    }
}

/// Compares a subject with one of two states; `all` matches any known value.
fn in_state(subject: Expression, state: &str, [yes, no]: [&str; 2]) -> Option<Expression> {
    let (comparison, than) = match state.to_ascii_lowercase() {
        state if state == yes => (Comparison::Equal, 1.0),
        state if state == no => (Comparison::Equal, 0.0),
        state if state == "all" => (Comparison::GreaterOrEqual, 0.0),
        _ => return None,
    };
    Some(Expression::Compare(subject.into(), comparison, Expression::Constant(Value::Number(than)).into()))
}

/// `DATAPOINT(dsn,property) = value`
pub(super) fn assign(input: &mut Input<'_>) -> ModalResult<Assignment> {
    let start = input.checkpoint();
    let Expression::Subject(Subject {
        kind: SubjectKind::Datapoint,
        source: SubjectSource::Device(dsn),
        property: Some(property),
    }) = subject(input)?
    else {
        input.reset(&start);
        return expected("DATAPOINT", input);
    };
    // A comparison is not an assignment.
    let assigns = (token('='), peek(not('='))).context(description("=")).map_err(ErrMode::cut);
    let value = preceded(assigns, alt((quoted, rest.map(str::trim)))).parse_next(input)?;
    Ok(Assignment { dsn, property, value: value.to_owned() })
}
