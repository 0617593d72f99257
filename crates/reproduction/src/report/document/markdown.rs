//! A report as Markdown, with its pictures in separate files.

use std::fmt::Write;

use super::{Block, Cell, Document, Figure, Mark, Section, Table};

/// A report as Markdown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Markdown {
    /// The text.
    pub text: String,
    /// Its pictures: file names, and SVG.
    pub pictures: Vec<(String, String)>,
}

impl Document {
    /// The report as Markdown; `folder` is the folder of its pictures, relative to the text.
    pub fn markdown(&self, folder: &str) -> Markdown {
        let mut page = Page { folder, text: String::new(), pictures: Vec::new() };
        page.paragraph(&format!("# {}", escaped(&self.title)));
        self.lead.iter().for_each(|block| page.block(block));
        page.contents(&self.sections);
        for section in &self.sections {
            page.paragraph(&format!("## {}", escaped(&section.title)));
            if !section.verdict.is_empty() {
                page.paragraph(&format!("**{}**", inline(&section.verdict)));
            }
            section.blocks.iter().for_each(|block| page.block(block));
        }
        let text = page.text.trim_end().to_owned() + "\n";
        Markdown { text, pictures: page.pictures }
    }
}

struct Page<'a> {
    folder: &'a str,
    text: String,
    pictures: Vec<(String, String)>,
}

impl Page<'_> {
    fn paragraph(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push_str("\n\n");
    }

    fn contents(&mut self, sections: &[Section]) {
        for section in sections {
            let verdict = match section.verdict.as_str() {
                "" => String::new(),
                verdict => format!(": {}", inline(verdict)),
            };
            let title = escaped(&section.title);
            // Writing to a string cannot fail.
            let _ = writeln!(self.text, "- [{title}](#{}){verdict}", anchor(&section.title));
        }
        self.text.push('\n');
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(text) => self.paragraph(&format!("### {}", inline(text))),
            Block::Text(text) => self.paragraph(&inline(text)),
            Block::Note(text) => self.paragraph(&format!("> {}", inline(text))),
            Block::Code(text) => self.paragraph(&format!("```text\n{}\n```", text.trim_end())),
            Block::Folded(title, items) => {
                self.paragraph(&format!("{}:", inline(title)));
                let items: String =
                    items.iter().map(|item| format!("- {}\n", inline(item))).collect();
                self.paragraph(items.trim_end());
            }
            Block::Table(table) => self.table(table),
            Block::Figures(caption, figures) => {
                figures.iter().for_each(|figure| self.figure(figure));
                if !caption.is_empty() {
                    self.paragraph(&format!("*{}*", inline(caption)));
                }
            }
        }
    }

    fn table(&mut self, table: &Table) {
        self.paragraph(&format!("*{}*", inline(&table.caption)));
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let names = table.columns.iter().map(|column| in_table(&column.name)).collect();
        let rulers = table.columns.iter().map(|column| match column.is_number {
            true => "---:".to_owned(),
            false => "---".to_owned(),
        });
        let mut text = line(names) + &line(rulers.collect());
        for row in &table.rows {
            text += &line(row.iter().map(cell).collect());
        }
        self.paragraph(text.trim_end());
    }

    fn figure(&mut self, figure: &Figure) {
        let name = format!("{}.svg", figure.name);
        // A picture without a caption is named after its title.
        let title =
            figure.svg.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
        let caption = match (figure.caption.as_str(), title) {
            ("", Some((title, _))) => title,
            ("", None) => &figure.name,
            (caption, _) => caption,
        };
        self.paragraph(&format!("![{}]({}/{name})", escaped(caption), self.folder));
        self.pictures.push((name, figure.svg.clone()));
    }
}

fn cell(cell: &Cell) -> String {
    let text = in_table(&cell.text);
    match cell.mark {
        Some(Mark::Best | Mark::Differs) => format!("**{text}**"),
        Some(Mark::Fits) | None => text,
    }
}

fn in_table(text: &str) -> String {
    inline(text).replace('|', "\\|")
}

/// Text escaped for Markdown, except for code.
fn inline(text: &str) -> String {
    let part = |(at, part): (usize, &str)| match at % 2 {
        0 => escaped(part),
        _ => format!("`{part}`"),
    };
    text.split('`').enumerate().map(part).collect()
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '*' | '_' | '[' | ']' | '\\' | '<' | '>' => out.extend(['\\', character]),
            '\n' => out.push(' '),
            other => out.push(other),
        }
    }
    out
}

/// The anchor of a title, as generated by common viewers.
fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_well_formed() {
        let mut table = Table::new("One | two", &["set", "a|b"]);
        table.rows.push(vec![Cell::text("x_FUN"), Cell::number(0.5, 1).marked(Mark::Best, true)]);
        let picture =
            Figure { name: "it".into(), caption: "A [b]".into(), svg: "<svg></svg>".into() };
        let section = Section {
            id: "s".into(),
            title: "Two, three".into(),
            verdict: "1 < 2".into(),
            blocks: vec![Block::Table(table), Block::Figures(String::new(), vec![picture])],
        };
        let document = Document { title: "T".into(), lead: vec![], sections: vec![section] };
        let Markdown { text, pictures } = document.markdown("pictures");
        assert_eq!(
            text,
            "# T\n\n- [Two, three](#two-three): 1 \\< 2\n\n## Two, three\n\n**1 \\< 2**\n\n\
             *One | two*\n\n| set | a\\|b |\n| --- | ---: |\n| x\\_FUN | **0.5** |\n\n\
             ![A \\[b\\]](pictures/it.svg)\n"
        );
        assert_eq!(pictures, [("it.svg".to_owned(), "<svg></svg>".to_owned())]);
    }
}
