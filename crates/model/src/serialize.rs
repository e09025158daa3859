//! How data of the model is serialised, with the feature `serde`.
//!
//! Values with a usual text (dates, results, ECO codes) are that text; findings and losses are named by their stable names. The games
//! themselves have a schema of their own, NDJSON's.

use serde::ser::{Serialize, SerializeSeq, SerializeStruct, Serializer};

use crate::control::{JobCompletion, Progress};
use crate::database::{DatabaseInfo, WriteSummary};
use crate::date::Date;
use crate::diagnostic::{Diagnostic, Diagnostics, Location, Severity};
use crate::diff::GameDifference;
use crate::eco::EcoCode;
use crate::facts::FactsOverview;
use crate::loss::{GameAspect, Loss, LossReport, Losses};
use crate::nag::Nag;
use crate::outcome::Outcome;
use crate::rating::Rating;
use crate::tags::Tags;
use crate::time_control::TimeControl;

/// Serialises types as their `Display` text.
macro_rules! as_text {
    ($($kind:ty),*) => {$(
        impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }
    )*};
}

as_text!(Date, EcoCode, Outcome, Severity, TimeControl);

/// Serialises types as structures, each field as an expression of the value.
macro_rules! as_fields {
    ($kind:ty, $it:ident: $($name:literal = $value:expr),*) => {
        impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let $it = self;
                let count = [$($name),*].len();
                let mut fields = to.serialize_struct(stringify!($kind), count)?;
                $(fields.serialize_field($name, &$value)?;)*
                fields.end()
            }
        }
    };
}

as_fields!(Location, it: "file" = it.file, "game" = it.game, "byte" = it.byte, "line" = it.line, "column" = it.column, "ply" = it.ply);
as_fields!(Diagnostic, it: "code" = it.code.name, "severity" = it.code.severity, "place" = it.place, "message" = it.message);
as_fields!(Loss, it: "kind" = it.kind.name, "aspect" = it.kind.aspect, "game" = it.game, "detail" = it.detail);
as_fields!(DatabaseInfo, it: "format" = it.format, "version" = it.version, "files" = it.files, "games" = it.games, "fields" = it.fields);
as_fields!(WriteSummary, it: "games" = it.games, "bytes" = it.bytes, "files" = it.files, "notes" = it.notes);
as_fields!(FactsOverview, it: "first" = it.first, "last" = it.last, "deleted" = it.deleted);
as_fields!(Progress, it: "games" = it.games, "done" = it.done, "total" = it.total);
as_fields!(Rating, it: "kind" = format!("{:?}", it.kind).to_lowercase(), "value" = it.value);
as_fields!(GameDifference, it: "aspect" = it.aspect, "message" = it.message);

impl Serialize for GameAspect {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl Serialize for JobCompletion {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(match self {
            JobCompletion::Whole => "whole",
            JobCompletion::Stopped => "stopped",
            JobCompletion::TimeOver => "time-over",
            JobCompletion::StepsSpent => "steps-spent",
        })
    }
}

impl Serialize for Nag {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u32(self.0)
    }
}

/// Pairs of name and value, because names may repeat.
impl Serialize for Tags {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter().map(|tag| (tag.name, tag.value)))
    }
}

impl Serialize for Losses {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter())
    }
}

/// The findings that were kept; [`Diagnostics::counts`] has the number of all.
impl Serialize for Diagnostics {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter())
    }
}

impl Serialize for LossReport {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        struct LossKindEntry<'k>(&'static str, u64, &'k [Loss]);
        as_fields!(LossKindEntry<'_>, it: "kind" = it.0, "count" = it.1, "examples" = it.2);
        let mut all = to.serialize_seq(None)?;
        for (kind, count, examples) in self.kinds() {
            all.serialize_element(&LossKindEntry(kind.name, count, examples))?;
        }
        all.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::DiagnosticCode;

    static ODD: DiagnosticCode = DiagnosticCode {
        name: "odd-thing",
        severity: Severity::Warning,
        summary: "",
        help: "",
        page: "",
    };

    fn json(value: &impl Serialize) -> String {
        serde_json::to_string(value).expect("serialised")
    }

    #[test]
    fn values_are_what_people_write() {
        let date = Date::read("1992.11.??")
            .map(|(date, _)| date)
            .expect("a date");
        assert_eq!(json(&date), r#""1992.11.??""#);
        assert_eq!(json(&Outcome::Draw), r#""1/2-1/2""#);
        assert_eq!(json(&EcoCode::parse("B90").expect("a code")), r#""B90""#);
        assert_eq!(json(&Nag(5)), "5");
        assert_eq!(json(&JobCompletion::Stopped), r#""stopped""#);
        let mut tags = Tags::default();
        tags.push("White", "A \"B\"");
        tags.push("White", "C");
        assert_eq!(json(&tags), r#"[["White","A \"B\""],["White","C"]]"#);
        let found = Diagnostic::new(&ODD, Location::game(7).at_ply(3), "it is odd".to_owned());
        assert_eq!(
            json(&found),
            r#"{"code":"odd-thing","severity":"warning","place":{"file":null,"game":7,"byte":null,"line":null,"column":null,"ply":3},"message":"it is odd"}"#
        );
    }
}
