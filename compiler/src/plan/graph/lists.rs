//! The channel of a list: inside a record that the input names, or at the root, with its pages. Must not say
//! which list it is.

use provely_evaluator::contract::{Channel, EvidenceLevel, Order, Page, PageStyle, Request};
use provely_model::{EchoKind, Operation};

use super::document::{Document, Selection};
use super::{ChildPages, Way};
use crate::classify::{MOST_ITEMS, snake};
use crate::plan::channels::{channel, request};
use crate::plan::{Draft, own_rule, part};

impl Draft<'_> {
    /// The channel that lists siblings.
    pub(super) fn graph_list(&mut self, way: &Way<'_>) {
        let items = self.asked();
        let (operation, request, select, pages, bounded) = match way {
            Way::Inside { read, list, input } => {
                let mut document = Document::new(&read.field);
                document.argument(&read.argument, &read.kind);
                let below = pages_below(&mut document, list.pages.as_ref(), list.below.as_deref(), items);
                let mut whole = Selection::default();
                whole.put(&list.field, &below.arguments, below.selection);
                if let Some(kind) = &read.on {
                    whole = whole.on(kind);
                }
                let base = format!("$.data.{}.{}", read.field, list.field);
                let mut request = request(read.operation);
                request.document = Some(document.write(&whole));
                let member = self.operation.member(input);
                request.variables.insert(read.argument.clone(), format!("$input.{member}"));
                request.scope.push(read.argument.clone());
                let pages = list.pages.as_ref().map(|pages| (pages.clone(), base.clone()));
                (read.operation, request, joined(&base, list.below.as_deref()), pages, true)
            }
            Way::Root(operation) => match self.root_list(operation, items) {
                Some((request, select, pages)) => {
                    let bounded = !request.scope.is_empty();
                    (*operation, request, select, pages, bounded)
                }
                None => return,
            },
        };
        let edges = select.ends_with(".edges");
        let item = |path: &Option<String>| path.as_deref().map(|path| in_edge(path, edges));
        let mut page = self.graph_page(pages);
        page.created = item(&self.resource.created);
        let listing = Channel {
            baseline: true,
            // Of an edge only the id is read: what its record shows is not compared.
            complete: bounded && !edges,
            request: Some(request),
            select: Some(select),
            record_id: item(&self.resource.id),
            record_created: item(&self.resource.created),
            page: Some(page),
            instant: self.instant(),
            typical_latency_ms: Some(self.rules.plan.latency.list_ms),
            ..channel(self.channel_name(part::LIST), EvidenceLevel::E2)
        };
        let mut assertions = operation.assertions.clone();
        assertions.extend(self.written_of(operation));
        if let Way::Inside { list, .. } = way {
            assertions.push(list.assertion.clone());
        }
        assertions.push(own_rule("plan/latency"));
        if self.cite(part::LIST, assertions) {
            self.plan.list = Some(operation.id.clone());
            self.plan.channels.push(listing);
            self.graph_scopes(operation);
        }
    }

    /// A list at the root: arguments that the input fills narrow it.
    fn root_list(&self, operation: &Operation, items: Selection) -> Option<(Request, String, ChildPages)> {
        let root = operation.graphql.as_ref()?;
        let select = &operation.reply.as_ref()?.select;
        let base = format!("$.data.{}", root.name);
        let below = select.strip_prefix(&base)?.strip_prefix('.');
        let mut document = Document::new(&root.name);
        let mut sent = request(operation);
        let subjects = self.plan.echoes.iter().filter(|echo| echo.kind == EchoKind::Subject);
        for echo in subjects {
            let member = self.operation.member(&echo.input);
            let argument =
                root.arguments.iter().find(|one| snake(&one.name) == member && !one.kind.starts_with('['));
            if let Some(argument) = argument {
                document.argument(&argument.name, &argument.kind);
                sent.variables.insert(argument.name.clone(), format!("$input.{member}"));
                sent.optional.push(argument.name.clone());
                sent.scope.push(argument.name.clone());
            }
        }
        let has = |name: &str| root.arguments.iter().any(|one| one.name == name);
        let pages = (below.is_some() && has("first") && has("after"))
            .then(|| ("first".to_owned(), "after".to_owned()));
        let mut whole = items;
        if let Some((size, cursor)) = &pages {
            document.argument(size, "Int");
            document.argument(cursor, "String");
        }
        if let Some(member) = below {
            let mut outer = Selection::of(["@.pageInfo.hasNextPage", "@.pageInfo.endCursor"]);
            outer.put(member, "", if member == "edges" { whole.below("node") } else { whole });
            whole = outer;
        }
        sent.document = Some(document.write(&whole));
        Some((sent, select.clone(), pages.map(|pages| (pages, base))))
    }

    fn graph_page(&self, pages: ChildPages) -> Page {
        let mut page = Page {
            style: PageStyle::Single,
            parameter: None,
            cursor: None,
            more: None,
            size: None,
            max_size: None,
            order: Order::Unordered,
            created: None,
        };
        if let Some(((size, cursor), base)) = pages {
            page.style = PageStyle::Cursor;
            page.parameter = Some(cursor);
            page.cursor = Some(format!("{base}.pageInfo.endCursor"));
            page.more = Some(format!("{base}.pageInfo.hasNextPage"));
            page.size = Some(size);
            page.max_size = Some(MOST_ITEMS);
        }
        page
    }
}

struct Below {
    selection: Selection,
    arguments: String,
}

/// What stands below the field of a list, with the variables that page through it.
fn pages_below(
    document: &mut Document,
    pages: Option<&(String, String)>,
    below: Option<&str>,
    items: Selection,
) -> Below {
    let Some(member) = below else { return Below { selection: items, arguments: String::new() } };
    let mut outer = Selection::of(["@.pageInfo.hasNextPage", "@.pageInfo.endCursor"]);
    outer.put(member, "", if member == "edges" { items.below("node") } else { items });
    let arguments = pages.map(|(size, cursor)| {
        document.variable(size, "Int");
        document.variable(cursor, "String");
        format!("{size}: ${size}, {cursor}: ${cursor}")
    });
    Below { selection: outer, arguments: arguments.unwrap_or_default() }
}

/// The path of a record's value in an item of a list.
fn in_edge(path: &str, edges: bool) -> String {
    match path.strip_prefix('@') {
        Some(below) if edges => format!("@.node{below}"),
        Some(_) | None => path.to_owned(),
    }
}

fn joined(base: &str, below: Option<&str>) -> String {
    below.map_or_else(|| base.to_owned(), |member| format!("{base}.{member}"))
}
