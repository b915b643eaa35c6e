//! How what is written is declared.

/// Structs that are written, and described for clients. A field with `= 1..` is at least 1.
macro_rules! written {
    ($($(#[$meta:meta])* $visible:vis struct $name:ident $(<$life:lifetime>)? {
        $($(#[$of_field:meta])* $seen:vis $field:ident: $type:ty $(= $least:tt..)?),* $(,)?
    })+) => {$(
        #[derive(serde::Serialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        $(#[$meta])*
        $visible struct $name $(<$life>)? {
            $($(#[$of_field])* $(#[cfg_attr(test, schemars(range(min = $least)))])? $seen $field: $type,)*
        }
    )+};
}

pub(super) use written;
