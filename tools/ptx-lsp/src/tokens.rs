//! Semantic tokens: whole, in a range, and what changed since the last time.

use lsp_types::{
    Range, SemanticToken, SemanticTokens, SemanticTokensDelta, SemanticTokensDeltaParams, SemanticTokensEdit,
    SemanticTokensFullDeltaResult, SemanticTokensParams, SemanticTokensRangeParams,
    SemanticTokensRangeResult, SemanticTokensResult,
};
use ptx_analysis::{Document, Encoding, semantic_tokens};

use crate::convert;
use crate::state::{Answer, State};

pub fn full(state: &mut State, params: SemanticTokensParams) -> Answer<Option<SemanticTokensResult>> {
    let encoding = state.encoding;
    let number = state.next_tokens();
    let open = state.document_mut(&params.text_document.uri)?;
    let data = encoded(&open.document, encoding, 0, open.document.text().len() as u32);
    open.sent_tokens = Some((number, data.clone()));
    Ok(Some(SemanticTokens { result_id: Some(number.to_string()), data }.into()))
}

pub fn delta(
    state: &mut State,
    params: SemanticTokensDeltaParams,
) -> Answer<Option<SemanticTokensFullDeltaResult>> {
    let encoding = state.encoding;
    let number = state.next_tokens();
    let open = state.document_mut(&params.text_document.uri)?;
    let data = encoded(&open.document, encoding, 0, open.document.text().len() as u32);
    let before = open.sent_tokens.replace((number, data.clone()));
    let result_id = Some(number.to_string());
    let edits = match before {
        Some((before, sent)) if params.previous_result_id == before.to_string() => difference(&sent, &data),
        _ => return Ok(Some(SemanticTokens { result_id, data }.into())),
    };
    Ok(Some(SemanticTokensDelta { result_id, edits }.into()))
}

/// The edit from some tokens to others: everything between what both have at the start and at the end.
fn difference(before: &[SemanticToken], after: &[SemanticToken]) -> Vec<SemanticTokensEdit> {
    /// The numbers of a token.
    const NUMBERS: u32 = 5;
    let start = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let (rest, other) = (&before[start..], &after[start..]);
    let end = rest.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    let (removed, inserted) = (rest.len() - end, &other[..other.len() - end]);
    if removed == 0 && inserted.is_empty() {
        return Vec::new();
    }
    vec![SemanticTokensEdit {
        start: start as u32 * NUMBERS,
        delete_count: removed as u32 * NUMBERS,
        data: Some(inserted.to_vec()),
    }]
}

pub fn range(
    state: &mut State,
    params: SemanticTokensRangeParams,
) -> Answer<Option<SemanticTokensRangeResult>> {
    let Range { start, end } = params.range;
    let (open, lo) = state.at(&params.text_document.uri, start)?;
    let (_, hi) = state.at(&params.text_document.uri, end)?;
    let data = encoded(&open.document, state.encoding, lo, hi);
    Ok(Some(SemanticTokens { result_id: None, data }.into()))
}

/// The tokens between two offsets, each relative to the one before; one of several lines is one for each line.
fn encoded(document: &Document, encoding: Encoding, lo: u32, hi: u32) -> Vec<SemanticToken> {
    let mut positions = document.positions(encoding);
    let mut data: Vec<SemanticToken> = Vec::new();
    let mut last = lsp_types::Position::default();
    for token in semantic_tokens(document, lo, hi) {
        let mut from = token.span.lo;
        let last_line = document.line_of(token.span.hi);
        for line in document.line_of(from)..=last_line {
            let to = if line == last_line { token.span.hi } else { document.line_end(line) };
            let Range { start, end } =
                convert::range(&mut positions, ptx_diag::Span::new(from, to.max(from)));
            from = document.line_start(line + 1);
            if start == end {
                continue;
            }
            let is_same = start.line == last.line;
            data.push(SemanticToken {
                delta_line: start.line - last.line,
                delta_start: if is_same { start.character - last.character } else { start.character },
                length: end.character - start.character,
                token_type: token.ty as u32,
                token_modifiers_bitset: token.modifiers.0,
            });
            last = start;
        }
    }
    data
}
