//! `language`: looks something up in the language reference, the library, and the table of codes.

use serde_json::{Value, json};

use super::{Arguments, Tool};
use crate::clients::agents::answer::{Answer, Text};
use crate::clients::agents::arguments::max_chars;
use crate::clients::agents::call::Call;
use crate::clients::agents::documents::{SCHEME, Section, sections};
use crate::clients::agents::schema;
use crate::protocol::params::Params;
use ez_language::syntax::foreign;
use ez_runtime::diagnostics::explanation_of;
use ez_runtime::library;

pub const TOOL: Tool = Tool {
    name: "language",
    title: "Look up the EZ language",
    description: "Look up how something is written in EZ: a section of the language reference, a function or module \
                  of the library, a word of the language, or a code of an error. Use it before writing EZ, which \
                  only looks like other languages, and when a report is not clear. \
                  Example: {\"topic\": \"loops\"}, {\"topic\": \"strings.split\"}, {\"topic\": \"while\"} or \
                  {\"topic\": \"E3001\"}",
    reads_only: true,
    input,
    output,
    run,
};

/// How many sections are shown, and how many more are named.
const SHOWN: usize = 2;
const NAMED: usize = 8;

fn input() -> Value {
    let topic = schema::text("Words, a name, or a code");
    schema::object([("topic", topic, true), max_chars()])
}

fn output() -> Value {
    let entry = schema::object([
        ("title", schema::text("What it is about"), true),
        ("uri", schema::text("The resource in which it is"), true),
        ("text", schema::text("The text, in Markdown"), true),
    ]);
    schema::object([
        ("found", schema::list(&entry, "The best entries"), true),
        ("others", schema::texts("Titles of other sections that mention the words"), true),
    ])
}

/// An entry that was found.
struct Entry {
    title: String,
    uri: String,
    text: String,
}

fn run(_: &Call, arguments: &Arguments) -> Result<Answer, String> {
    let topic = Params::new(arguments).required_text("topic")?;
    let topic = topic.trim();
    if topic.is_empty() {
        return Err(
            "topic is empty: give words, such as \"loops\", or a name, such as \"strings.split\"".into()
        );
    }
    let mut found: Vec<Entry> = exact(topic).into_iter().collect();
    let ranked = ranked(&own_words(topic));
    let mut ranked = ranked.into_iter();
    let more = ranked.by_ref().take(SHOWN.saturating_sub(found.len()));
    found.extend(more.map(|Section { title, uri, text }| Entry { title, uri, text }));
    let others: Vec<String> = ranked.take(NAMED).map(|section| section.title).collect();
    if found.is_empty() {
        return Err(format!(
            "nothing is known about {topic:?}: try other words; the resource {SCHEME}library has all functions"
        ));
    }
    let mut out = Text::default();
    for Entry { title, uri, text } in &found {
        out.gap();
        out.line(format_args!("## {title} ({uri})"));
        out.line(text.trim());
    }
    if !others.is_empty() {
        out.gap();
        out.line(format_args!("See also: {}", others.join("; ")));
    }
    let found: Vec<Value> = found
        .into_iter()
        .map(|Entry { title, uri, text }| json!({"title": title, "uri": uri, "text": text.trim()}))
        .collect();
    Ok(Answer::new(json!({"found": found, "others": others}), out))
}

/// What is known of a code, a name of the library, or a word of this or another language.
fn exact(topic: &str) -> Option<Entry> {
    let entry = |uri: &str, text: String| {
        Some(Entry { title: topic.to_string(), uri: format!("{SCHEME}{uri}"), text })
    };
    if let Ok(text) = explanation_of(topic) {
        return entry("language/reports", text);
    }
    if let Ok(text) = library::man(topic) {
        return entry("library", text);
    }
    entry("language/statements", foreign::translation(topic)?.to_string())
}

/// A word of another language is looked for as EZ writes it: what is in quotes in the translation, after the
/// word itself.
fn own_words(topic: &str) -> String {
    match foreign::translation(topic) {
        Some(translation) => translation.split('\'').skip(3).step_by(2).collect::<Vec<_>>().join(" "),
        None => topic.to_string(),
    }
}

/// The sections that have words of the topic, the best first.
fn ranked(topic: &str) -> Vec<Section> {
    let wanted: Vec<String> = words(topic).collect();
    let all: Vec<(Section, Vec<String>)> = sections()
        .into_iter()
        .map(|section| {
            let text = words(&section.text).collect();
            (section, text)
        })
        .collect();
    // A word that many sections have says little.
    let weights: Vec<usize> = wanted
        .iter()
        .map(|word| all.len() / all.iter().filter(|(_, text)| text.contains(word)).count().max(1))
        .collect();
    let mut found: Vec<(usize, Section)> = all
        .into_iter()
        .filter_map(|(section, text)| {
            let score = score(&section, &text, &wanted, &weights);
            (score > 0).then_some((score, section))
        })
        .collect();
    // Stable: of equal sections, the first in the reference comes first.
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().map(|(_, section)| section).collect()
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() > 1);
    // `loops` finds `loop`.
    words.map(|word| word.to_lowercase().trim_end_matches('s').to_string())
}

/// How well a section fits: words in its title count more.
fn score(section: &Section, text: &[String], wanted: &[String], weights: &[usize]) -> usize {
    let title: Vec<String> = words(&section.title).collect();
    let fits = |(word, weight): (&String, &usize)| {
        let in_text = text.iter().filter(|other| *other == word).count();
        weight * (15 * usize::from(title.contains(word)) + 3 * usize::from(in_text > 0) + in_text.min(5))
    };
    wanted.iter().zip(weights).map(fits).sum()
}
