//! A picture as SVG: text, lines and images.

use std::fmt::Write;

use base64::prelude::{BASE64_STANDARD, Engine};

/// A straight line between two points of the unit square.
pub type Segment = [[f64; 2]; 2];

/// A part of a picture in which the unit square is drawn: left, top and side.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Frame {
    /// Its left edge.
    pub left: f64,
    /// Its upper edge.
    pub top: f64,
    /// Its width and height.
    pub side: f64,
}

impl Frame {
    /// The position in the picture of a point of the unit square.
    pub fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [self.left + x * self.side, self.top + (1.0 - y) * self.side]
    }
}

/// Which part of a text is at its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// A picture under construction, on a white background.
#[derive(Clone, Debug)]
pub struct Svg {
    width: f64,
    height: f64,
    body: String,
}

impl Svg {
    /// An empty picture.
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    /// Text with its baseline at `y`; `style` is CSS.
    pub fn text(&mut self, [x, y]: [f64; 2], anchor: Anchor, style: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (style, text) = (escaped(style), escaped(text));
        self.line(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" style="{style}">{text}</text>"#
        ));
    }

    /// A PNG file, stretched to the rectangle given by left, top, width and height.
    pub fn image(&mut self, [left, top, width, height]: [f64; 4], png: &[u8]) {
        let data = BASE64_STANDARD.encode(png);
        self.line(format_args!(
            r#"<image x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}" preserveAspectRatio="none" href="data:image/png;base64,{data}"/>"#
        ));
    }

    /// Lines of the unit square; `style` is CSS.
    pub fn segments(&mut self, frame: Frame, segments: &[Segment], style: &str) {
        if segments.is_empty() {
            return;
        }
        let mut path = String::new();
        for segment in segments {
            let [[x1, y1], [x2, y2]] = segment.map(|end| frame.place(end));
            // Writing to a string cannot fail.
            let _ = write!(path, "M{x1:.2} {y1:.2}L{x2:.2} {y2:.2}");
        }
        let style = escaped(style);
        self.line(format_args!(r#"<path d="{path}" style="fill:none;{style}"/>"#));
    }

    /// A line through points of the picture itself; `style` is CSS.
    pub fn polyline(&mut self, points: &[[f64; 2]], style: &str) {
        let mut path = String::new();
        for (place, [x, y]) in points.iter().enumerate() {
            let move_or_draw = if place == 0 { 'M' } else { 'L' };
            // Writing to a string cannot fail.
            let _ = write!(path, "{move_or_draw}{x:.2} {y:.2}");
        }
        let style = escaped(style);
        self.line(format_args!(r#"<path d="{path}" style="fill:none;{style}"/>"#));
    }

    /// The outline of a rectangle of the unit square; `style` is CSS.
    pub fn outline(&mut self, frame: Frame, low: [f64; 2], high: [f64; 2], style: &str) {
        let ([left, bottom], [right, top]) = (frame.place(low), frame.place(high));
        let (width, height, style) = (right - left, bottom - top, escaped(style));
        self.line(format_args!(
            r#"<rect x="{left:.2}" y="{top:.2}" width="{width:.2}" height="{height:.2}" style="fill:none;{style}"/>"#
        ));
    }

    /// The whole file; `title` is its title, which screen readers read aloud.
    pub fn finish(&self, title: &str) -> String {
        let Self { width, height, body } = self;
        let title = escaped(title);
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" font-size="14" fill="#222">
<title>{title}</title>
<rect width="{width}" height="{height}" fill="#fff"/>
{body}</svg>
"##
        )
    }

    fn line(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.body, "{element}");
    }
}

/// Text escaped for XML; characters that XML does not allow are dropped.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => {}
            other if other.is_control() => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use quick_xml::Reader;
    use quick_xml::events::Event;

    #[test]
    fn a_picture_is_xml_with_all_its_parts() {
        let frame = Frame { left: 10.0, top: 20.0, side: 100.0 };
        let mut svg = Svg::new(200.0, 150.0);
        svg.image([10.0, 20.0, 100.0, 100.0], b"\x89PNG");
        svg.segments(frame, &[[[0.0, 0.0], [1.0, 1.0]]], "stroke:#000");
        svg.segments(frame, &[], "stroke:#000");
        svg.outline(frame, [0.25, 0.5], [0.75, 1.0], "stroke:#000");
        svg.text([5.0, 5.0], Anchor::End, "font-weight:bold", "a < b & \u{1}\"c\"");
        let text = svg.finish("A & B");
        let mut reader = Reader::from_str(&text);
        let mut names = Vec::new();
        loop {
            match reader.read_event().unwrap() {
                Event::Start(tag) | Event::Empty(tag) => {
                    tag.attributes().for_each(|attribute| drop(attribute.unwrap()));
                    names.push(AsRef::<str>::as_ref(&tag.name()).to_owned());
                }
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(names, ["svg", "title", "rect", "image", "path", "rect", "text"]);
        assert!(text.contains("M10.00 120.00L110.00 20.00"), "{text}");
        assert!(text.contains(r#"x="35.00" y="20.00" width="50.00" height="50.00""#), "{text}");
        assert!(text.contains(">a &lt; b &amp; &quot;c&quot;</text>"), "{text}");
    }
}
