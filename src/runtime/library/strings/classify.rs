//! Tests of the characters in a string.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::library::{Call, Fail};
use crate::value::Value;

use super::only;

/// Unicode category L.
fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    c.general_category_group() == GeneralCategoryGroup::Letter
}

/// Unicode category Nd.
fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || (!c.is_ascii() && c.general_category() == GeneralCategory::DecimalNumber)
}

fn all(call: &mut Call, test: fn(char) -> bool) -> Result<Value, Fail> {
    let s = only(call)?;
    Ok(Value::Bool(!s.is_empty() && call.offload(s.len() as u64 * 4, || s.chars().all(test))?))
}

pub fn is_empty(call: &mut Call) -> Result<Value, Fail> {
    Ok(Value::Bool(only(call)?.trim().is_empty()))
}

pub fn is_numeric(call: &mut Call) -> Result<Value, Fail> {
    all(call, is_digit)
}

pub fn is_alpha(call: &mut Call) -> Result<Value, Fail> {
    all(call, is_letter)
}

pub fn is_alphanumeric(call: &mut Call) -> Result<Value, Fail> {
    all(call, |c| is_letter(c) || is_digit(c))
}

pub fn is_whitespace(call: &mut Call) -> Result<Value, Fail> {
    all(call, char::is_whitespace)
}

fn cased(call: &mut Call, case: GeneralCategory) -> Result<Value, Fail> {
    let s = only(call)?;
    let mut letters = s.chars().filter(|c| is_letter(*c)).peekable();
    let all = || letters.peek().is_some() && letters.all(|c| c.general_category() == case);
    Ok(Value::Bool(call.offload(s.len() as u64 * 16, all)?))
}

pub fn is_lowercase(call: &mut Call) -> Result<Value, Fail> {
    cased(call, GeneralCategory::LowercaseLetter)
}

pub fn is_uppercase(call: &mut Call) -> Result<Value, Fail> {
    cased(call, GeneralCategory::UppercaseLetter)
}

pub fn is_ascii(call: &mut Call) -> Result<Value, Fail> {
    Ok(Value::Bool(only(call)?.is_ascii()))
}
