use quick_xml::Reader;
use quick_xml::events::Event;

use super::super::comparison::Request;
use super::super::metric_name::MetricName;
use super::super::scores::{Missing, Scores};
use super::*;
use rulebound_core::metrics::Direction;

/// Methods, each worse than the one before on every data set, or all alike.
fn comparison(methods: usize, alike: bool, name: impl Fn(usize) -> String) -> Comparison {
    let value = |set: usize, method: usize| {
        Some(if alike { ((set * 7 + method * 5) % methods) as f64 } else { method as f64 })
    };
    let scores = Scores {
        metric: Some(MetricName::new("ranking loss")),
        sets: (0..10).map(|set| format!("s{set}")).collect(),
        methods: (0..methods).map(name).collect(),
        values: (0..10)
            .map(|set| (0..methods).map(|method| value(set, method)).collect())
            .collect(),
    };
    let request = Request {
        direction: Some(Direction::Lower),
        against: None,
        alpha: 0.05,
        missing: Missing::LeaveOut,
    };
    Comparison::new(&scores, &request).unwrap()
}

/// A piece of text: its position, its ends, and its content.
struct Text {
    y: f64,
    start: f64,
    end: f64,
    text: String,
}

struct Picture {
    width: f64,
    height: f64,
    texts: Vec<Text>,
    /// The points of each line, and whether it is a bar.
    lines: Vec<(Vec<[f64; 2]>, bool)>,
}

fn picture(svg: &str) -> Picture {
    let mut reader = Reader::from_str(svg);
    let mut found = Picture { width: 0.0, height: 0.0, texts: vec![], lines: vec![] };
    let mut open: Option<(f64, f64, String, String)> = None;
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) | Event::Empty(tag) => {
                let get = |name: &str| {
                    let attribute = tag.try_get_attribute(name).unwrap();
                    attribute.map(|a| a.value.into_owned()).unwrap_or_default()
                };
                let number = |name: &str| get(name).parse::<f64>().unwrap();
                match AsRef::<str>::as_ref(&tag.name()) {
                    "svg" => (found.width, found.height) = (number("width"), number("height")),
                    "text" => {
                        open = Some((number("x"), number("y"), get("text-anchor"), String::new()))
                    }
                    "path" => {
                        let path = get("d");
                        let points = path[1..].split('L').map(|point| {
                            let (x, y) = point.split_once(' ').unwrap();
                            [x.parse().unwrap(), y.parse().unwrap()]
                        });
                        found.lines.push((points.collect(), get("style").contains("4.5")));
                    }
                    _ => {}
                }
            }
            Event::Text(text) => {
                if let Some((.., said)) = &mut open {
                    said.push_str(AsRef::<str>::as_ref(&text));
                }
            }
            Event::GeneralRef(_) => {
                if let Some((.., said)) = &mut open {
                    said.push('&');
                }
            }
            Event::End(_) => {
                if let Some((x, y, anchor, text)) = open.take() {
                    let long = length(&text);
                    let start = match anchor.as_str() {
                        "start" => x,
                        "middle" => x - long / 2.0,
                        _ => x - long,
                    };
                    found.texts.push(Text { y, start, end: start + long, text });
                }
            }
            Event::Eof => return found,
            _ => {}
        }
    }
}

/// In any diagram: nothing outside, no overlapping text, every method and bar present.
fn expect_readable(comparison: &Comparison) -> Picture {
    let drawn = picture(&diagram(comparison));
    let inside = |x: f64, y: f64| x >= 0.0 && x <= drawn.width && y >= 0.0 && y <= drawn.height;
    for text in &drawn.texts {
        assert!(inside(text.start, text.y) && inside(text.end, text.y), "{}", text.text);
    }
    for point in drawn.lines.iter().flat_map(|(points, _)| points) {
        assert!(inside(point[0], point[1]), "{point:?}");
    }
    for (place, one) in drawn.texts.iter().enumerate() {
        for other in &drawn.texts[place + 1..] {
            let apart =
                (one.y - other.y).abs() >= 14.0 || one.end <= other.start || other.end <= one.start;
            assert!(apart, "{} is over {}", one.text, other.text);
        }
    }
    let bars = drawn.lines.iter().filter(|(_, bar)| *bar).count();
    assert_eq!(bars, comparison.groups.len());
    let elbows: Vec<_> = drawn.lines.iter().filter(|(points, _)| points.len() == 3).collect();
    assert_eq!(elbows.len(), comparison.ranks.len());
    drawn
}

#[test]
fn two_to_twenty_methods_and_more() {
    for methods in (2..=20).chain([33, 100]) {
        for alike in [false, true] {
            expect_readable(&comparison(methods, alike, |at| format!("method {at}")));
            expect_readable(&comparison(methods, alike, |at| {
                format!("{} WWW & 長い {at}", "M".repeat(60))
            }));
        }
    }
}

/// Ten data sets that agree on four methods: the ranks are 1 to 4, and neighbours do not differ.
#[test]
fn everything_is_at_its_place() {
    let comparison = comparison(4, false, |at| format!("m{at}"));
    assert_eq!(comparison.groups, [["m0", "m1"], ["m1", "m2"], ["m2", "m3"]]);
    let drawn = expect_readable(&comparison);
    let said: Vec<&str> = drawn.texts.iter().map(|text| text.text.as_str()).collect();
    assert_eq!(
        said,
        [
            "CD 1.483 at α = 0.05, 10 sets",
            "1",
            "2",
            "3",
            "4",
            "m0 1.00",
            "m1 2.00",
            "m2 3.00",
            "m3 4.00"
        ]
    );
    let middle = |at: usize| (drawn.texts[at].start + drawn.texts[at].end) / 2.0;
    let elbows = drawn.lines.iter().filter(|(points, _)| points.len() == 3);
    for (at, (points, _)) in elbows.enumerate() {
        assert!((points[0][0] - middle(1 + at)).abs() < 0.1, "m{at} hangs at its rank");
        assert!((points[2][1] - drawn.texts[5 + at].y).abs() < 6.0, "and leads to its name");
    }
    let bars: Vec<_> = drawn.lines.iter().filter(|(_, bar)| *bar).collect();
    for (at, (points, _)) in bars.iter().enumerate() {
        assert!((points[0][0] - (middle(1 + at) - REACH)).abs() < 0.1);
        assert!((points[1][0] - (middle(2 + at) + REACH)).abs() < 0.1);
    }
    let difference = &drawn.lines[0].0;
    let ranks = (difference[1][0] - difference[0][0]) / (middle(2) - middle(1));
    assert!((ranks - comparison.nemenyi.critical_difference).abs() < 1e-3, "{ranks}");
}

/// Lines to names cross bars, never one another.
#[test]
fn no_line_crosses_another() {
    let drawn = expect_readable(&comparison(20, true, |at| format!("m{at}")));
    let elbows: Vec<_> = drawn.lines.iter().filter(|(points, _)| points.len() == 3).collect();
    for (points, _) in &elbows {
        for (others, _) in &elbows {
            let ([corner, end], [top, bottom]) = ([points[1], points[2]], [others[0], others[1]]);
            let (low, high) = (corner[0].min(end[0]), corner[0].max(end[0]));
            let over = top[0] > low + 0.01 && top[0] < high - 0.01;
            let through = top[1] < corner[1] && bottom[1] > corner[1] + 0.01;
            assert!(!(over && through), "{points:?} crosses {others:?}");
        }
    }
}
