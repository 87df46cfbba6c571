//! Parser of expressions and assignments. Errors name the expected syntax and the position.

mod subject;
mod token;

use std::str::FromStr;

use winnow::ascii::{Caseless, multispace0};
use winnow::combinator::{alt, delimited, not, opt, peek, preceded, repeat, separated};
use winnow::error::{ContextError, ErrMode, ParseError, StrContext, StrContextValue};
use winnow::stream::Stream;
use winnow::token::{any as any_character, one_of};
use winnow::{LocatingSlice, ModalParser, ModalResult, Parser, Stateful};

use self::subject::{assign, subject};
use self::token::{argument, close, description, expected, is_in_a_word, number, open, quoted, token, word};
use super::expression::{Comparison, Expression, Operator};
use super::{Assignment, SubjectSource, Value};

/// Maximum nesting of parentheses, functions and signs.
const MAX_DEPTH: usize = 32;
const KILOMETRE: f64 = 1.0;
const MILE: f64 = 1.609_344;

const OPERAND: &str = "a number, a text, a subject, a function or a bracket";

/// A syntax error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} at character {at}")]
pub(crate) struct SyntaxError {
    expected: &'static str,
    /// Position in characters, starting at 1.
    pub(super) at: usize,
}

/// The input with the current nesting depth.
type Input<'a> = Stateful<LocatingSlice<&'a str>, usize>;

impl FromStr for Expression {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        read(preceded(multispace0, any), text, "an operator or the end")
    }
}

impl FromStr for Assignment {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        read(preceded(multispace0, assign), text, "the end")
    }
}

/// Runs a parser on a whole text. `or_else` is the expectation if the parser names none.
fn read<'a, T>(
    parser: impl ModalParser<Input<'a>, T, ContextError>,
    text: &'a str,
    or_else: &'static str,
) -> Result<T, SyntaxError> {
    let input = Stateful { input: LocatingSlice::new(text), state: 0 };
    let mut parser = parser;
    parser.parse(input).map_err(|error: ParseError<Input<'a>, ContextError>| {
        let expected = error.inner().context().find_map(|context| match context {
            StrContext::Expected(StrContextValue::Description(text)) => Some(*text),
            _ => None,
        });
        let before = text.get(..error.offset()).unwrap_or(text);
        SyntaxError { expected: expected.unwrap_or(or_else), at: before.chars().count() + 1 }
    })
}

/// `all || all`
fn any(input: &mut Input<'_>) -> ModalResult<Expression> {
    joined(all, or, Expression::Any).parse_next(input)
}

/// `compared && compared`
fn all(input: &mut Input<'_>) -> ModalResult<Expression> {
    joined(compared, and, Expression::All).parse_next(input)
}

/// A single part stays as it is.
fn joined<'a>(
    part: fn(&mut Input<'a>) -> ModalResult<Expression>,
    by: fn(&mut Input<'a>) -> ModalResult<()>,
    many: fn(Vec<Expression>) -> Expression,
) -> impl ModalParser<Input<'a>, Expression, ContextError> {
    separated(1.., part, by).map(move |mut parts: Vec<Expression>| match parts.len() {
        1 => parts.remove(0),
        _ => many(parts),
    })
}

fn or(input: &mut Input<'_>) -> ModalResult<()> {
    joint("||", "or", input)
}

fn and(input: &mut Input<'_>) -> ModalResult<()> {
    joint("&&", "and", input)
}

fn joint(symbol: &'static str, word: &'static str, input: &mut Input<'_>) -> ModalResult<()> {
    let word = (Caseless(word), not(one_of(is_in_a_word)));
    token(alt((symbol.void(), word.void()))).parse_next(input)
}

/// `sum < sum`
fn compared(input: &mut Input<'_>) -> ModalResult<Expression> {
    let comparison = token(alt((
        ">=".value(Comparison::GreaterOrEqual),
        "<=".value(Comparison::LessOrEqual),
        "==".value(Comparison::Equal),
        ">".value(Comparison::Greater),
        "<".value(Comparison::Less),
    )));
    let (one, other) = (sum, opt((comparison, sum))).parse_next(input)?;
    Ok(match other {
        Some((comparison, other)) => Expression::Compare(one.into(), comparison, other.into()),
        None => one,
    })
}

/// `product + product`
fn sum(input: &mut Input<'_>) -> ModalResult<Expression> {
    arithmetic(product, |input| token(alt(('+'.value(Operator::Plus), '-'.value(Operator::Minus)))).parse_next(input))
        .parse_next(input)
}

/// `signed * signed`
fn product(input: &mut Input<'_>) -> ModalResult<Expression> {
    arithmetic(signed, |input| {
        token(alt(('*'.value(Operator::Times), '/'.value(Operator::DividedBy)))).parse_next(input)
    })
    .parse_next(input)
}

fn arithmetic<'a>(
    part: fn(&mut Input<'a>) -> ModalResult<Expression>,
    operator: fn(&mut Input<'a>) -> ModalResult<Operator>,
) -> impl ModalParser<Input<'a>, Expression, ContextError> {
    (part, repeat(0.., (operator, part))).map(|(first, more): (_, Vec<_>)| match more.is_empty() {
        true => first,
        false => Expression::Arithmetic(Box::new(first), more),
    })
}

fn signed(input: &mut Input<'_>) -> ModalResult<Expression> {
    if opt(token('-')).parse_next(input)?.is_none() {
        return operand(input);
    }
    let part = deeper(signed).parse_next(input)?;
    Ok(Expression::Arithmetic(Expression::Constant(Value::Number(0.0)).into(), vec![(Operator::Minus, part)]))
}

fn operand(input: &mut Input<'_>) -> ModalResult<Expression> {
    match opt(peek(any_character)).parse_next(input)? {
        Some('(') => delimited(token('('), deeper(any), close).parse_next(input),
        Some('\'' | '"') => quoted(input).map(|text| Expression::Constant(Value::Text(text.to_owned()))),
        Some('0'..='9') => number(input).map(|number| Expression::Constant(Value::Number(number))),
        Some(first) if is_in_a_word(first) => deeper(named).parse_next(input),
        _ => expected(OPERAND, input),
    }
}

/// An operand that starts with a word: a subject, a function or a boolean.
fn named(input: &mut Input<'_>) -> ModalResult<Expression> {
    let start = input.checkpoint();
    let name = word(input)?;
    match name.to_ascii_lowercase().as_str() {
        "true" => Ok(Expression::Constant(Value::flag(true))),
        "false" => Ok(Expression::Constant(Value::flag(false))),
        "str_equals" => two(input).map(|(one, other)| Expression::Compare(one, Comparison::Equal, other)),
        "str_contains" => two(input).map(|(text, part)| Expression::Contains(text, part)),
        "lat_long" => two(input).map(|(lat, lng)| Expression::Place(lat, lng)),
        "distance_km" => two(input).map(|(one, other)| Expression::Distance(KILOMETRE, one, other)),
        "distance_miles" => two(input).map(|(one, other)| Expression::Distance(MILE, one, other)),
        "current_time" => (open, close).value(Expression::CurrentTime).parse_next(input),
        "changed" => delimited(open, changed, close).parse_next(input),
        "time" => delimited(open, time, close).parse_next(input),
        _ => {
            input.reset(&start);
            subject(input)
        }
    }
}

/// The arguments of a function with two parameters.
fn two(input: &mut Input<'_>) -> ModalResult<(Box<Expression>, Box<Expression>)> {
    let comma = token(',').context(description("a comma")).map_err(ErrMode::cut);
    delimited(open, (any, preceded(comma, any)), close)
        .map(|(one, other)| (Box::new(one), Box::new(other)))
        .parse_next(input)
}

fn changed(input: &mut Input<'_>) -> ModalResult<Expression> {
    let start = input.checkpoint();
    match subject(input)? {
        Expression::Subject(subject) => Ok(Expression::Changed(subject)),
        _ => {
            input.reset(&start);
            expected("a subject", input)
        }
    }
}

/// A quoted instant, or the source whose last event counts.
fn time(input: &mut Input<'_>) -> ModalResult<Expression> {
    let start = input.checkpoint();
    if let Some('\'' | '"') = opt(peek(any_character)).parse_next(input)? {
        return match quoted(input)?.parse::<jiff::Timestamp>() {
            Ok(at) => Ok(Expression::Constant(Value::instant(at))),
            Err(_) => {
                input.reset(&start);
                expected("an instant such as '2026-11-20T10:00:00Z'", input)
            }
        };
    }
    argument(input).map(|name| Expression::Time(SubjectSource::named(name)))
}

/// Parses one level deeper. Limited because parsing and evaluation are recursive.
fn deeper<'a>(
    part: fn(&mut Input<'a>) -> ModalResult<Expression>,
) -> impl ModalParser<Input<'a>, Expression, ContextError> {
    move |input: &mut Input<'a>| {
        if input.state == MAX_DEPTH {
            return expected("no more than 32 levels", input);
        }
        input.state += 1;
        let found = part(input)?;
        input.state -= 1;
        Ok(found)
    }
}
