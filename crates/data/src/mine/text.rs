//! Mined rules as text in the rule language.
//!
//! Invariant: where the rules are stratified, reading the text back gives the same rules in the
//! same order, whatever the names of the labels are.

use std::fmt;

use rulebound_core::Labels;

use super::mined::{Mined, MinedRule};

impl Mined {
    /// The rules as text: a header of comments with their origin, then one rule per line with its
    /// support and confidence as a comment.
    ///
    /// `source` and `split` are used in the header only.
    ///
    /// ```
    /// # use rulebound_data::{dataset::LabelMatrix, mine::{Options, mine}};
    /// # use rulebound_core::{LabelId, Labels};
    /// let names = Labels::new(["cat", "animal"])?;
    /// let mut labels = LabelMatrix::new(2);
    /// for _ in 0..4 {
    ///     labels.push_row();
    /// }
    /// labels.insert(0, LabelId::new(0));
    /// labels.insert(0, LabelId::new(1));
    /// labels.insert(1, LabelId::new(1));
    /// let text = mine(&labels, 0..4, &Options::default())?.display(&names, "pets", "train").to_string();
    /// assert!(text.ends_with("\ncat -> animal   # support 0.250 (1 row), confidence 1\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// When formatted, if there are fewer `labels` than in the table the rules were mined from.
    pub fn display<'a>(
        &'a self,
        labels: &'a Labels,
        source: &'a str,
        split: &'a str,
    ) -> impl fmt::Display + 'a {
        Text { mined: self, labels, source, split }
    }
}

struct Text<'a> {
    mined: &'a Mined,
    labels: &'a Labels,
    source: &'a str,
    split: &'a str,
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mined { rules, unstratified, rows, options } = self.mined;
        let (source, split) = (OneLine(self.source), OneLine(self.split));
        let rows = Counted(*rows, "row");
        writeln!(f, "# Rules mined from {source}, split {split}, {rows}.")?;
        writeln!(
            f,
            "# Options: minimum support {}, minimum confidence {}, bodies of up to {}, {} negation.",
            options.min_support,
            options.min_confidence,
            Counted(options.max_body, "literal"),
            if options.negation { "with" } else { "without" },
        )?;
        writeln!(f, "# Support is the share of rows in which the body holds.")?;
        write!(f, "# {}", Counted(rules.len(), "rule"))?;
        let closing = Counted(*unstratified, "rule");
        match (unstratified, options.keep_unstratified) {
            (0, _) => writeln!(f, "; none closes a cycle through a negation.")?,
            (_, true) => writeln!(
                f,
                "; NOT stratified: {closing} that would close a cycle through a negation kept."
            )?,
            (_, false) => {
                writeln!(f, "; {closing} that would close a cycle through a negation left out.")?;
            }
        }
        rules.iter().try_for_each(|rule| self.write_rule(f, rule))
    }
}

impl Text<'_> {
    fn write_rule(&self, f: &mut fmt::Formatter<'_>, mined: &MinedRule) -> fmt::Result {
        // Rounded down, so that only a rule without exception shows a confidence of 1.
        let confidence = (mined.confidence() * 1e4).floor() / 1e4;
        writeln!(
            f,
            "{}   # support {:.3} ({}), confidence {confidence}",
            mined.rule.display(self.labels),
            mined.support(),
            Counted(mined.body_rows, "row"),
        )
    }
}

/// A count with its noun.
struct Counted(usize, &'static str);

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.0, self.1, if self.0 == 1 { "" } else { "s" })
    }
}

/// A text without line breaks, which cannot end the comment it is in.
struct OneLine<'a>(&'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| write!(f, "{}", if c.is_control() { ' ' } else { c }))
    }
}
