//! The attributes of every answer.

/// Types of answers: plain data that is serialised, with a schema if the feature `schema` is on.
macro_rules! answers {
    ($($(#[$attribute:meta])* pub $kind:ident $name:ident $(<$life:lifetime>)? { $($body:tt)* })*) => {$(
        #[derive(Clone, Debug, serde::Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        $(#[$attribute])*
        pub $kind $name $(<$life>)? { $($body)* }
    )*};
}

pub(crate) use answers;
