//! Lists whose lines begin with a step and a place of the program.

/// A line: the step, the place, and what there is to say.
pub type StepLine = (String, String, String);

/// The lines below each other, with steps and places in columns.
pub fn step_list(lines: &[StepLine]) -> String {
    let width = |text: fn(&StepLine) -> &String| {
        lines.iter().map(|line| text(line).chars().count()).max().unwrap_or(0)
    };
    let (steps, places) = (width(|line| &line.0), width(|line| &line.1));
    let shown = |(step, place, what): &StepLine| format!("  {step:steps$}  {place:places$}  {what}\n");
    lines.iter().map(shown).collect()
}
