//! A comparison as text and as Markdown.

use crate::text::count;
use rulebound_compare::statistics::Computed;
use rulebound_compare::{Against, Comparison};
use rulebound_core::metrics::Direction;
use std::fmt::Write;

/// Plain text for a terminal.
pub fn plain(comparison: &Comparison) -> String {
    let mut text = format!("{}\n\n", title(comparison));
    let names = comparison.ranks.iter().map(|ranked| ranked.method.chars().count());
    let width = names.max().unwrap_or(0).max("method".len());
    // Writing to a string cannot fail.
    let _ = writeln!(text, "  {:width$}  average rank", "method");
    for ranked in &comparison.ranks {
        let _ = writeln!(text, "  {:width$}  {:>12}", ranked.method, ranked.printed());
    }
    let _ = writeln!(text, "\n{}\n\n{}", friedman(comparison).join("\n"), nemenyi(comparison));
    for group in &comparison.groups {
        let _ = writeln!(text, "  {}", group.join(", "));
    }
    let _ = writeln!(
        text,
        "\nWilcoxon signed-rank test, {} against each of the others:\n\n  \
         {:width$}  better  worse  equal       W         p    Holm p  differs  computed",
        comparison.against, "method"
    );
    for against in &comparison.wilcoxon {
        let method = &against.method;
        let [wins, losses, equal, w, p, holm, differs, computed] = cells(against);
        let _ = writeln!(
            text,
            "  {method:width$}  {wins:>6}  {losses:>5}  {equal:>5}  {w:>6}  {p:>8}  {holm:>8}  \
             {differs:7}  {computed}",
        );
    }
    text
}

/// Markdown for documents.
pub fn markdown(comparison: &Comparison) -> String {
    let mut text = format!("{}\n\n| method | average rank |\n|---|---:|\n", title(comparison));
    for ranked in &comparison.ranks {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {} | {} |", cell(&ranked.method), ranked.printed());
    }
    let _ = writeln!(text, "\n{}\n\n{}\n", friedman(comparison).join("\n\n"), nemenyi(comparison));
    for group in &comparison.groups {
        let names: Vec<String> = group.iter().map(|name| cell(name)).collect();
        let _ = writeln!(text, "- {}", names.join(", "));
    }
    let _ = writeln!(
        text,
        "{}Wilcoxon signed-rank test, {} against each of the others:\n\n\
         | method | better | worse | equal | W | p | Holm p | differs | computed |\n\
         |---|---:|---:|---:|---:|---:|---:|---|---|",
        if comparison.groups.is_empty() { "" } else { "\n" },
        cell(&comparison.against)
    );
    for against in &comparison.wilcoxon {
        let _ = writeln!(text, "| {} | {} |", cell(&against.method), cells(against).join(" | "));
    }
    text
}

/// The columns of a Wilcoxon test after the method.
fn cells(Against { test, holm, differs, .. }: &Against) -> [String; 8] {
    [
        test.wins.to_string(),
        test.losses.to_string(),
        test.equal.to_string(),
        test.plus.min(test.minus).to_string(),
        p_value(test.p),
        p_value(*holm),
        yes(*differs).to_string(),
        computed(test.computed).to_string(),
    ]
}

fn title(comparison: &Comparison) -> String {
    let better = match comparison.better {
        Direction::Higher => "higher",
        Direction::Lower => "lower",
    };
    format!(
        "{}, {better} is better: {}, {}",
        comparison.metric.as_deref().unwrap_or("values"),
        count(comparison.ranks.len(), "method"),
        count(comparison.sets, "data set"),
    )
}

fn friedman(comparison: &Comparison) -> Vec<String> {
    let Some(test) = &comparison.friedman else {
        return vec!["Friedman test: all methods are tied on all data sets".to_owned()];
    };
    let refined = test.iman_davenport;
    let mut lines = vec![
        format!(
            "Friedman test: chi-square {:.3} with {} degrees of freedom, p = {}",
            test.chi_square,
            test.freedom,
            p_value(test.p)
        ),
        format!(
            "Iman and Davenport: F {:.3} with {} and {} degrees of freedom, p = {}",
            refined.f,
            refined.freedom[0],
            refined.freedom[1],
            p_value(refined.p)
        ),
    ];
    if test.p > comparison.nemenyi.alpha {
        lines.push("Not significant: every difference below may be due to chance.".to_owned());
    }
    lines
}

fn nemenyi(comparison: &Comparison) -> String {
    let test = comparison.nemenyi;
    let groups = match comparison.groups.len() {
        0 => "all methods differ significantly.",
        _ => "no significant difference within each of these groups:",
    };
    format!(
        "Nemenyi test: critical difference {:.3} at alpha {} (q {:.3}); {groups}",
        test.critical_difference, test.alpha, test.q
    )
}

/// A p-value to three digits.
fn p_value(p: f64) -> String {
    match p {
        0.0 => "0".to_owned(),
        ..0.001 => format!("{p:.2e}"),
        ..0.01 => format!("{p:.5}"),
        ..0.1 => format!("{p:.4}"),
        _ => format!("{p:.3}"),
    }
}

fn yes(differs: bool) -> &'static str {
    if differs { "yes" } else { "no" }
}

fn computed(how: Computed) -> &'static str {
    match how {
        Computed::Exact => "exact",
        Computed::ExactWithTies => "exact, with ties",
        Computed::Normal => "normal approximation",
    }
}

/// A name inside a Markdown table.
fn cell(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for character in name.chars() {
        if matches!(character, '|' | '*' | '_' | '`' | '<' | '[' | '\\') {
            text.push('\\');
        }
        text.push(character);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_are_short() {
        let shown: Vec<String> =
            [1.0, 0.05, 0.006_008_7, 0.000_99, 4.264_5e-15, 0.0].into_iter().map(p_value).collect();
        assert_eq!(shown, ["1.000", "0.0500", "0.00601", "9.90e-4", "4.26e-15", "0"]);
        assert_eq!(cell("a|b_c"), "a\\|b\\_c");
    }
}
