//! A service compiled for serving: routes, kinds and event sources with every query parsed once.
//! It must not read what contracts demand; of plans it takes the shape of replies and events alone.

mod action;
mod kind;
mod source;

use std::collections::BTreeMap;

use provely_model::{Service, SignatureScheme};

pub(crate) use action::{Action, Does};
pub(crate) use kind::Kind;
pub(crate) use source::{Moment, Source};

/// A service compiled for serving. Made once, shared by any number of worlds.
#[derive(Debug)]
pub struct Blueprint {
    pub(crate) kinds: Vec<Kind>,
    pub(crate) actions: Vec<Action>,
    pub(crate) sources: Vec<Source>,
    pub(crate) version: Option<String>,
    pub(crate) version_header: Option<String>,
    pub(crate) signature: Option<SignatureScheme>,
    /// Method and number of path segments to the actions that may fit, literal paths first.
    routes: BTreeMap<(String, usize), Vec<usize>>,
}

impl Blueprint {
    /// Compiles a service. Queries that cannot be parsed are passed over: the compiler has checked them.
    #[must_use]
    pub fn new(service: &Service) -> Self {
        let sources = Source::all(service);
        let kinds = service.resources.iter().map(|resource| Kind::new(service, resource, &sources)).collect();
        let actions: Vec<Action> =
            service.operations.iter().map(|operation| Action::new(service, operation)).collect();
        Self {
            kinds,
            routes: routes(&actions),
            actions,
            sources,
            version: service.version.as_ref().map(|rule| rule.default.clone()),
            version_header: service.version.as_ref().and_then(|rule| rule.header.clone()),
            signature: service.signature.clone(),
        }
    }

    /// The place of the kind of that name.
    pub(crate) fn kind_named(&self, name: &str) -> Option<usize> {
        self.kinds.iter().position(|kind| &*kind.name == name)
    }

    /// The action for a method and path, with its path parameters.
    pub(crate) fn route(&self, method: &str, path: &str) -> Option<(&Action, Vec<(String, String)>)> {
        let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        let candidates = self.routes.get(&(method.to_owned(), segments.len()))?;
        let actions = candidates.iter().filter_map(|place| self.actions.get(*place));
        actions.into_iter().find_map(|action| action.matches(&segments).map(|found| (action, found)))
    }

    /// True if some operation has this path under another method.
    pub(crate) fn knows_path(&self, path: &str) -> bool {
        let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        self.actions.iter().any(|action| action.matches(&segments).is_some())
    }
}

fn routes(actions: &[Action]) -> BTreeMap<(String, usize), Vec<usize>> {
    let mut routes: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (place, action) in actions.iter().enumerate() {
        routes.entry((action.method.clone(), action.length())).or_default().push(place);
    }
    for places in routes.values_mut() {
        places.sort_by_key(|place| actions.get(*place).map_or(0, Action::parameters_in_path));
    }
    routes
}
