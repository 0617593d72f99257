//! Options of learners, for a command line.

use super::settings::LearnerSettings;

/// A setting of a learner that has an option on the command line; several methods may have the same option.
#[derive(Clone, Copy, Debug)]
pub struct LearnerOption {
    /// The name: `trees` is `--trees`.
    pub name: &'static str,
    /// What stands for its value in the help: `N`.
    pub value: &'static str,
    /// A line of help, with the default.
    pub about: &'static str,
    /// What it takes, and how it changes the settings.
    pub set: SetOption,
}

/// What an option takes, and how it changes settings of its learner.
#[derive(Clone, Copy, Debug)]
pub enum SetOption {
    /// A number of something.
    Count(fn(&mut LearnerSettings, usize)),
    /// Several of them, such as the units of each layer.
    Counts(fn(&mut LearnerSettings, &[usize])),
    /// A number.
    Number(fn(&mut LearnerSettings, f64)),
    /// Two numbers with a comma between them.
    Pair(fn(&mut LearnerSettings, [f64; 2])),
    /// One of these names.
    Name(&'static [&'static str], fn(&mut LearnerSettings, &str)),
    /// Whether it is given.
    Switch(fn(&mut LearnerSettings, bool)),
}

/// The options of a type of settings: what each takes ([`SetOption`]), its name, what stands for its value, its
/// help, and what it changes. Options that networks have too (`hidden`, `dropout`, `learning-rate`,
/// `weight-decay`, `batch`) need no help.
///
/// ```
/// use rulebound::learner::{ForestSettings, LearnerOption, learner_options};
/// const OPTIONS: &[LearnerOption] = learner_options!(ForestSettings:
///     Count "trees" "N" "number of trees [default: 200]" |of, n| of.trees = n;
///     Switch "bagging" "" "draw the rows of each tree" |of, on| of.bagging = on;
/// );
/// assert_eq!(OPTIONS[0].name, "trees");
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! learner_options {
    ($settings:ty: $($take:ident $(($names:expr))? $name:literal $value:literal $about:literal $set:expr;)*) => {
        &[$($crate::learner::LearnerOption {
            name: $name,
            value: $value,
            about: $about,
            set: $crate::learner::SetOption::$take($($names,)? |settings, value| {
                let set: fn(&mut $settings, _) = $set;
                settings.change(|of| set(of, value));
            }),
        }),*]
    };
}

#[doc(inline)]
pub use learner_options;
