//! Reads a document in Markdown or HTML into passages under stable ids. Must not leave a block out.

use std::collections::BTreeMap;

use provely_document::Diagnostic;

use super::html;
use super::passage::{Block, Passage, blocks, slug};
use crate::assertion::assertion_id;
use crate::source::SourceFile;

/// The passages of a document. The id of each is the trail of slugged headings and its number among the
/// blocks under the nearest heading; a heading that comes twice gets `-2`.
///
/// # Errors
/// If a page is beyond the limits.
pub(super) fn read(file: &SourceFile) -> Result<Vec<Passage>, Diagnostic> {
    let blocks = if html::is_html(&file.name, &file.text) {
        html::blocks(&file.name, &file.text)?
    } else {
        blocks(&file.text)
    };
    Ok(passages(file, blocks))
}

fn passages(file: &SourceFile, blocks: Vec<Block>) -> Vec<Passage> {
    let mut trail: Vec<(u8, String, String)> = Vec::new();
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    let mut number = 0;
    let mut passages = Vec::new();
    for block in blocks {
        match block {
            Block::Heading(level, text) => {
                trail.retain(|(above, _, _)| *above < level);
                let parent = trail_id(&trail);
                let mut name = slug(&text);
                let count = used.entry(format!("{parent}/{name}")).or_insert(0);
                *count += 1;
                if *count > 1 {
                    name = format!("{name}-{count}");
                }
                trail.push((level, name, text));
                number = 0;
            }
            Block::Text(text) | Block::Code(text) => {
                number += 1;
                let place = trail_id(&trail);
                let slash = if place.is_empty() { "" } else { "/" };
                passages.push(Passage {
                    assertion: assertion_id(&file.id, &format!("{place}{slash}p{number}")),
                    source: file.id.clone(),
                    headings: trail.iter().map(|(_, _, text)| text.clone()).collect(),
                    text,
                });
            }
        }
    }
    passages
}

fn trail_id(trail: &[(u8, String, String)]) -> String {
    trail.iter().map(|(_, slug, _)| slug.as_str()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceKind;

    #[test]
    fn paragraphs_and_items_count_under_the_nearest_heading() {
        let text = "# Things\n\nIntro.\n\n## A state\n\nOne.\n\n- two\n- three\n\n## A state\n\nFour.\n";
        let file = SourceFile {
            id: "x.docs".to_owned(),
            kind: SourceKind::Docs,
            name: "a.md".to_owned(),
            url: None,
            retrieved: None,
            excerpt: None,
            text: text.to_owned(),
        };
        let ids: Vec<String> = read(&file).unwrap().into_iter().map(|passage| passage.assertion).collect();
        assert_eq!(
            ids,
            [
                "x.docs#things/p1",
                "x.docs#things/a-state/p1",
                "x.docs#things/a-state/p2",
                "x.docs#things/a-state/p3",
                "x.docs#things/a-state-2/p1"
            ]
        );
    }
}
