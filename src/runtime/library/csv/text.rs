//! Parsing and writing of records.

use std::fmt;

/// A syntax error in CSV.
#[derive(Debug, PartialEq, Eq)]
pub enum CsvError {
    /// A quote within an unquoted field: its line and column, and the line on which the record began.
    BareQuote { line: usize, column: usize, start: usize },
    /// A quoted field that is not closed, or is followed by other text.
    Quote { line: usize, column: usize, start: usize },
    /// A record with another number of fields than the first.
    Count { line: usize },
}

impl fmt::Display for CsvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column, start, text) = match self {
            CsvError::Count { line } => return write!(f, "record on line {line}: wrong number of fields"),
            CsvError::BareQuote { line, column, start } => {
                (line, column, start, "bare \" in non-quoted-field")
            }
            CsvError::Quote { line, column, start } => {
                (line, column, start, "extraneous or missing \" in quoted-field")
            }
        };
        if start != line {
            write!(f, "record on line {start}; ")?;
        }
        write!(f, "parse error on line {line}, column {column}: {text}")
    }
}

pub struct RecordReader<'a> {
    rest: &'a str,
    delimiter: char,
    line: usize,
}

/// A line without its end, and whether it had one.
struct TextLine<'a> {
    text: &'a str,
    ended: bool,
}

impl<'a> RecordReader<'a> {
    pub fn new(text: &'a str, delimiter: char) -> RecordReader<'a> {
        RecordReader { rest: text, delimiter, line: 0 }
    }

    fn next_line(&mut self) -> Option<TextLine<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        self.line += 1;
        let (text, ended) = match self.rest.split_once('\n') {
            Some((text, rest)) => {
                self.rest = rest;
                (text, true)
            }
            None => (std::mem::take(&mut self.rest), false),
        };
        Some(TextLine { text: text.strip_suffix('\r').unwrap_or(text), ended })
    }

    /// The next record and the line on which it begins.
    pub fn record(&mut self) -> Result<Option<(usize, Vec<String>)>, CsvError> {
        let mut line = loop {
            match self.next_line() {
                None => return Ok(None),
                Some(line) if line.text.is_empty() => {}
                Some(line) => break line,
            }
        };
        let start = self.line;
        let mut fields = Vec::new();
        let mut column = 1;
        loop {
            let Some(inside) = line.text.strip_prefix('"') else {
                let (field, rest) = match line.text.split_once(self.delimiter) {
                    Some((field, rest)) => (field, Some(rest)),
                    None => (line.text, None),
                };
                if let Some(at) = field.find('"') {
                    return Err(CsvError::BareQuote { line: self.line, column: column + at, start });
                }
                fields.push(field.to_string());
                let Some(rest) = rest else { return Ok(Some((start, fields))) };
                column += field.len() + self.delimiter.len_utf8();
                line.text = rest;
                continue;
            };
            line.text = inside;
            column += 1;
            let (field, more) = self.quoted(&mut line, &mut column, start)?;
            fields.push(field);
            if !more {
                return Ok(Some((start, fields)));
            }
        }
    }

    /// The rest of a quoted field, and whether another field follows.
    fn quoted(
        &mut self,
        line: &mut TextLine<'a>,
        column: &mut usize,
        start: usize,
    ) -> Result<(String, bool), CsvError> {
        let mut field = String::new();
        loop {
            let Some((text, rest)) = line.text.split_once('"') else {
                field.push_str(line.text);
                if line.ended {
                    field.push('\n');
                }
                // An unclosed field is located at the end of the last line.
                let end = *column + line.text.len() + usize::from(line.ended);
                match self.next_line() {
                    Some(next) => {
                        *line = next;
                        *column = 1;
                    }
                    None => return Err(CsvError::Quote { line: self.line, column: end, start }),
                }
                continue;
            };
            field.push_str(text);
            *column += text.len() + 1;
            if let Some(rest) = rest.strip_prefix('"') {
                field.push('"');
                line.text = rest;
                *column += 1;
            } else if let Some(rest) = rest.strip_prefix(self.delimiter) {
                line.text = rest;
                *column += self.delimiter.len_utf8();
                return Ok((field, true));
            } else if rest.is_empty() {
                return Ok((field, false));
            } else {
                return Err(CsvError::Quote { line: self.line, column: *column - 1, start });
            }
        }
    }
}

/// All records; with `same`, all must have as many fields as the first.
pub fn records(text: &str, delimiter: char, same: bool) -> Result<Vec<Vec<String>>, CsvError> {
    let mut reader = RecordReader::new(text, delimiter);
    let mut all: Vec<Vec<String>> = Vec::new();
    while let Some((line, record)) = reader.record()? {
        if same && all.first().is_some_and(|first| first.len() != record.len()) {
            return Err(CsvError::Count { line });
        }
        all.push(record);
    }
    Ok(all)
}

/// Whether records can be separated by this character.
pub fn usable(delimiter: char) -> bool {
    !matches!(delimiter, '"' | '\r' | '\n' | '\u{FFFD}')
}

/// Appends a record.
pub fn write_record(out: &mut String, fields: &[String], delimiter: char, quote_all: bool) {
    for (i, field) in fields.iter().enumerate() {
        if i > 0 {
            out.push(delimiter);
        }
        let quoted = quote_all
            || field == "\\."
            || field.contains([delimiter, '"', '\n', '\r'])
            || field.starts_with(char::is_whitespace);
        if quoted {
            out.push('"');
            out.push_str(&field.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(field);
        }
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read() {
        let read = |text: &str| records(text, ',', true);
        assert_eq!(read("\n\n"), Ok(vec![]));
        assert_eq!(
            read("a,\"b \"\"x\"\"\nc\"\r\n,"),
            Ok(vec![vec!["a".into(), "b \"x\"\nc".into()], vec![String::new(), String::new()]])
        );
        let message = |text: &str| read(text).map_err(|p| p.to_string()).expect_err("wrong");
        assert_eq!(message("a,b\nc"), "record on line 2: wrong number of fields");
        assert_eq!(message("a,b\"c"), "parse error on line 1, column 4: bare \" in non-quoted-field");
        assert_eq!(
            message("a,\"b\"c"),
            "parse error on line 1, column 5: extraneous or missing \" in quoted-field"
        );
        assert_eq!(
            message("x,y\na,\"b\nc"),
            "record on line 2; parse error on line 3, column 2: extraneous or missing \" in quoted-field"
        );
    }
}
