//! A report as one self-contained HTML file.

use super::{Block, Cell, Document, Figure, Mark, Section, Table};
use rulebound_io::picture;

const STYLE: &str = include_str!("style.css");
const SORT: &str = include_str!("sort.js");

/// Pictures at least this wide are scrolled on a small screen rather than scaled down.
const WIDE: f64 = 560.0;

impl Document {
    /// The report as HTML.
    pub fn html(&self) -> String {
        let title = escaped(&self.title);
        let lead: String = self.lead.iter().map(block).collect();
        let sections: String = self.sections.iter().map(section).collect();
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
             <header>\n<h1>{title}</h1>\n{lead}</header>\n{}{sections}</main>\n\
             <script>\n{SORT}</script>\n</body>\n</html>\n",
            contents(&self.sections)
        )
    }
}

fn contents(sections: &[Section]) -> String {
    let item = |section: &Section| {
        let (id, title) = (escaped(&section.id), escaped(&section.title));
        let verdict = match section.verdict.as_str() {
            "" => String::new(),
            verdict => format!("<span>{}</span>", inline(verdict)),
        };
        format!("<li><a href=\"#{id}\">{title}</a>{verdict}</li>\n")
    };
    let items: String = sections.iter().map(item).collect();
    format!("<nav aria-label=\"Contents\">\n<h2>Contents</h2>\n<ol>\n{items}</ol>\n</nav>\n")
}

fn section(section: &Section) -> String {
    let (id, title) = (escaped(&section.id), escaped(&section.title));
    let verdict = match section.verdict.as_str() {
        "" => String::new(),
        verdict => format!("<p class=\"verdict\">{}</p>\n", inline(verdict)),
    };
    let blocks: String = section.blocks.iter().map(block).collect();
    format!(
        "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{title}</h2>\n{verdict}{blocks}\
         </section>\n"
    )
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(text) => format!("<h3>{}</h3>\n", inline(text)),
        Block::Text(text) => format!("<p>{}</p>\n", inline(text)),
        Block::Note(text) => format!("<p class=\"note\">{}</p>\n", inline(text)),
        Block::Code(text) => format!("<pre tabindex=\"0\"><code>{}</code></pre>\n", escaped(text)),
        Block::Folded(title, items) => {
            let items: String =
                items.iter().map(|item| format!("<li>{}</li>\n", inline(item))).collect();
            let title = inline(title);
            format!("<details>\n<summary>{title}</summary>\n<ul>\n{items}</ul>\n</details>\n")
        }
        Block::Table(table) => self::table(table),
        Block::Figures(caption, figures) => self::figures(caption, figures),
    }
}

fn table(table: &Table) -> String {
    let caption = inline(&table.caption);
    let header = |column: &super::Column| {
        let class = if column.is_number { " class=\"number\"" } else { "" };
        format!("<th scope=\"col\"{class}>{}</th>", inline(&column.name))
    };
    let headers: String = table.columns.iter().map(header).collect();
    let row = |cells: &Vec<Cell>| {
        let cells = cells.iter().zip(&table.columns).enumerate();
        let cells: String =
            cells.map(|(at, (cell, column))| self::cell(cell, at, column.is_number)).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let rows: String = table.rows.iter().map(row).collect();
    let label = escaped(&table.caption);
    format!(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{label}\">\n<table>\n\
         <caption><span>{caption}</span></caption>\n<thead>\n<tr>{headers}</tr>\n</thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n</div>\n"
    )
}

fn cell(cell: &Cell, place: usize, is_number: bool) -> String {
    let mark = match cell.mark {
        None => "",
        Some(Mark::Best) => "best",
        Some(Mark::Fits) => "fits",
        Some(Mark::Differs) => "differs",
    };
    let classes: Vec<&str> = [if is_number { "number" } else { "" }, mark]
        .into_iter()
        .filter(|c| !c.is_empty())
        .collect();
    let class = match classes.is_empty() {
        true => String::new(),
        false => format!(" class=\"{}\"", classes.join(" ")),
    };
    let value = cell.value.map(|value| format!(" data-value=\"{value}\"")).unwrap_or_default();
    let text = inline(&cell.text);
    match place {
        0 => format!("<th scope=\"row\"{class}{value}>{text}</th>"),
        _ => format!("<td{class}{value}>{text}</td>"),
    }
}

fn figures(caption: &str, figures: &[Figure]) -> String {
    let figure = |figure: &Figure| {
        let class = if width(&figure.svg) > WIDE { "picture wide" } else { "picture" };
        let caption = match figure.caption.as_str() {
            "" => String::new(),
            caption => format!("<figcaption>{}</figcaption>\n", inline(caption)),
        };
        format!("<figure>\n<div class=\"{class}\">{}</div>\n{caption}</figure>\n", figure.svg)
    };
    let class = if figures.len() > 1 { "figures many" } else { "figures" };
    let pictures: String = figures.iter().map(figure).collect();
    let caption = match caption {
        "" => String::new(),
        caption => format!("<p class=\"caption\">{}</p>\n", inline(caption)),
    };
    format!("<div class=\"{class}\">\n{pictures}</div>\n{caption}")
}

/// The width of a picture, from its own attributes.
fn width(svg: &str) -> f64 {
    let rest = svg.split_once(" width=\"").map_or("", |(_, rest)| rest);
    rest.split('"').next().and_then(|width| width.parse().ok()).unwrap_or(0.0)
}

/// Text with its code.
fn inline(text: &str) -> String {
    let part = |(at, part): (usize, &str)| match at % 2 {
        0 => escaped(part),
        _ => format!("<code>{}</code>", escaped(part)),
    };
    text.split('`').enumerate().map(part).collect()
}

/// Text escaped for HTML, with line breaks kept.
fn escaped(text: &str) -> String {
    text.split('\n').map(picture::escaped).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(blocks: Vec<Block>) -> Document {
        let section = Section {
            id: "one".into(),
            title: "A < B".into(),
            verdict: "`a & b` \"holds\"".into(),
            blocks,
        };
        Document { title: "R & D".into(), lead: vec![], sections: vec![section] }
    }

    #[test]
    fn what_html_reads_is_escaped() {
        let mut table = Table::new("<caption>", &["set", "a\"b"]);
        table.rows.push(vec![Cell::text("<b>"), Cell::number(0.5, 2).marked(Mark::Best, true)]);
        let text = document(vec![Block::Table(table), Block::Code("a < b && c\n".into())]).html();
        for expected in [
            "<title>R &amp; D</title>",
            "<h2 id=\"one\">A &lt; B</h2>",
            "<p class=\"verdict\"><code>a &amp; b</code> &quot;holds&quot;</p>",
            "<th scope=\"col\" class=\"number\">a&quot;b</th>",
            "<th scope=\"row\">&lt;b&gt;</th><td class=\"number best\" data-value=\"0.5\">0.50</td>",
            "a &lt; b &amp;&amp; c\n",
            "aria-label=\"&lt;caption&gt;\"",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }

    #[test]
    fn wide_pictures_are_told_apart() {
        assert_eq!(width("<svg xmlns=\"x\" width=\"702\" height=\"3\">"), 702.0);
        assert_eq!(width("<svg>"), 0.0);
    }
}
