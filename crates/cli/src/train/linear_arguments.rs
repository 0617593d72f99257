//! Options of logistic regressions, chains, label sets and CAMEL.

use crate::failure::Failure;
use clap::Args;
use rulebound::learner::LearnerSettings;
use rulebound::train::Method;

/// Each says which methods it is for.
#[derive(Args)]
#[command(next_help_heading = "Other methods")]
pub struct LinearArguments {
    /// br, cc, ecc, rakel, rakel-d: inverse of the regularisation strength, C [default: 1]
    #[arg(long, value_name = "C")]
    inverse_penalty: Option<f64>,
    /// ecc: number of chains [default: 10]
    #[arg(long, value_name = "N")]
    chains: Option<usize>,
    /// rakel: number of label sets [default: twice the number of classes]
    #[arg(long, value_name = "N")]
    labelsets: Option<usize>,
    /// rakel, rakel-d: number of classes in a label set [default: 3]
    #[arg(long, value_name = "K")]
    labelset_size: Option<usize>,
    /// camel: share of the other classes in a class [default: 0.1]
    #[arg(long, value_name = "P")]
    collaboration: Option<f64>,
    /// camel: regularisation strength of the kernel machine [default: 0.1]
    #[arg(long, value_name = "L")]
    kernel_penalty: Option<f64>,
}

impl LinearArguments {
    /// The settings with the given options.
    ///
    /// # Errors
    /// If an option is given that is not one of the method.
    pub fn apply(
        &self,
        method: Method,
        mut settings: Option<LearnerSettings>,
    ) -> Result<Option<LearnerSettings>, Failure> {
        self.expect_meaningful(method)?;
        match &mut settings {
            Some(LearnerSettings::Logistic(logistic)) => set(&mut logistic.c, self.inverse_penalty),
            Some(LearnerSettings::Chains(chains)) => {
                set(&mut chains.logistic.c, self.inverse_penalty);
                set(&mut chains.chains, self.chains);
            }
            Some(LearnerSettings::Labelsets(sets)) => {
                set(&mut sets.logistic.c, self.inverse_penalty);
                set(&mut sets.size, self.labelset_size);
                sets.sets = self.labelsets.or(sets.sets);
            }
            Some(LearnerSettings::Camel(camel)) => {
                set(&mut camel.alpha, self.collaboration);
                set(&mut camel.lambda, self.kernel_penalty);
            }
            _ => {}
        }
        Ok(settings)
    }

    fn expect_meaningful(&self, method: Method) -> Result<(), Failure> {
        let regressions =
            [Method::Br, Method::Cc, Method::Ecc, Method::Rakel, Method::RakelD].as_slice();
        let options = [
            ("--inverse-penalty", self.inverse_penalty.is_some(), regressions),
            ("--chains", self.chains.is_some(), &[Method::Ecc]),
            ("--labelsets", self.labelsets.is_some(), &[Method::Rakel]),
            ("--labelset-size", self.labelset_size.is_some(), &[Method::Rakel, Method::RakelD]),
            ("--collaboration", self.collaboration.is_some(), &[Method::Camel]),
            ("--kernel-penalty", self.kernel_penalty.is_some(), &[Method::Camel]),
        ];
        match options.iter().find(|(_, given, methods)| *given && !methods.contains(&method)) {
            None => Ok(()),
            Some((name, _, methods)) => {
                let methods: Vec<&str> = methods.iter().map(|method| method.name()).collect();
                let methods = methods.join(", ");
                Err(Failure::Usage(format!(
                    "{name}: for {methods} only, not for --method {method}"
                )))
            }
        }
    }
}

fn set<T>(to: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *to = given;
    }
}
