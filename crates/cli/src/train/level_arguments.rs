//! Options of the methods for hierarchies that are trained by epochs: lmlp, hmcn-f, hmcn-r, dhn.

use super::settings::NetworkOptions;
use crate::failure::Failure;
use clap::Args;
use rulebound::learner::{LearnerSettings, LevelNetworkSettings};
use rulebound::train::Method;

/// Options of the methods for hierarchies; each says which methods it is for.
#[derive(Args)]
#[command(next_help_heading = "Other methods")]
pub struct LevelArguments {
    /// hmcn-f, hmcn-r: share of the outputs of the levels in the prediction; the outputs for all
    /// classes have the rest [default: 0.5]
    #[arg(long, value_name = "SHARE")]
    local_share: Option<f64>,
    /// hmcn-f, hmcn-r: weight of the penalty for a class above its parent [default: 0.1]
    #[arg(long, value_name = "W")]
    penalty: Option<f64>,
    /// hmcn-f, hmcn-r: dropout rate of the features [default: 0.5; with --preset
    /// paper, 0 for hmcn-f and 0.2 for hmcn-r]
    #[arg(long, value_name = "RATE")]
    input_dropout: Option<f64>,
    /// dhn: share of the outputs that affirm a class; those that deny it have the rest, and 1 is
    /// ccn [default: 0.8]
    #[arg(long, value_name = "SHARE")]
    affirmed: Option<f64>,
    /// lmlp: hidden units of the first and of the last level, in proportion to its inputs
    /// [default: 0.6,0.1]
    #[arg(long, value_name = "FIRST,LAST", value_parser = pair)]
    hidden_share: Option<[f64; 2]>,
    /// lmlp: learning rates of hidden units and of outputs [default: 0.05,0.03]
    #[arg(long, value_name = "HIDDEN,OUTPUT", value_parser = pair)]
    learning_rates: Option<[f64; 2]>,
    /// lmlp: parts of the previous row's step that are repeated, for hidden units and outputs
    /// [default: 0.03,0.01]
    #[arg(long, value_name = "HIDDEN,OUTPUT", value_parser = pair)]
    momentum: Option<[f64; 2]>,
    /// lmlp: epochs that a level trains before it is the next level's turn [default: 1]
    #[arg(long, value_name = "N")]
    turn: Option<usize>,
}

/// Two numbers with a comma.
fn pair(text: &str) -> Result<[f64; 2], String> {
    let wrong = || format!("`{text}` is not two numbers with a comma between them");
    let (first, second) = text.split_once(',').ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse().map_err(|_| wrong());
    Ok([number(first)?, number(second)?])
}

impl LevelArguments {
    /// The settings of a method with the given options.
    ///
    /// # Errors
    /// If an option is given that is not one of the method.
    pub fn settings(
        &self,
        method: Method,
        base: Option<LearnerSettings>,
        network: &NetworkOptions<'_>,
    ) -> Result<Option<LearnerSettings>, Failure> {
        self.expect_meaningful(method)?;
        let levels = |base: LevelNetworkSettings| -> Result<LevelNetworkSettings, Failure> {
            let units = match network.hidden {
                None => base.units,
                Some(&[units]) => units,
                Some(_) => {
                    let text = format!("--hidden: one number, the units of all layers of {method}");
                    return Err(Failure::Usage(text));
                }
            };
            Ok(LevelNetworkSettings {
                units,
                local: self.local_share.unwrap_or(base.local),
                penalty: self.penalty.unwrap_or(base.penalty),
                dropout: network.dropout.unwrap_or(base.dropout),
                input_dropout: self.input_dropout.unwrap_or(base.input_dropout),
                learning_rate: network.learning_rate.unwrap_or(base.learning_rate),
                weight_decay: network.weight_decay.unwrap_or(base.weight_decay),
                batch: network.batch.unwrap_or(base.batch),
            })
        };
        Ok(match base.or_else(|| method.learner_settings()) {
            Some(LearnerSettings::HmcnF(base)) => Some(LearnerSettings::HmcnF(levels(base)?)),
            Some(LearnerSettings::HmcnR(base)) => Some(LearnerSettings::HmcnR(levels(base)?)),
            Some(LearnerSettings::Dhn(mut settings)) => {
                settings.affirmed = self.affirmed.unwrap_or(settings.affirmed);
                if let Some(hidden) = network.hidden {
                    settings.hidden = hidden.iter().copied().filter(|&units| units > 0).collect();
                }
                settings.dropout = network.dropout.unwrap_or(settings.dropout);
                settings.learning_rate = network.learning_rate.unwrap_or(settings.learning_rate);
                settings.weight_decay = network.weight_decay.unwrap_or(settings.weight_decay);
                settings.batch = network.batch.unwrap_or(settings.batch);
                Some(LearnerSettings::Dhn(settings))
            }
            Some(LearnerSettings::Lmlp(mut settings)) => {
                settings.hidden = self.hidden_share.unwrap_or(settings.hidden);
                settings.learning_rates = self.learning_rates.unwrap_or(settings.learning_rates);
                settings.momentum = self.momentum.unwrap_or(settings.momentum);
                settings.turn = self.turn.unwrap_or(settings.turn);
                Some(LearnerSettings::Lmlp(settings))
            }
            other => other,
        })
    }

    /// An option that means nothing to the method is a mistake, not silence.
    fn expect_meaningful(&self, method: Method) -> Result<(), Failure> {
        const LEVELS: (&[Method], &str) = (&[Method::HmcnF, Method::HmcnR], "hmcn-f and hmcn-r");
        const DHN: (&[Method], &str) = (&[Method::Dhn], "dhn");
        const LMLP: (&[Method], &str) = (&[Method::Lmlp], "lmlp");
        let given = [
            ("--local-share", self.local_share.is_some(), LEVELS),
            ("--penalty", self.penalty.is_some(), LEVELS),
            ("--input-dropout", self.input_dropout.is_some(), LEVELS),
            ("--affirmed", self.affirmed.is_some(), DHN),
            ("--hidden-share", self.hidden_share.is_some(), LMLP),
            ("--learning-rates", self.learning_rates.is_some(), LMLP),
            ("--momentum", self.momentum.is_some(), LMLP),
            ("--turn", self.turn.is_some(), LMLP),
        ];
        match given.iter().find(|(_, given, (methods, _))| *given && !methods.contains(&method)) {
            None => Ok(()),
            Some((name, _, (_, methods))) => Err(Failure::Usage(format!(
                "{name}: for {methods} only, not for --method {method}"
            ))),
        }
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
