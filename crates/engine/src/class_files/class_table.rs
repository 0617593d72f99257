//! A table with numbers for every class, from CSV, TSV or Parquet.

use std::path::Path;

use rulebound_core::{LabelId, Labels};

use super::error::{ClassFileError, ClassMistake, ClassNumbers, ClassProblem};
use super::records::{ClassRecord, ClassRecords, parquet_records};
use crate::class_names::{ClassNames, NameMeaning, RepeatedClass};
use crate::input::{KEPT, read_text};
use crate::table::Layout;

/// A table with `N` numbers for every class.
pub(crate) struct ClassTable<const N: usize> {
    /// The columns and the words of errors.
    pub numbers: &'static ClassNumbers,
    /// Which numbers are allowed.
    pub fits: fn(f64) -> bool,
}

/// The numbers of a class with the name that it has in the file.
#[derive(Clone)]
struct Listed<const N: usize> {
    name: String,
    line: usize,
    values: [f64; N],
}

impl<const N: usize> ClassTable<N> {
    /// Reads the numbers of all classes, in the order of the classes. The first line may name the columns.
    ///
    /// # Errors
    /// If the file cannot be read, or with all invalid lines, or with all classes that have no numbers.
    pub fn read(
        &self,
        path: &Path,
        classes: &ClassNames<'_>,
    ) -> Result<Vec<[f64; N]>, ClassFileError> {
        let (labels, numbers) = (classes.labels(), self.numbers);
        let records = match Layout::from_name(path) {
            Some(Layout::Parquet) => parquet_records(path, numbers)?,
            _ => ClassRecords::new(&read_text(path)?, labels).collect(),
        };
        let mut own: Vec<Option<Listed<N>>> = vec![None; labels.len()];
        let mut others = None;
        let mut mistakes: Vec<ClassMistake> = Vec::new();
        let header = records.first().and_then(|first| self.header(first, labels));
        let order = header.unwrap_or(std::array::from_fn(|place| place));
        for record in records.into_iter().skip(usize::from(header.is_some())) {
            let line = record.line;
            // Finding the nearest name looks at every class.
            let added =
                self.listed(record, order, classes, mistakes.len() < KEPT).and_then(|found| {
                    let Some((class, listed)) = found else { return Ok(()) };
                    let place = class.map_or(&mut others, |class| &mut own[class.index()]);
                    match place {
                        Some(Listed { name: before, line: first, .. }) => {
                            let (name, before, first) = (listed.name, before.clone(), *first);
                            Err(RepeatedClass { name, before, first, what: numbers.what }.into())
                        }
                        None => {
                            *place = Some(listed);
                            Ok(())
                        }
                    }
                });
            mistakes.extend(added.err().map(|problem| ClassMistake { line, problem }));
        }
        let path = path.to_path_buf();
        if !mistakes.is_empty() {
            return Err(ClassFileError::Lines { path, numbers, mistakes });
        }
        let value = |own: &Option<Listed<N>>| Some(own.as_ref().or(others.as_ref())?.values);
        let missing = labels.names().zip(&own).filter(|(_, own)| value(own).is_none());
        let classes: Vec<String> = missing.map(|(name, _)| name.to_owned()).collect();
        match classes.is_empty() {
            true => Ok(own.iter().filter_map(value).collect()),
            false => Err(ClassFileError::Missing { path, numbers, classes }),
        }
    }

    /// The place of each number behind the class, if this line names the columns. A single number may have another name.
    fn header(&self, first: &ClassRecord, labels: &Labels) -> Option<[usize; N]> {
        let (class, names) = first.fields.as_ref()?.split_first()?;
        let is = |field: &str, name: &str| field.trim().eq_ignore_ascii_case(name);
        if !is(class, "class") || names.len() != N {
            return None;
        }
        let mut order = [0; N];
        for (place, column) in order.iter_mut().zip(self.numbers.columns) {
            let other = N == 1 && names[0].trim().parse::<f64>().is_err();
            let other = (other && labels.find("class").is_none()).then_some(0);
            *place = names.iter().position(|name| is(name, column)).or(other)?;
        }
        Some(order)
    }

    /// One line; `None` for a name that means something else. A class of `None` is `*`.
    fn listed(
        &self,
        record: ClassRecord,
        order: [usize; N],
        classes: &ClassNames<'_>,
        suggest: bool,
    ) -> Result<Option<(Option<LabelId>, Listed<N>)>, ClassProblem> {
        let (line, numbers) = (record.line, self.numbers);
        let fields = record.fields.ok_or(ClassProblem::OpenQuote)?;
        let (name, fields) = match fields.split_first() {
            Some((name, rest)) if rest.len() == N => (name, rest),
            _ => return Err(ClassProblem::Columns { numbers, found: fields.len() }),
        };
        let class = match classes.meaning(name, suggest)? {
            NameMeaning::Class(class) => Some(class),
            NameMeaning::AllOthers => None,
            NameMeaning::Elsewhere => return Ok(None),
        };
        let mut values = [0.0; N];
        for (value, place) in values.iter_mut().zip(order) {
            let text = fields[place].trim();
            let number = text.parse().ok().filter(|number| (self.fits)(*number));
            let wrong = || ClassProblem::Number { text: text.to_owned(), numbers };
            *value = number.ok_or_else(wrong)?;
        }
        Ok(Some((class, Listed { name: name.trim().to_owned(), line, values })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: ClassTable<2> = ClassTable {
        numbers: &ClassNumbers {
            columns: &["low", "high"],
            noun: "pair",
            what: "a pair",
            expected: "a positive number",
            others: "*,1,1",
            code: "pair",
            missing_code: "no-pair",
        },
        fits: |number| number > 0.0,
    };

    fn read(text: &str) -> Result<Vec<[f64; 2]>, ClassFileError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let labels = Labels::new(["a", "b, c", "d"]).unwrap();
        PAIRS.read(file.path(), &ClassNames::new(&labels))
    }

    #[test]
    fn listed_classes_and_all_others_with_or_without_the_names_of_columns() {
        let expected = [[3.0, 4.0], [1.0, 2.0], [3.0, 4.0]];
        for text in [
            "class,low,high\n\"b, c\",1,2\n*,3,4\n",
            "\u{feff}Class,HIGH,low\n\"b, c\",2,1\n*,4,3\n",
            "*\t3\t4\n\nb, c\t1\t2",
        ] {
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn all_mistakes_are_reported_with_the_nearest_names() {
        let text =
            "a,1,1\na,1,1\ndd,1,1\nd,-1,1\nd,1\nd,1,much\n\"b, c,1,1\nclass,low,high\n*,1,1\n";
        let Err(error @ ClassFileError::Lines { .. }) = read(text) else { panic!("accepted") };
        let told = error.to_string();
        let expected = [
            ": 7 invalid lines",
            "2: \"a\" already has a pair, on line 1",
            "3: there is no class \"dd\"; did you mean \"d\"?",
            "4: \"-1\" is not a positive number",
            "5: expected 3 columns, class, low, high; found 2",
            "6: \"much\" is not a positive number",
            "7: unclosed quotation mark",
            "8: there is no class \"class\"",
        ];
        assert!(told.ends_with(&expected.join("\n")), "{told}");
        assert_eq!((error.code(), error.hint()), ("pair", None));
        let many: String = (0..30).map(|line| format!("x{line},1,1\n")).collect();
        let told = read(&many).unwrap_err().to_string();
        assert!(told.contains("30 invalid lines") && told.ends_with("\nand 10 more"), "{told}");
    }

    #[test]
    fn classes_without_numbers_are_named() {
        let error = read("a,1,2\n").unwrap_err();
        assert!(error.to_string().ends_with(": no pair for \"b, c\", \"d\""), "{error}");
        let hint = error.hint().unwrap();
        assert_eq!(hint, "list every class, or add a line `*,1,1` for all others");
    }
}
