//! Arrays by name: how learners are written to a model file, and read from one.

use std::collections::BTreeMap;

/// The values of an array.
#[derive(Clone, PartialEq, Debug)]
pub enum TensorValues {
    /// 32-bit numbers.
    F32(Vec<f32>),
    /// 64-bit numbers.
    F64(Vec<f64>),
    /// Indices and counts.
    U32(Vec<u32>),
}

impl TensorValues {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::U32(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Arrays by name, in the order of their names.
///
/// What is read from a file is not believed: [`take_f32`](Self::take_f32) and its siblings check
/// presence, type and shape, and a learner checks the contents (indices in range, numbers finite)
/// before it uses them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NamedTensors {
    arrays: BTreeMap<String, (Vec<usize>, TensorValues)>,
}

impl NamedTensors {
    /// No arrays.
    pub fn new() -> Self {
        Self::default()
    }

    /// The 32-bit numbers of this name; none if there are no such.
    pub fn floats(&self, name: &str) -> &[f32] {
        match self.arrays.get(name) {
            Some((_, TensorValues::F32(values))) => values,
            _ => &[],
        }
    }

    /// The 64-bit numbers of this name; none if there are no such.
    pub fn doubles(&self, name: &str) -> &[f64] {
        match self.arrays.get(name) {
            Some((_, TensorValues::F64(values))) => values,
            _ => &[],
        }
    }

    /// The indices of this name; none if there are no such.
    pub fn indices(&self, name: &str) -> &[u32] {
        match self.arrays.get(name) {
            Some((_, TensorValues::U32(values))) => values,
            _ => &[],
        }
    }

    /// Adds an array.
    ///
    /// # Panics
    /// If the shape does not fit the values, or the name is taken.
    pub fn insert(&mut self, name: impl Into<String>, shape: &[usize], values: TensorValues) {
        let name = name.into();
        assert_eq!(shape.iter().product::<usize>(), values.len(), "`{name}`: shape and values");
        let taken = self.arrays.insert(name, (shape.to_vec(), values));
        assert!(taken.is_none(), "one array per name");
    }

    /// All arrays with their names and shapes.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[usize], &TensorValues)> {
        self.arrays.iter().map(|(name, (shape, values))| (&name[..], &shape[..], values))
    }

    /// Whether there is such an array.
    pub fn contains(&self, name: &str) -> bool {
        self.arrays.contains_key(name)
    }

    /// The arrays of several members: the name of each is `MEMBER.NAME`.
    pub fn of_members(members: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::new();
        for (index, member) in members.into_iter().enumerate() {
            let named = |(name, array)| (format!("{index}.{name}"), array);
            all.arrays.extend(member.arrays.into_iter().map(named));
        }
        all
    }

    /// The arrays of each member, without the member in their names.
    ///
    /// # Errors
    /// A sentence, if a name has no member, there are none, or the members are not 0, 1, 2, …
    pub fn into_members(self) -> Result<Vec<Self>, String> {
        let mut members: BTreeMap<usize, Self> = BTreeMap::new();
        for (name, array) in self.arrays {
            let parts = name.split_once('.').and_then(|(member, rest)| {
                let index: usize = member.parse().ok()?;
                // `+1` and `01` are numbers, too.
                (index.to_string() == member).then_some((index, rest.to_owned()))
            });
            let (member, rest) = parts.ok_or_else(|| format!("`{name}` has no member"))?;
            members.entry(member).or_default().arrays.insert(rest, array);
        }
        match members.keys().copied().eq(0..members.len()) && !members.is_empty() {
            true => Ok(members.into_values().collect()),
            false => Err("the members are not numbered one by one".to_owned()),
        }
    }

    /// Takes out 32-bit numbers of this number of dimensions, with their shape.
    ///
    /// # Errors
    /// A sentence about what is missing or different.
    pub fn take_f32(
        &mut self,
        name: &str,
        dimensions: usize,
    ) -> Result<(Vec<usize>, Vec<f32>), String> {
        match self.take(name, dimensions)? {
            (shape, TensorValues::F32(values)) => Ok((shape, values)),
            _ => Err(format!("`{name}` is not of 32-bit numbers")),
        }
    }

    /// Takes out 64-bit numbers of this number of dimensions, with their shape.
    ///
    /// # Errors
    /// A sentence about what is missing or different.
    pub fn take_f64(
        &mut self,
        name: &str,
        dimensions: usize,
    ) -> Result<(Vec<usize>, Vec<f64>), String> {
        match self.take(name, dimensions)? {
            (shape, TensorValues::F64(values)) => Ok((shape, values)),
            _ => Err(format!("`{name}` is not of 64-bit numbers")),
        }
    }

    /// Takes out indices of this number of dimensions, with their shape.
    ///
    /// # Errors
    /// A sentence about what is missing or different.
    pub fn take_u32(
        &mut self,
        name: &str,
        dimensions: usize,
    ) -> Result<(Vec<usize>, Vec<u32>), String> {
        match self.take(name, dimensions)? {
            (shape, TensorValues::U32(values)) => Ok((shape, values)),
            _ => Err(format!("`{name}` is not of indices")),
        }
    }

    fn take(
        &mut self,
        name: &str,
        dimensions: usize,
    ) -> Result<(Vec<usize>, TensorValues), String> {
        let found = self.arrays.remove(name).ok_or_else(|| format!("`{name}` is missing"))?;
        match found.0.len() == dimensions {
            true => Ok(found),
            false => {
                Err(format!("`{name}` has {} dimensions instead of {dimensions}", found.0.len()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_come_back_only_as_what_they_are() {
        let mut tensors = NamedTensors::new();
        tensors.insert("split", &[2, 1], TensorValues::U32(vec![3, 4]));
        assert_eq!(tensors.take_u32("leaf", 1).unwrap_err(), "`leaf` is missing");
        let mut copy = tensors.clone();
        assert_eq!(copy.take_u32("split", 1).unwrap_err(), "`split` has 2 dimensions instead of 1");
        let mut copy = tensors.clone();
        assert_eq!(copy.take_f64("split", 2).unwrap_err(), "`split` is not of 64-bit numbers");
        assert_eq!(tensors.take_u32("split", 2).unwrap(), (vec![2, 1], vec![3, 4]));
        assert!(!tensors.contains("split"));
    }

    #[test]
    fn members_come_back_as_they_were() {
        let member = |value| {
            let mut tensors = NamedTensors::new();
            tensors.insert("a.b", &[1], TensorValues::U32(vec![value]));
            tensors
        };
        // More than ten: by number, not by letter.
        let members: Vec<NamedTensors> = (0..12).map(member).collect();
        let all = NamedTensors::of_members(members.clone());
        assert!(all.contains("11.a.b"));
        assert_eq!(all.into_members().unwrap(), members);
        let named = |name: &str| {
            let mut tensors = NamedTensors::new();
            tensors.insert(name, &[0], TensorValues::U32(vec![]));
            tensors.into_members()
        };
        assert!(named("0.a").is_ok());
        for name in ["a", "1.a", "x.a", "+0.a", "00.a", "99999999999999999999.a"] {
            assert!(named(name).is_err(), "{name}");
        }
        assert!(NamedTensors::new().into_members().is_err());
    }
}
