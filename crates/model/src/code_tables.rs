//! How formats list their findings and losses: one form of table for all formats.
//!
//! ```
//! tabiya_model::codes! {
//!     CUT = "sample-cut", Damage,
//!         "The file ends within a game.",
//!         "Look for a copy that was not cut.",
//!         "A longer explanation, which `check --explain sample-cut` prints below; it may be left out.";
//! }
//! tabiya_model::losses! {
//!     RAW = "sample-raw", Moves, "Movetext that could not be read has no place.";
//!     NO_COMMENTS = "sample-no-comments", Comments, "Comments were left out." => asked_for;
//! }
//! assert_eq!(CODES[0].name, "sample-cut");
//! assert!(!LOSSES[0].asked_for && LOSSES[1].asked_for);
//! ```

/// Defines a static [`crate::DiagnosticCode`] for each entry (name, severity, summary, help, page), and `CODES`, the list of them.
#[macro_export]
macro_rules! codes {
    ($($(#[$doc:meta])* $id:ident = $name:literal, $severity:ident, $summary:literal, $help:literal $(, $page:literal)?;)*) => {
        $(
            $(#[$doc])*
            #[doc = $summary]
            pub static $id: $crate::DiagnosticCode = $crate::DiagnosticCode {
                name: $name,
                severity: $crate::Severity::$severity,
                summary: $summary,
                help: $help,
                page: concat!($($page)?),
            };
        )*
        /// Every finding that reading can make.
        pub static CODES: &[&$crate::DiagnosticCode] = &[$(&$id),*];
    };
}

/// Defines a static [`crate::LossKind`] for each entry (name, aspect, summary), and `LOSSES`, the list of them. An entry that
/// ends in `=> asked_for` is left out because the user requested it.
#[macro_export]
macro_rules! losses {
    ($($(#[$doc:meta])* $id:ident = $name:literal, $aspect:ident, $summary:literal $(=> $asked_for:ident)?;)*) => {
        $(
            $(#[$doc])*
            #[doc = $summary]
            pub static $id: $crate::LossKind = $crate::LossKind {
                $($asked_for: true,)?
                ..$crate::LossKind::new($name, $crate::GameAspect::$aspect, $summary)
            };
        )*
        /// Every loss that writing can report.
        pub static LOSSES: &[&$crate::LossKind] = &[$(&$id),*];
    };
}
