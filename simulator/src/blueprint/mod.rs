//! A service compiled for serving: routes, kinds and event sources with every query parsed once.
//! It must not read what contracts demand; of plans it takes the shape of replies and events alone.

mod action;
mod kind;
mod root;
mod source;

use std::collections::BTreeMap;

use provely_evaluator::contract::{Channel, Order};
use provely_model::{Service, SignatureScheme};

pub(crate) use action::{Action, Does};
pub(crate) use kind::{Kind, Life, PartsLife};
pub(crate) use root::{Root, is_id_of};
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
    /// Paths that take query documents.
    endpoints: Vec<String>,
    /// Response keys of a list to the order that its channel states.
    orders: Vec<(Vec<String>, Order)>,
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
            endpoints: endpoints(service),
            orders: orders(service),
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

    /// The action of an operation.
    pub(crate) fn action(&self, id: &str) -> Option<&Action> {
        self.actions.iter().find(|action| &*action.id == id)
    }

    /// True for a path that takes query documents.
    pub(crate) fn is_endpoint(&self, path: &str) -> bool {
        self.endpoints.iter().any(|own| own == path)
    }

    /// The action behind a root field.
    pub(crate) fn root(&self, mutation: bool, name: &str) -> Option<(&Action, &Root)> {
        let mut roots = self.actions.iter().filter_map(|action| Some((action, action.root.as_ref()?)));
        roots.find(|(_, root)| root.mutation == mutation && root.name == name)
    }

    /// The kind of a type's name.
    pub(crate) fn kind_of_type(&self, name: &str) -> Option<usize> {
        self.kinds.iter().position(|kind| kind.type_name == name)
    }

    /// The order of the list at these response keys, where a channel states it.
    pub(crate) fn order_at(&self, way: &[&str]) -> Option<Order> {
        self.orders.iter().find(|(own, _)| own.iter().eq(way)).map(|(_, order)| *order)
    }

    /// True if some operation has this path under another method.
    pub(crate) fn knows_path(&self, path: &str) -> bool {
        let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        self.actions.iter().any(|action| action.matches(&segments).is_some())
    }
}

fn routes(actions: &[Action]) -> BTreeMap<(String, usize), Vec<usize>> {
    let mut routes: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (place, action) in actions.iter().enumerate().filter(|(_, action)| action.root.is_none()) {
        routes.entry((action.method.clone(), action.length())).or_default().push(place);
    }
    for places in routes.values_mut() {
        places.sort_by_key(|place| actions.get(*place).map_or(0, Action::parameters_in_path));
    }
    routes
}

fn endpoints(service: &Service) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for operation in service.operations.iter().filter(|operation| operation.graphql.is_some()) {
        if !paths.contains(&operation.path) {
            paths.push(operation.path.clone());
        }
    }
    paths
}

fn orders(service: &Service) -> Vec<(Vec<String>, Order)> {
    let plans = service.operations.iter().filter_map(|operation| operation.plan.as_ref());
    plans.flat_map(|plan| &plan.channels).filter_map(order).collect()
}

/// The response keys that a channel of documents selects, without those of a connection.
fn order(channel: &Channel) -> Option<(Vec<String>, Order)> {
    channel.request.as_ref().filter(|request| request.document.is_some())?;
    let page = channel.page.as_ref()?;
    let below = channel.select.as_deref()?.strip_prefix("$.data.")?;
    let keys = below.split('.').filter(|key| !matches!(*key, "nodes" | "edges"));
    Some((keys.map(str::to_owned).collect(), page.order))
}
