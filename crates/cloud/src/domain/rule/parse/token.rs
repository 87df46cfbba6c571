//! Parsers of tokens: words, numbers and texts with trailing whitespace. They name what was expected.

use winnow::ascii::{digit1, multispace0};
use winnow::combinator::{opt, terminated};
use winnow::error::{AddContext, ContextError, ErrMode, ParserError, StrContext, StrContextValue};
use winnow::stream::Stream;
use winnow::token::{one_of, take_while};
use winnow::{ModalParser, ModalResult, Parser};

use super::{Input, OPERAND};

/// Maximum length of a device or property name, in bytes.
const LONGEST_NAME: usize = 255;

/// An unquoted argument: a serial number, property name, UUID or state.
pub(super) fn argument<'a>(input: &mut Input<'a>) -> ModalResult<&'a str> {
    let start = input.checkpoint();
    let name = take_while(0.., |character| !matches!(character, ',' | '(' | ')')).parse_next(input)?;
    let name = str::trim(name);
    if name.is_empty() || name.len() > LONGEST_NAME || name.contains(char::is_control) {
        input.reset(&start);
        return expected("a name", input);
    }
    Ok(name)
}

pub(super) fn word<'a>(input: &mut Input<'a>) -> ModalResult<&'a str> {
    let word = token(take_while(1.., is_in_a_word));
    word.context(description(OPERAND)).map_err(ErrMode::cut).parse_next(input)
}

pub(super) fn is_in_a_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

pub(super) fn number(input: &mut Input<'_>) -> ModalResult<f64> {
    token((digit1, opt(('.', digit1))).take())
        .verify_map(|text: &str| text.parse().ok().filter(|number: &f64| number.is_finite()))
        .context(description("a number"))
        .map_err(ErrMode::cut)
        .parse_next(input)
}

/// A text in single or double quotes. It cannot contain its own quote.
pub(super) fn quoted<'a>(input: &mut Input<'a>) -> ModalResult<&'a str> {
    let quote = one_of(['\'', '"']).parse_next(input)?;
    let text = take_while(0.., move |character| character != quote).parse_next(input)?;
    token(one_of(quote)).context(description("the closing quote")).map_err(ErrMode::cut).parse_next(input)?;
    Ok(text)
}

pub(super) fn open(input: &mut Input<'_>) -> ModalResult<()> {
    token('(').void().context(description("an opening bracket")).map_err(ErrMode::cut).parse_next(input)
}

pub(super) fn close(input: &mut Input<'_>) -> ModalResult<()> {
    token(')').void().context(description("a closing bracket")).map_err(ErrMode::cut).parse_next(input)
}

/// Followed by optional whitespace.
pub(super) fn token<'a, T>(
    parser: impl ModalParser<Input<'a>, T, ContextError>,
) -> impl ModalParser<Input<'a>, T, ContextError> {
    terminated(parser, multispace0)
}

pub(super) fn description(text: &'static str) -> StrContext {
    StrContext::Expected(StrContextValue::Description(text))
}

/// Fails with this expectation, without trying alternatives.
pub(super) fn expected<T>(what: &'static str, input: &Input<'_>) -> ModalResult<T> {
    let error = ContextError::from_input(input).add_context(input, &input.checkpoint(), description(what));
    Err(ErrMode::Cut(error))
}
