//! The attributes that every answer bears.

/// Types of answers: plain data that is serialised, and of which a schema is made where that is wanted.
macro_rules! answers {
    ($($(#[$attribute:meta])* pub $kind:ident $name:ident $(<$life:lifetime>)? { $($body:tt)* })*) => {$(
        #[derive(Clone, Debug, serde::Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        $(#[$attribute])*
        pub $kind $name $(<$life>)? { $($body)* }
    )*};
}

pub(crate) use answers;
