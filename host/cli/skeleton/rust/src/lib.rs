//! SKELETON is a check evaluator for ox-mcp.

mod ox;

use ox::{Request, Severity, Verdict};

/// What the plugin says of itself.
pub const NAME: &str = "SKELETON";
pub const VERSION: &str = "0.1.0";

/// Gives one verdict for each row, in their order. This rule takes the last
/// column for a text, and drops the rows whose digits add up to a multiple of
/// ten.
fn decide(q: &Request) -> Result<Vec<Verdict>, String> {
    let mut verdicts = Vec::new();
    for row in 0..q.frame.rows {
        let value = q.frame.cell(row, q.frame.columns - 1);
        let sum = digit_sum(&value.text);
        verdicts.push(if sum % 10 == 0 {
            Verdict::dropped()
        } else {
            Verdict {
                drop: false,
                severity: Severity::Error,
                code: "SUM".to_string(),
                message: format!("the digits of {} add up to {}", value.text, sum),
            }
        });
    }
    Ok(verdicts)
}

fn digit_sum(text: &str) -> u32 {
    text.chars().filter_map(|c| c.to_digit(10)).sum()
}
