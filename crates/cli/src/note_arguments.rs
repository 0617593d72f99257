//! `--note KEY=VALUE`: what somebody wants to know about a model later.

use crate::failure::Failure;
use clap::Args;
use rulebound::model::Model;

#[derive(Args)]
pub struct NoteArguments {
    /// Note to keep in the model file, such as a ticket or a commit (repeatable); `model info` shows it
    #[arg(long = "note", value_name = "KEY=VALUE", value_parser = note)]
    notes: Vec<(String, String)>,
}

impl NoteArguments {
    /// The model with these notes, after those that it has.
    pub fn add_to(&self, model: Model) -> Result<Model, Failure> {
        let mut keys: Vec<&str> = self.notes.iter().map(|(key, _)| key.as_str()).collect();
        keys.sort_unstable();
        if let Some(pair) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Failure::Usage(format!("--note: the key `{}` is given twice", pair[0])));
        }
        let add = |model: Model, (key, value): &(String, String)| model.with_note(key, value);
        Ok(self.notes.iter().fold(model, add))
    }
}

/// The most characters of a key, and of a value.
const LONGEST: [usize; 2] = [100, 10_000];

fn note(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    let key = key.trim();
    if key.is_empty() || key.contains(char::is_control) {
        return Err("a note needs a key on one line before the `=`".to_owned());
    }
    for (what, text, most) in [("key", key, LONGEST[0]), ("value", value, LONGEST[1])] {
        let found = text.chars().count();
        if found > most {
            return Err(format!("a {what} has at most {most} characters, not {found}"));
        }
    }
    Ok((key.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_a_key_and_a_value() {
        assert_eq!(note("ticket=ML-42=b"), Ok(("ticket".to_owned(), "ML-42=b".to_owned())));
        assert_eq!(note("empty="), Ok(("empty".to_owned(), String::new())));
        for wrong in ["ticket", "=x", " =x", "a\nb=x", &format!("{}=x", "k".repeat(101))] {
            assert!(note(wrong).is_err(), "{wrong}");
        }
    }
}
