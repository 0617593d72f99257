//! Options of methods that are not networks, as the registry of learners has them.

use crate::failure::Failure;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use rulebound::learner::{self, LearnerOption, LearnerSettings, SetOption};
use rulebound::train::Method;

/// Options that networks have too.
const OF_NETWORKS: [&str; 5] = ["hidden", "dropout", "learning-rate", "weight-decay", "batch"];

/// Options of methods that are not networks; each says which methods it is for.
pub struct LearnerArguments {
    pub plain: bool,
    given: Vec<Given>,
}

/// An option that was given.
pub type Given = (&'static str, GivenValue);

/// Its value.
#[derive(Clone)]
pub enum GivenValue {
    Count(usize),
    Counts(Vec<usize>),
    Number(f64),
    Pair([f64; 2]),
    Name(String),
    Switch,
}

/// Every option once, with the methods it is for.
fn options() -> Vec<(&'static LearnerOption, Vec<&'static str>)> {
    let mut options: Vec<(&LearnerOption, Vec<&str>)> = Vec::new();
    for method in learner::methods() {
        for option in method.options.iter().filter(|option| !OF_NETWORKS.contains(&option.name)) {
            match options.iter_mut().find(|(other, _)| other.name == option.name) {
                Some((_, methods)) => methods.push(method.name),
                None => options.push((option, vec![method.name])),
            }
        }
    }
    options
}

impl LearnerArguments {
    /// The settings of a method with the given options, from those that it has by itself or by a preset; `network`
    /// are options of networks, some of which other methods have.
    ///
    /// # Errors
    /// If an option is given that is not one of the method.
    pub fn settings(
        &self,
        method: Method,
        base: Option<LearnerSettings>,
        network: &[Given],
    ) -> Result<Option<LearnerSettings>, Failure> {
        let own = method.learner().map_or(&[][..], |learner| learner.options);
        let shared = network.iter().filter(|_| !method.is_network());
        let mut settings = base.or_else(|| method.learner_settings());
        for (name, given) in self.given.iter().chain(shared) {
            let option = own.iter().find(|option| option.name == *name);
            let (Some(option), Some(settings)) = (option, &mut settings) else {
                let options = options();
                let methods = options.iter().find(|(option, _)| option.name == *name);
                let methods = methods.map_or(String::new(), |(_, methods)| listed(methods));
                let text = format!("--{name}: for {methods} only, not for --method {method}");
                return Err(Failure::Usage(text));
            };
            match (option.set, given) {
                (SetOption::Count(set), GivenValue::Count(count)) => set(settings, *count),
                (SetOption::Counts(set), GivenValue::Counts(counts)) => {
                    // `--hidden 0` is no hidden layer.
                    let counts: Vec<usize> = counts.iter().copied().filter(|&n| n > 0).collect();
                    set(settings, &counts);
                }
                (SetOption::Count(set), GivenValue::Counts(counts)) => match counts[..] {
                    [count] => set(settings, count),
                    _ => {
                        let text =
                            format!("--{name}: one number, the units of all layers of {method}");
                        return Err(Failure::Usage(text));
                    }
                },
                (SetOption::Number(set), GivenValue::Number(number)) => set(settings, *number),
                (SetOption::Pair(set), GivenValue::Pair(pair)) => set(settings, *pair),
                (SetOption::Name(_, set), GivenValue::Name(name)) => set(settings, name),
                (SetOption::Switch(set), GivenValue::Switch) => set(settings, true),
                _ => unreachable!("--{name} takes the same for all methods"),
            }
        }
        Ok(settings)
    }
}

/// Two numbers with a comma.
fn pair(text: &str) -> Result<[f64; 2], String> {
    let wrong = || format!("`{text}` is not two numbers with a comma between them");
    let (first, second) = text.split_once(',').ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse().map_err(|_| wrong());
    Ok([number(first)?, number(second)?])
}

/// `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names {
        [names @ .., last] if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        names => names.join(""),
    }
}

impl Args for LearnerArguments {
    fn augment_args(command: Command) -> Command {
        let plain = Arg::new("plain").long("plain").action(ArgAction::SetTrue).help(
            "Leave the constraint layer out; predictions may break rules (networks: --method none)",
        );
        let argument = |(option, methods): (&'static LearnerOption, Vec<&str>)| {
            let help = format!("{}: {}", methods.join(", "), option.about);
            let argument = Arg::new(option.name).long(option.name).help(help);
            match option.set {
                SetOption::Switch(_) => return argument.action(ArgAction::SetTrue),
                SetOption::Count(_) => argument.value_parser(value_parser!(usize)),
                SetOption::Counts(_) => {
                    argument.value_parser(value_parser!(usize)).value_delimiter(',')
                }
                SetOption::Number(_) => argument.value_parser(value_parser!(f64)),
                SetOption::Pair(_) => argument.value_parser(pair),
                SetOption::Name(names, _) => {
                    argument.value_parser(PossibleValuesParser::new(names))
                }
            }
            .value_name(option.value)
        };
        let command = command.next_help_heading("Other methods").arg(plain);
        command.args(options().into_iter().map(argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LearnerArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |(option, _): (&'static LearnerOption, _)| {
            let name = option.name;
            let value = match option.set {
                SetOption::Count(_) => matches.get_one(name).copied().map(GivenValue::Count),
                SetOption::Counts(_) => matches
                    .get_many(name)
                    .map(|counts| GivenValue::Counts(counts.copied().collect())),
                SetOption::Number(_) => matches.get_one(name).copied().map(GivenValue::Number),
                SetOption::Pair(_) => matches.get_one(name).copied().map(GivenValue::Pair),
                SetOption::Name(..) => matches.get_one(name).cloned().map(GivenValue::Name),
                SetOption::Switch(_) => matches.get_flag(name).then_some(GivenValue::Switch),
            };
            value.map(|value| (name, value))
        };
        let given = options().into_iter().filter_map(given).collect();
        Ok(Self { plain: matches.get_flag("plain"), given })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_two_numbers() {
        assert_eq!(pair("0.5, 1").unwrap(), [0.5, 1.0]);
        for wrong in ["", "0.5", "0.5,", "a,1", "1,2,3"] {
            assert!(pair(wrong).is_err(), "{wrong}");
        }
    }
}
