//! Signs that part words to their author, though HTML parts them by plain blanks alone, and META by plain commas.

/// Signs in place of commas.
pub(super) const COMMAS: [char; 3] = [',', ';', '|'];

/// True for one of [`COMMAS`].
pub(super) const fn is_comma(byte: u8) -> bool {
    matches!(byte, b',' | b';' | b'|')
}

/// True for a comma of another script or width, and for a sign that is not seen.
pub(super) fn is_odd(sign: char) -> bool {
    matches!(
        sign,
        '，' | '、' | '；' | '｜' | '،' | '؛' | '﹐' | '﹑' | '､' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}'
    )
}

/// True for all of these signs, and for blanks of any kind.
pub(super) fn parts(sign: char) -> bool {
    COMMAS.contains(&sign) || sign.is_whitespace() || is_odd(sign)
}
