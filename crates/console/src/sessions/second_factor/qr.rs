//! QR codes for authenticator apps.

use qrcodegen::{QrCode as Symbol, QrCodeEcc};
use serde::Serialize;
use utoipa::ToSchema;

/// A QR code to draw. It needs a light margin of four modules.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct QrCode {
    /// Number of modules on each side.
    size: i32,
    /// The dark modules as the path of an SVG with this size.
    path: String,
}

impl QrCode {
    /// `None` if the text is too long.
    pub(super) fn of(text: &str) -> Option<Self> {
        let symbol = Symbol::encode_text(text, QrCodeEcc::Medium).ok()?;
        let size = symbol.size();
        let dark = (0..size).flat_map(|y| (0..size).map(move |x| (x, y))).filter(|(x, y)| symbol.get_module(*x, *y));
        let path = dark.map(|(x, y)| format!("M{x} {y}h1v1h-1z")).collect();
        Some(Self { size, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_has_the_finder_patterns_of_the_corners() {
        let code = QrCode::of("otpauth://totp/Sillage:tess@example.com?secret=GEZDGNBVGY3TQOJQ").unwrap();
        let last = code.size - 1;
        for corner in ["M0 0h".to_owned(), format!("M{last} 0h"), format!("M0 {last}h")] {
            assert!(code.path.contains(&corner), "{corner}");
        }
        assert!(!code.path.contains("M1 1h"), "the ring of a finder pattern is light");
        assert!(QrCode::of(&"x".repeat(5000)).is_none());
    }
}
