use super::{Edge, ModuleGraph};
use crate::Scene;

fn graph(files: &[(&str, &str)]) -> ModuleGraph {
    ModuleGraph::read(Scene::with(files).root())
}

#[test]
fn a_line_of_modules_has_no_cycle() {
    let graph = graph(&[
        ("lib.rs", "mod a; mod b; mod c; pub use a::A;"),
        ("a.rs", "//! See [`crate::c`].\npub struct A;"),
        ("b/mod.rs", "use crate::a::A; mod d;"),
        ("b/d.rs", "use super::super::a; use super::E;"),
        ("c.rs", "use crate::{A, b};"),
    ]);
    let edges: Vec<Edge> = graph.edges().collect();
    let edges: Vec<_> =
        edges.iter().map(|e| (&e.from[..], &e.to[..], e.places.join(" "))).collect();
    let expected = [("b", "a", "b/d.rs:1 b/mod.rs:1"), ("c", "a", "c.rs:1"), ("c", "b", "c.rs:1")];
    assert_eq!(edges, expected.map(|(from, to, places)| (from, to, places.to_owned())));
    assert_eq!(graph.cycles(), []);
}

#[test]
fn a_cycle_is_shown_with_its_places() {
    let graph = graph(&[
        ("lib.rs", "mod a; mod b; mod c; mod d; mod e;"),
        ("a.rs", "\nuse crate::b::B;"),
        ("b/mod.rs", "mod inner;"),
        ("b/inner.rs", "fn f() { crate::c::c() }"),
        ("c.rs", "use super::{d, a::A};"),
        ("d.rs", "use crate::e::E;"),
        ("e.rs", "fn f(_: crate::c::C) {}"),
    ]);
    let [cycle] = &graph.cycles()[..] else { panic!("{:?}", graph.cycles()) };
    assert_eq!(
        cycle.to_string(),
        "a, b, c, d, e depend on each other; a shortest cycle:\n    \
         a → b   a.rs:2\n    b → c   b/inner.rs:1\n    c → a   c.rs:1\n"
    );
}

#[test]
fn every_knot_is_shown_once() {
    let graph = graph(&[
        ("main.rs", "mod a; mod b; mod c; mod d;"),
        ("a.rs", "use crate::b;"),
        ("b.rs", "use crate::{a, c};"),
        ("c.rs", "use crate::d;"),
        ("d.rs", "use crate::c;"),
    ]);
    let members: Vec<_> = graph.cycles().into_iter().map(|cycle| cycle.members).collect();
    assert_eq!(members, [["a", "b"], ["c", "d"]]);
}

#[test]
fn a_cycle_through_a_name_at_the_root_is_one() {
    let graph = graph(&[
        ("lib.rs", "mod a; mod b; pub use crate::a::inner::{A as Renamed};"),
        ("a/mod.rs", "pub mod inner;"),
        ("a/inner.rs", "use crate::b::B; pub struct A;"),
        ("b.rs", "use crate::Renamed;"),
    ]);
    assert_eq!(graph.cycles()[0].members, ["a", "b"]);
}

#[test]
fn a_cycle_that_only_tests_have_is_none() {
    let graph = graph(&[
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate::b; #[cfg(test)] mod tests;"),
        ("b.rs", "#[cfg(test)] mod tests { use crate::a; }\n#[cfg(test)]\nmod more;"),
        ("b/more/mod.rs", "mod deep; use crate::a;"),
        ("b/more/deep.rs", "use crate::a;"),
    ]);
    assert_eq!(graph.cycles(), []);
}
