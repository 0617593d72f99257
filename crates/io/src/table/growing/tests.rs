//! Growing tables: read back, torn, foreign, locked, shared.

use super::*;

#[derive(Clone, PartialEq, Debug)]
struct Animal {
    name: String,
    weight: f64,
}

impl GrowingRow for Animal {
    const PLURAL: &'static str = "animals";

    fn columns() -> Vec<String> {
        vec!["name".into(), "weight".into()]
    }

    fn cells(&self) -> Vec<String> {
        vec![self.name.clone(), self.weight.to_string()]
    }

    fn from_cells(cells: &NamedCells<'_>) -> Result<Self, String> {
        let name = cells.text("name").to_owned();
        Ok(Self { name, weight: cells.needed_number("weight")? })
    }
}

fn animal(name: &str, weight: f64) -> Animal {
    Animal { name: name.into(), weight }
}

struct Scene(tempfile::TempDir);

impl Scene {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("animals.csv")
    }

    fn shared(&self) -> GrowingTable<Animal> {
        GrowingTable::shared(&self.path())
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.path()).unwrap()
    }

    fn put(&self, text: &str) {
        std::fs::write(self.path(), text).unwrap();
    }
}

#[test]
fn rows_are_read_back_unchanged() {
    let scene = Scene::new();
    let rows = [animal("cat, \"big\"", 4.5), animal("dog", 30.0)];
    assert_eq!(scene.shared().read().unwrap(), []);
    let (mut table, before) = GrowingTable::open(&scene.path()).unwrap();
    assert_eq!(before, []);
    assert_eq!(scene.text(), "name,weight\n");
    table.append(&rows[..1]).unwrap();
    table.append(&rows[1..]).unwrap();
    assert_eq!(scene.text(), "name,weight\n\"cat, \"\"big\"\"\",4.5\ndog,30\n");
    drop(table);
    assert_eq!(GrowingTable::<Animal>::open(&scene.path()).unwrap().1, rows);
    assert_eq!(scene.shared().read().unwrap(), rows);
}

#[test]
fn a_torn_last_line_is_skipped_and_cut_off() {
    let scene = Scene::new();
    let whole = "name,weight\ncat,4\n";
    for torn in ["", "n", "name,weight", "name,weight\n", "name,weight\nca", "name,weight\ncat,4"] {
        scene.put(torn);
        assert_eq!(scene.shared().read().unwrap(), [], "{torn:?}");
        assert_eq!(scene.text(), torn, "reading changes nothing");
        scene.shared().append(&[animal("cat", 4.0)]).unwrap();
        assert_eq!(scene.text(), whole, "{torn:?}");
        scene.put(torn);
        let (mut table, _) = GrowingTable::open(&scene.path()).unwrap();
        table.append(&[animal("cat", 4.0)]).unwrap();
        assert_eq!(scene.text(), whole, "{torn:?}");
    }
    scene.put("name,weight\r\ncat,4\r\nd");
    scene.shared().append(&[animal("dog", 5.0)]).unwrap();
    assert_eq!(scene.text(), "name,weight\r\ncat,4\r\ndog,5\n");
}

#[test]
fn other_files_are_rejected_and_left_alone() {
    let scene = Scene::new();
    for (text, message) in [
        ("name\ncat\n", "not a table of animals: unexpected header"),
        ("nonsense", "not a table of animals: unexpected header"),
        ("name,weight\ncat,4\ndog\n", "line 3 has 1 cells instead of 2"),
        ("name,weight\n\ncat,4,5\n", "line 3 has 3 cells instead of 2"),
        ("name,weight\ncat,heavy\n", "line 2: `heavy` is not a valid value of `weight`"),
        ("name,weight\ncat,inf\n", "line 2: `inf` is not a valid value of `weight`"),
        ("name,weight\n\"cat,4\ndog,5\n", "line 2 has 1 cells instead of 2"),
    ] {
        scene.put(text);
        let message_shown = scene.shared().read().unwrap_err().to_string();
        assert!(message_shown.ends_with(message), "{message_shown}");
        assert!(scene.shared().append(&[animal("cow", 500.0)]).is_err());
        assert!(GrowingTable::<Animal>::open(&scene.path()).is_err());
        assert_eq!(scene.text(), text);
    }
    let folder = GrowingTable::<Animal>::open(scene.0.path()).unwrap_err();
    assert!(folder.to_string().ends_with("not a file"), "{folder}");
}

#[test]
fn an_open_table_is_locked() {
    let scene = Scene::new();
    let (table, _) = GrowingTable::<Animal>::open(&scene.path()).unwrap();
    let second = GrowingTable::<Animal>::open(&scene.path()).unwrap_err();
    assert!(matches!(second, GrowingTableError::InUse { .. }), "{second}");
    drop(table);
    assert!(GrowingTable::<Animal>::open(&scene.path()).is_ok());
}

#[test]
fn many_writers_lose_nothing() {
    let scene = Scene::new();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let mut table = scene.shared();
            scope.spawn(move || {
                for at in 0..10 {
                    table.append(&[animal("cat", f64::from(writer * 10 + at))]).unwrap();
                }
            });
        }
    });
    let mut weights: Vec<f64> =
        scene.shared().read().unwrap().iter().map(|one| one.weight).collect();
    weights.sort_by(f64::total_cmp);
    assert_eq!(weights, (0..80).map(f64::from).collect::<Vec<_>>());
}
