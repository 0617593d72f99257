//! Several charts in one picture, from left to right.

use super::chart::{Chart, HEIGHT, WIDTH};
use super::svg::escaped;

/// The charts as one SVG; `title` is its title, which screen readers read aloud.
pub fn side_by_side(charts: &[Chart], title: &str) -> String {
    let mut inside = String::new();
    for (at, chart) in charts.iter().enumerate() {
        let place = format!("<svg x=\"{}\" ", at as f64 * WIDTH);
        inside.push_str(&chart.draw().replacen("<svg ", &place, 1));
    }
    let (width, title) = (charts.len() as f64 * WIDTH, escaped(title));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{HEIGHT}\" viewBox=\"0 0 {width} {HEIGHT}\" role=\"img\">\n<title>{title}</title>\n{inside}</svg>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::super::chart::UNBOUNDED;
    use super::*;

    #[test]
    fn each_chart_has_its_place() {
        let chart = |title: &str| Chart {
            title: title.to_owned(),
            across: "x".to_owned(),
            series: Vec::new(),
            bounds: UNBOUNDED,
            has_steps: false,
        };
        let svg = side_by_side(&[chart("first"), chart("second")], "a & b");
        assert!(svg.contains("width=\"880\" height=\"320\""), "{svg}");
        assert!(svg.contains("<title>a &amp; b</title>"), "{svg}");
        let second = &svg[svg.find("<svg x=\"440\"").unwrap()..];
        assert!(second.contains(">second</text>") && !second.contains(">first</text>"), "{svg}");
        assert_eq!(svg.matches("</svg>").count(), 3);
    }
}
