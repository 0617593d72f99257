//! The settings of a learner of any kind, in a configuration.

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::fit::Fit;
use super::ordered_json::OrderedJson;
use super::registry::methods;

/// The settings of a learner, of any kind in the [registry](super::methods). Networks have theirs in
/// [`Configuration`](crate::train::Configuration) itself.
///
/// ```
/// use rulebound::learner::{ForestSettings, LearnerSettings};
/// let mut settings: LearnerSettings = ForestSettings { trees: 500, ..Default::default() }.into();
/// if let Some(forest) = settings.get_mut::<ForestSettings>() {
///     forest.leaf = 5;
/// }
/// assert!(settings.mistakes().is_empty() && !settings.abilities().has_epochs);
/// assert!(serde_json::to_string(&settings)?.starts_with(r#"{"forest":{"trees":500,"leaf":5,"#));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LearnerSettings(Arc<dyn Fit>);

impl<S: Fit> From<S> for LearnerSettings {
    fn from(settings: S) -> Self {
        Self(Arc::new(settings))
    }
}

impl LearnerSettings {
    /// The settings, if they are of this type.
    pub fn get<S: Fit>(&self) -> Option<&S> {
        let settings: &dyn Any = &*self.0;
        settings.downcast_ref()
    }

    /// The settings, if they are of this type.
    pub fn get_mut<S: Fit + Clone>(&mut self) -> Option<&mut S> {
        self.0 = Arc::new(self.get::<S>()?.clone());
        let settings: &mut dyn Any = Arc::get_mut(&mut self.0)?;
        settings.downcast_mut()
    }

    /// Changes the settings if they are of this type.
    pub fn change<S: Fit + Clone>(&mut self, change: impl FnOnce(&mut S)) {
        if let Some(settings) = self.get_mut() {
            change(settings);
        }
    }
}

impl Deref for LearnerSettings {
    type Target = dyn Fit;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl PartialEq for LearnerSettings {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_same(&*other.0)
    }
}

impl Serialize for LearnerSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = self.to_json().map_err(S::Error::custom)?;
        let settings: OrderedJson = serde_json::from_str(&json).map_err(S::Error::custom)?;
        serializer.serialize_newtype_variant("LearnerSettings", 0, self.kind(), &settings)
    }
}

impl<'de> Deserialize<'de> for LearnerSettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let kinds = BTreeMap::<String, serde_json::Value>::deserialize(deserializer)?;
        let mut kinds = kinds.into_iter();
        let (Some((kind, settings)), None) = (kinds.next(), kinds.next()) else {
            return Err(D::Error::custom("expected the settings of one kind of learner"));
        };
        let mut known = methods().iter().map(|method| (method.settings)());
        let known = known.find(|known| known.kind() == kind);
        let known = known.ok_or_else(|| D::Error::custom(format!("unknown learner `{kind}`")))?;
        known.read(settings).map_err(D::Error::custom)
    }
}
