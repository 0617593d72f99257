//! Which names at the root of a crate a file refers to.

use super::token::{Token, tokens};

/// What one file refers to.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Uses {
    /// Names directly under the root of the crate, and the lines that refer to them.
    pub roots: Vec<(String, usize)>,
    /// Modules of this file that are compiled only for tests.
    pub test_modules: Vec<String>,
    /// What `use` imports: the name it has here, and the path as written.
    pub imports: Vec<(String, Vec<String>)>,
}

/// Reads a file of the module at this path.
pub(super) fn uses(text: &str, module: &[String]) -> Uses {
    let mut reader = Reader {
        tokens: tokens(text),
        module: module.to_vec(),
        inline: Vec::new(),
        depth: 0,
        uses: Uses::default(),
    };
    let mut at = 0;
    while at < reader.tokens.len() {
        at = reader.step(at);
    }
    reader.uses
}

struct Reader {
    tokens: Vec<Token>,
    module: Vec<String>,
    /// Depths of braces at which the modules inside this file begin.
    inline: Vec<usize>,
    depth: usize,
    uses: Uses,
}

impl Reader {
    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &token.text)
    }

    /// Reads one item from a position; returns the next position.
    fn step(&mut self, at: usize) -> usize {
        match self.text(at) {
            "#" if self.is_test_only(at) => return self.skip_item(self.attribute_end(at)),
            "{" => self.depth += 1,
            "}" => {
                if self.inline.last() == Some(&self.depth) {
                    self.inline.pop();
                    self.module.pop();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            "mod" if self.text(at + 2) == "{" => {
                self.module.push(self.text(at + 1).to_owned());
                self.depth += 1;
                self.inline.push(self.depth);
                return at + 3;
            }
            "use" => {
                let mut found = Vec::new();
                let end = self.tree(at + 1, Vec::new(), &mut found);
                self.uses.imports.extend(found);
                return self.refer(at + 1, end);
            }
            "crate" | "super" if self.text(at + 1) == "::" => {
                let end = self.tree(at, Vec::new(), &mut Vec::new());
                return self.refer(at, end);
            }
            _ => {}
        }
        at + 1
    }

    /// Notes the roots of all paths in a tree, `crate::{a::b, c}` or `super::d::e`.
    fn refer(&mut self, begin: usize, end: usize) -> usize {
        let (mut base, mut bases) = (None, Vec::new());
        for at in begin..end {
            let line = self.tokens[at].line;
            match self.text(at) {
                "crate" => base = Some(Vec::new()),
                "super" => {
                    let mut up = base.take().unwrap_or_else(|| self.module.clone());
                    up.pop();
                    base = Some(up);
                }
                "self" | "::" | "$" => {}
                "{" => bases.push(base.clone()),
                "}" => base = bases.pop().flatten(),
                "," => base = bases.last().cloned().flatten(),
                word => {
                    // Names below a module that is not the root belong to that module.
                    if base == Some(Vec::new()) {
                        self.uses.roots.push((word.to_owned(), line));
                    }
                    base = None;
                }
            }
        }
        end.max(begin + 1)
    }

    /// Reads a tree of paths, adds its leaves, and returns its end.
    fn tree(
        &self,
        mut at: usize,
        mut path: Vec<String>,
        found: &mut Vec<(String, Vec<String>)>,
    ) -> usize {
        loop {
            match self.text(at) {
                "{" => {
                    at += 1;
                    while !matches!(self.text(at), "}" | "") {
                        at = self.tree(at, path.clone(), found);
                        at += usize::from(self.text(at) == ",");
                    }
                    return (at + 1).min(self.tokens.len());
                }
                "*" => return at + 1,
                "::" => at += 1,
                word if self.tokens.get(at).is_some_and(Token::is_word) => {
                    path.push(word.to_owned());
                    at += 1;
                    if self.text(at) == "::" && self.continues(at + 1) {
                        continue;
                    }
                    let renamed = self.text(at) == "as";
                    let name = if renamed { self.text(at + 1) } else { word };
                    found.push((name.to_owned(), path));
                    return at + if renamed { 2 } else { 0 };
                }
                _ => return at,
            }
        }
    }

    /// Whether a path continues here, after `::`: not where `::<` begins.
    fn continues(&self, at: usize) -> bool {
        matches!(self.text(at), "{" | "*") || self.tokens.get(at).is_some_and(Token::is_word)
    }

    fn attribute_end(&self, at: usize) -> usize {
        let mut depth = 0;
        for end in at..self.tokens.len() {
            match self.text(end) {
                "[" => depth += 1,
                "]" if depth == 1 => return end + 1,
                "]" => depth -= 1,
                _ => {}
            }
        }
        self.tokens.len()
    }

    /// Whether `#[cfg(test)]`, or `#[cfg(all(test, …))]`, begins here.
    fn is_test_only(&self, at: usize) -> bool {
        let words: Vec<&str> = (at..self.attribute_end(at))
            .map(|at| self.text(at))
            .filter(|word| *word != "(")
            .collect();
        matches!(words[..], ["#", "[", "cfg", "test", ..] | ["#", "[", "cfg", "all", "test", ..])
    }

    /// The end of the item, field or arm that begins here.
    fn skip_item(&mut self, mut at: usize) -> usize {
        while self.text(at) == "#" {
            at = self.attribute_end(at);
        }
        let first = at;
        let (mut depth, mut is_use, mut is_item) = (0usize, false, false);
        while at < self.tokens.len() {
            match self.text(at) {
                "use" if depth == 0 => (is_use, is_item) = (true, true),
                "fn" | "mod" | "struct" | "enum" | "impl" | "trait" | "const" | "static"
                | "type"
                    if depth == 0 =>
                {
                    is_item = true;
                    if self.text(at) == "mod" && self.text(at + 2) == ";" {
                        self.uses.test_modules.push(self.text(at + 1).to_owned());
                    }
                }
                "{" | "(" | "[" => depth += 1,
                ")" | "]" => depth = depth.saturating_sub(1),
                "}" => {
                    // The end of what encloses the field or arm is not part of it.
                    if depth == 0 {
                        return at;
                    }
                    depth -= 1;
                    if depth == 0 && !is_use && at > first {
                        return at + 1;
                    }
                }
                ";" if depth == 0 => return at + 1,
                "," if depth == 0 && !is_item => return at + 1,
                _ => {}
            }
            at += 1;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::uses;

    fn roots(text: &str, module: &[&str]) -> Vec<String> {
        let module: Vec<String> = module.iter().map(|&name| name.to_owned()).collect();
        uses(text, &module).roots.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn paths_from_the_root_and_from_above() {
        assert_eq!(roots("use crate::a::B;", &["m"]), ["a"]);
        assert_eq!(roots("use crate::{a::{B, C}, d, e::*};", &["m"]), ["a", "d", "e"]);
        assert_eq!(roots("use super::a::B;", &["m"]), ["a"]);
        assert_eq!(roots("use super::a::B;", &["m", "n"]), Vec::<String>::new());
        assert_eq!(roots("use super::super::{a, b::C};", &["m", "n"]), ["a", "b"]);
        assert_eq!(roots("fn f() -> crate::a::B { super::c::d::<E>() }", &["m"]), ["a", "c"]);
        assert_eq!(
            roots("pub(in super::super) fn f() {} pub(crate) struct S;", &["m", "n"]),
            [""; 0]
        );
        assert_eq!(roots("use std::fmt; use self::a::b; use c::d;", &["m"]), [""; 0]);
    }

    #[test]
    fn modules_inside_a_file_are_one_deeper() {
        assert_eq!(roots("mod inner { use super::a; } use super::b;", &["m"]), ["b"]);
        assert_eq!(roots("mod inner { use super::super::a; }", &["m"]), ["a"]);
    }

    #[test]
    fn what_is_for_tests_does_not_count() {
        let text = "#[cfg(test)] mod tests { use crate::a; }\n\
                    #[cfg(test)] use crate::{b, c};\n\
                    #[cfg(test)]\n#[allow(dead_code)]\nfn f<A, B>() { crate::d::e(); }\n\
                    struct S { #[cfg(test)] g: crate::g::G, h: crate::h::H }\n\
                    #[cfg(test)]\nmod more;\n\
                    #[cfg(not(test))] use crate::i;";
        assert_eq!(roots(text, &["m"]), ["h", "i"]);
        assert_eq!(uses(text, &[]).test_modules, ["more"]);
    }

    #[test]
    fn imports_have_their_names_and_paths() {
        let found = uses("pub use a::{B, c::D as E}; use f;", &[]).imports;
        let found: Vec<_> = found.iter().map(|(name, path)| (&name[..], path.join("::"))).collect();
        let expected = [("B", "a::B"), ("E", "a::c::D"), ("f", "f")];
        assert_eq!(found, expected.map(|(name, path)| (name, path.to_owned())));
    }
}
