use crate::error::messages;
use crate::error::{Error, ErrorKind, Result};

/// Replaces each `{}` with a percent-encoded argument.
pub(crate) fn fill(route: &str, arguments: &[&str]) -> Result<String> {
    let mut path = String::with_capacity(route.len() + 32);
    let mut arguments = arguments.iter();
    for (index, part) in route.split("{}").enumerate() {
        if index > 0 {
            let argument = arguments.next().copied().unwrap_or_default();
            // URL parsers resolve dot segments even if encoded, so these would reach another endpoint.
            if matches!(argument, "" | "." | "..") {
                return Err(Error::new(ErrorKind::InvalidArgument, messages::INVALID_PATH_ARGUMENT));
            }
            encode(argument, &mut path);
        }
        path.push_str(part);
    }
    Ok(path)
}

fn encode(argument: &str, path: &mut String) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in argument.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            path.push(byte.into());
        } else {
            path.push('%');
            path.push(HEX[usize::from(byte >> 4)].into());
            path.push(HEX[usize::from(byte & 15)].into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_encoded() {
        let table = [
            ("a/{}.json", "AC0", "a/AC0.json"),
            ("a/{}", "x y/z?&#%", "a/x%20y%2Fz%3F%26%23%25"),
            ("a/{}", "é", "a/%C3%A9"),
            ("a/{}/b", "../c", "a/..%2Fc/b"),
        ];
        for (route, argument, expected) in table {
            assert_eq!(fill(route, &[argument]).unwrap(), expected);
        }
    }

    #[test]
    fn arguments_that_change_the_path_are_rejected() {
        for argument in ["", ".", ".."] {
            assert_eq!(fill("a/{}/b", &[argument]).unwrap_err().kind(), ErrorKind::InvalidArgument);
        }
    }
}
