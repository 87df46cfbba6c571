//! Texts that no field of any service accepts.

/// NUL, control characters and a text of 4,400 characters. None of them satisfies the password rules, which allow any character.
#[must_use]
pub fn refused_texts() -> [String; 4] {
    ["\0".to_owned(), "a\0b".to_owned(), "a\u{1b}[31m\r\nb".to_owned(), long_number()]
}

/// Has the characters of a serial number, and cannot be compressed to the size that PostgreSQL allows for a row of an index.
#[must_use]
pub fn long_number() -> String {
    let mut state = 7_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"[(state >> 58) as usize])
    };
    (0..4400).map(|_| next()).collect()
}
