//! Diagnostics: what is wrong, where, and what to do, drawn with carets or
//! written as JSON.

mod machine;
mod warnings;

pub use warnings::Warnings;

use crate::text::{shortened, thousands, visible};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use anstream::adapter::strip_str;
use machine::is_of_the_machine;
use rulebound_core::Span;
use serde_json::{Value, json};

/// One mistake or warning.
#[derive(Debug, Clone, Default)]
pub struct Diagnostic {
    /// A short name of the kind of mistake, for machines.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// Whether it is only a warning.
    pub warning: bool,
    /// Where: the places in files, the first one the most important.
    pub places: Vec<Place>,
    /// What to do.
    pub hint: Option<String>,
    /// Who is at fault.
    pub cause: Cause,
    /// More about it, for machines.
    pub details: Vec<(&'static str, Value)>,
}

/// Who is at fault; the exit code says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cause {
    /// What the user gave.
    #[default]
    Input,
    /// The machine: another time, or on another one, it may work.
    Machine,
    /// Nothing is broken, but a limit that was asked for does not hold.
    Limit,
}

/// A place in a file.
#[derive(Debug, Clone)]
pub struct Place {
    /// The file.
    pub file: String,
    /// Where in it.
    pub span: Span,
    /// The line.
    pub text: String,
    /// The note next to the carets.
    pub note: String,
}

/// Longest line that is drawn whole; longer ones are cut around the place.
const WIDTH: usize = 160;

/// Most places of a diagnostic that are drawn or listed: a cycle can go through every rule of a file.
const MOST_PLACES: usize = 12;

/// Longest message, with its hint and the lines it is about, in characters; what is longer is cut in the middle.
pub const LONGEST: usize = 4000;

impl Diagnostic {
    /// A mistake that has no place in a text.
    pub fn plain(code: &'static str, message: String) -> Self {
        Self { code, message, ..Self::default() }
    }

    /// An error followed by its causes, each named once.
    pub fn from_error(code: &'static str, error: &(dyn std::error::Error + 'static)) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(below) = cause {
            let text = below.to_string();
            if !message.contains(&text) {
                message = format!("{message}: {text}");
            }
            cause = below.source();
        }
        Self::plain(code, message).because_of(error)
    }

    /// The same diagnostic, for the machine if that is what the error is about.
    pub fn because_of(mut self, error: &(dyn std::error::Error + 'static)) -> Self {
        if is_of_the_machine(error) {
            self.cause = Cause::Machine;
        }
        self
    }

    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The diagnostic with its places drawn, without a line end.
    pub fn draw(&self) -> String {
        if self.places.is_empty() {
            return self.draw_plain();
        }
        // As many places as there is room for.
        let mut drawn = [MOST_PLACES, 4].into_iter().map(|most| self.draw_places(most));
        // What is seen counts, without the signs that colour it.
        let fits = |text: &String| strip_str(text).to_string().chars().count() <= LONGEST;
        drawn.find(fits).unwrap_or_else(|| self.draw_places(1))
    }

    /// Drawn with this many places at most, those in the middle left out.
    fn draw_places(&self, most: usize) -> String {
        let level = if self.warning { Level::WARNING } else { Level::ERROR };
        let (places, more) = some_places(&self.places, most);
        let cuts: Vec<Cut> = places.iter().map(|place| place.cut()).collect();
        let message = shown(&self.message, LONGEST / 4);
        let mut group = Group::with_title(level.primary_title(message.as_str()));
        let texts: Vec<(String, String)> = places
            .iter()
            .map(|place| (shown(&place.file, WIDTH), shown(&place.note, WIDTH)))
            .collect();
        let left_out = format!("… and {} more like these", thousands(more as u64));
        for (at, ((place, cut), (file, note))) in places.iter().zip(&cuts).zip(&texts).enumerate() {
            if more > 0 && at == places.len().div_ceil(2) {
                group = group.element(Level::NOTE.message(left_out.as_str()));
            }
            let mut annotation = AnnotationKind::Primary.span(cut.start..cut.end);
            if !note.is_empty() {
                annotation = annotation.label(note.as_str());
            }
            let mut snippet = Snippet::source(cut.text.as_str())
                .line_start(place.span.line as usize)
                .annotation(annotation);
            if cut.whole {
                snippet = snippet.path(file.as_str());
            } else {
                // The snippet counts columns in what is drawn, so the position is given separately.
                let origin = Origin::path(file.as_str()).line(place.span.line as usize);
                group = group.element(origin.char_column(place.span.column as usize));
            }
            group = group.element(snippet);
        }
        let mut report = vec![group];
        let hint = self.hint.as_deref().map(|hint| shown(hint, LONGEST / 4));
        if let Some(hint) = &hint {
            report.push(Group::with_title(Level::HELP.secondary_title(hint.as_str())));
        }
        Renderer::styled().term_width(WIDTH + 40).render(&report)
    }

    /// Without a place there is no snippet to draw a frame around.
    fn draw_plain(&self) -> String {
        let title = |level: Level<'static>, text: &str, most: usize| {
            Renderer::styled().render(&[Group::with_title(level.primary_title(shown(text, most)))])
        };
        let level = if self.warning { Level::WARNING } else { Level::ERROR };
        // With their own words, both together are as long as one may be.
        let mut drawn = title(level, &self.message, LONGEST * 3 / 4 - 100);
        if let Some(hint) = &self.hint {
            drawn = format!("{drawn}\n{}", title(Level::HELP, hint, LONGEST / 4));
        }
        drawn
    }

    /// The diagnostic as JSON.
    pub fn to_json(&self) -> Value {
        let cause = match self.cause {
            Cause::Input => "input",
            Cause::Machine => "machine",
            Cause::Limit => "limit",
        };
        let message = shortened(&self.message, LONGEST);
        let mut value = json!({ "code": self.code, "cause": cause, "message": message });
        let text = |place: &Place| json!(shortened(&place.text, LONGEST));
        if let Some(place) = self.places.first() {
            value["file"] = json!(place.file);
            value["line"] = json!(place.span.line);
            value["column"] = json!(place.span.column);
            value["text"] = text(place);
        }
        if self.places.len() > 1 {
            let (places, more) = some_places(&self.places, MOST_PLACES);
            let lines = |place: &&Place| json!({ "line": place.span.line, "text": text(place) });
            value["places"] = places.iter().map(lines).collect();
            if more > 0 {
                value["more_places"] = json!(more);
            }
        }
        if let Some(hint) = &self.hint {
            value["hint"] = json!(shortened(hint, LONGEST));
        }
        for (name, detail) in &self.details {
            value[*name] = detail.clone();
        }
        value
    }
}

/// A text as it is drawn: bounded, and without anything that a terminal would obey.
fn shown(text: &str, most: usize) -> String {
    visible(&shortened(text, most)).into_owned()
}

/// At most so many places, the first and the last ones, and how many are left out.
fn some_places(places: &[Place], most: usize) -> (Vec<&Place>, usize) {
    if places.len() <= most {
        return (places.iter().collect(), 0);
    }
    let last = &places[places.len() - most / 2..];
    let shown = places[..most.div_ceil(2)].iter().chain(last);
    (shown.collect(), places.len() - most)
}

/// The part of a line that is drawn, and where its carets go, in bytes.
struct Cut {
    text: String,
    start: usize,
    end: usize,
    whole: bool,
}

impl Place {
    /// A place in a file that was split into `lines`.
    pub fn new(file: &str, lines: &[&str], span: Span, note: &str) -> Self {
        let line = lines.get((span.line as usize).saturating_sub(1)).copied().unwrap_or("");
        let text = line.trim_start_matches('\u{feff}').to_owned();
        Self { file: file.to_owned(), span, text, note: note.to_owned() }
    }

    fn cut(&self) -> Cut {
        let column = (self.span.column as usize).saturating_sub(1);
        let length = self.span.length as usize;
        let characters = self.text.chars().count();
        let (skip, take) = if characters <= WIDTH {
            (0, characters)
        } else {
            (column.saturating_sub(WIDTH / 4), WIDTH)
        };
        let text: String = self.text.chars().skip(skip).take(take).collect();
        let text = visible(&text).into_owned();
        let byte_of =
            |character: usize| text.char_indices().nth(character).map_or(text.len(), |(at, _)| at);
        let start = byte_of(column - skip);
        let end = byte_of(column - skip + length.min(WIDTH)).max(start);
        Cut { start, end, whole: characters <= WIDTH, text }
    }
}
