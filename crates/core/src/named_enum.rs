//! Enums whose variants have names: one line for each variant.

use std::fmt;

/// A name that an enum of named variants does not have.
///
/// ```
/// use rulebound_core::Dialect;
/// let error = "yaml".parse::<Dialect>().unwrap_err();
/// let expected = "`yaml` is not a rule format; expected `rules`, `ccn`, `edges`, `dimacs` or `pishield`";
/// assert_eq!(error.to_string(), expected);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownName {
    /// What the name should have been, with its article: `a rule format`.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// The names there are.
    pub known: &'static [&'static str],
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not {}; expected ", self.name, self.what)?;
        for (index, known) in self.known.iter().enumerate() {
            let separator = match index {
                0 => "",
                _ if index + 1 == self.known.len() => " or ",
                _ => ", ",
            };
            write!(f, "{separator}`{known}`")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownName {}

/// Defines an enum whose variants have names, with everything that follows from the names:
/// `ALL`, `NAMES`, `name()`, [`Display`](fmt::Display), and [`FromStr`](std::str::FromStr) with the
/// error [`UnknownName`].
///
/// After the name of the enum comes, with its article, what a user would call one of its variants.
/// After the name of a variant there may be other names that are read but never written.
///
/// ```
/// rulebound_core::named_enum! {
///     /// A side of a coin.
///     #[derive(Clone, Copy, PartialEq, Eq, Debug)]
///     pub enum Side: "a side" {
///         /// With the portrait.
///         Heads = "heads" | "obverse",
///         /// The other one.
///         Tails = "tails",
///     }
/// }
///
/// assert_eq!(Side::ALL, [Side::Heads, Side::Tails]);
/// assert_eq!(Side::Heads.to_string(), "heads");
/// assert_eq!("obverse".parse(), Ok(Side::Heads));
/// assert_eq!(
///     "edge".parse::<Side>().unwrap_err().to_string(),
///     "`edge` is not a side; expected `heads` or `tails`"
/// );
/// ```
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$meta:meta])*
        $visibility:vis enum $enum:ident: $what:literal {
            $(
                $(#[$variant_meta:meta])*
                $variant:ident = $name:literal $(| $alias:literal)*
            ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        $visibility enum $enum {
            $($(#[$variant_meta])* $variant),+
        }

        impl $enum {
            /// All variants, in order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// The names of all variants, in order.
            pub const NAMES: [&'static str; Self::ALL.len()] = [$($name),+];

            /// The name, as it is written in files and on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }

        impl ::std::fmt::Display for $enum {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::std::str::FromStr for $enum {
            type Err = $crate::UnknownName;

            fn from_str(name: &str) -> ::std::result::Result<Self, Self::Err> {
                match name {
                    $($name $(| $alias)* => ::std::result::Result::Ok(Self::$variant),)+
                    _ => ::std::result::Result::Err($crate::UnknownName {
                        what: $what,
                        name: name.to_owned(),
                        known: &Self::NAMES,
                    }),
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    named_enum! {
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        enum Size: "a size" {
            #[default]
            Small = "small" | "s",
            Large = "large" | "l" | "big",
        }
    }

    named_enum! {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        enum Only: "the only one" {
            One = "one",
        }
    }

    #[test]
    fn names_lead_back_to_their_variants() {
        for (size, name) in Size::ALL.into_iter().zip(Size::NAMES) {
            assert_eq!((size.name(), size.to_string().as_str()), (name, name));
            assert_eq!(name.parse(), Ok(size));
        }
        assert_eq!(("s".parse(), "big".parse()), (Ok(Size::Small), Ok(Size::Large)));
        assert_eq!(Size::default(), Size::Small);
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones_without_their_aliases() {
        let error = "Small".parse::<Size>().unwrap_err();
        assert_eq!(error.known, ["small", "large"]);
        assert_eq!(error.to_string(), "`Small` is not a size; expected `small` or `large`");
        let error = "two".parse::<Only>().unwrap_err();
        assert_eq!(error.to_string(), "`two` is not the only one; expected `one`");
        assert_eq!(Only::One.name(), "one");
    }

    #[test]
    fn names_are_padded_like_strings() {
        assert_eq!(format!("{:7}|{:>7}|", Size::Small, Size::Large), "small  |  large|");
    }
}
