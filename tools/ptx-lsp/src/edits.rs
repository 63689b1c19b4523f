//! Requests that ask for changes of the text.

use std::collections::HashMap;

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse, CompletionItem,
    CompletionItemKind, CompletionList, CompletionParams, CompletionResponse, CompletionTextEdit,
    DocumentFormattingParams, DocumentRangeFormattingParams, Documentation, MarkupContent, MarkupKind,
    PrepareRenameResponse, RenameParams, TextDocumentPositionParams, TextEdit, Uri, WorkspaceEdit,
};
use ptx_analysis::{CompletionKind, Edit, SymbolKind};
use ptx_diag::Fix;

use crate::convert;
use crate::state::{Answer, State, invalid};

pub fn completion(state: &mut State, params: CompletionParams) -> Answer<Option<CompletionResponse>> {
    let at = params.text_document_position;
    let (open, offset) = state.at(&at.text_document.uri, at.position)?;
    let mut positions = open.document.positions(state.encoding);
    let item = |found: ptx_analysis::Completion| {
        let range = convert::range(&mut positions, found.span);
        CompletionItem {
            kind: Some(completion_kind(found.kind)),
            detail: Some(found.detail).filter(|detail| !detail.is_empty()),
            documentation: markdown(found.documentation),
            sort_text: Some(format!("{}{}", found.rank, found.label)),
            filter_text: Some(found.label.clone()),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text: found.label.clone() })),
            label: found.label,
            ..CompletionItem::default()
        }
    };
    let items = ptx_analysis::completions(&open.document, offset).into_iter().map(item).collect();
    Ok(Some(CompletionResponse::List(CompletionList { is_incomplete: false, items })))
}

/// Markdown about a completion; `None` if there is nothing to tell.
fn markdown(value: String) -> Option<Documentation> {
    let markup = MarkupContent { kind: MarkupKind::Markdown, value };
    (!markup.value.is_empty()).then_some(Documentation::MarkupContent(markup))
}

fn completion_kind(kind: CompletionKind) -> CompletionItemKind {
    match kind {
        CompletionKind::Opcode => CompletionItemKind::KEYWORD,
        CompletionKind::Modifier => CompletionItemKind::ENUM_MEMBER,
        CompletionKind::Type => CompletionItemKind::STRUCT,
        CompletionKind::Directive => CompletionItemKind::PROPERTY,
        CompletionKind::Special => CompletionItemKind::CONSTANT,
        CompletionKind::Value => CompletionItemKind::VALUE,
        CompletionKind::Symbol(SymbolKind::Kernel | SymbolKind::Function) => CompletionItemKind::FUNCTION,
        CompletionKind::Symbol(SymbolKind::Label | SymbolKind::Targets) => CompletionItemKind::REFERENCE,
        CompletionKind::Symbol(SymbolKind::Parameter) => CompletionItemKind::FIELD,
        CompletionKind::Symbol(SymbolKind::Variable | SymbolKind::Register) => CompletionItemKind::VARIABLE,
    }
}

pub fn prepare_rename(
    state: &mut State,
    params: TextDocumentPositionParams,
) -> Answer<Option<PrepareRenameResponse>> {
    let (open, offset) = state.at(&params.text_document.uri, params.position)?;
    Ok(ptx_analysis::rename_range(&open.document, offset).map(|span| {
        PrepareRenameResponse::RangeWithPlaceholder {
            range: state.range(&open.document, span),
            placeholder: open.document.slice(span).to_owned(),
        }
    }))
}

pub fn rename(state: &mut State, params: RenameParams) -> Answer<Option<WorkspaceEdit>> {
    let at = params.text_document_position;
    let (open, offset) = state.at(&at.text_document.uri, at.position)?;
    let edits = ptx_analysis::rename(&open.document, offset, &params.new_name)
        .map_err(|error| invalid(error.to_string()))?;
    Ok(Some(changes(&open.uri, convert::edits(&open.document, state.encoding, edits))))
}

fn changes(uri: &Uri, edits: Vec<TextEdit>) -> WorkspaceEdit {
    WorkspaceEdit { changes: Some(HashMap::from([(uri.clone(), edits)])), ..WorkspaceEdit::default() }
}

pub fn formatting(state: &mut State, params: DocumentFormattingParams) -> Answer<Option<Vec<TextEdit>>> {
    let open = state.document(&params.text_document.uri)?;
    let edits = ptx_analysis::format_edits(&open.document);
    Ok(Some(convert::edits(&open.document, state.encoding, edits)))
}

pub fn range_formatting(
    state: &mut State,
    params: DocumentRangeFormattingParams,
) -> Answer<Option<Vec<TextEdit>>> {
    let (open, lo) = state.at(&params.text_document.uri, params.range.start)?;
    let (_, hi) = state.at(&params.text_document.uri, params.range.end)?;
    let mut edits = ptx_analysis::format_edits(&open.document);
    edits.retain(|edit| edit.span.hi >= lo && edit.span.hi <= hi);
    Ok(Some(convert::edits(&open.document, state.encoding, edits)))
}

/// The corrections of the diagnostics in a range.
pub fn code_actions(state: &mut State, params: CodeActionParams) -> Answer<Option<CodeActionResponse>> {
    let uri = &params.text_document.uri;
    let (_, lo) = state.at(uri, params.range.start)?;
    let (_, hi) = state.at(uri, params.range.end)?;
    let encoding = state.encoding;
    let open = state.document_mut(uri)?;
    let found = open.diagnostics();
    let here = found.iter().map(|one| (one, convert::place(one)));
    let here = here.filter(|(one, span)| !one.fixes.is_empty() && span.lo <= hi && lo <= span.hi);
    let mut actions = Vec::new();
    for (one, _) in here {
        for (at, fix) in one.fixes.iter().enumerate() {
            let edit = Edit { span: fix.span, text: fix.text.clone() };
            let edits = convert::edits(&open.document, encoding, vec![edit]);
            actions.push(CodeActionOrCommand::CodeAction(CodeAction {
                title: title(fix, open.document.slice(fix.span)),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![convert::diagnostic(
                    &mut open.document.positions(encoding),
                    uri,
                    one,
                )]),
                edit: Some(changes(uri, edits)),
                is_preferred: Some(at == 0 && one.fixes.len() == 1),
                ..CodeAction::default()
            }));
        }
    }
    Ok(Some(actions))
}

/// What a correction does.
fn title(fix: &Fix, replaced: &str) -> String {
    let shown = fix.text.trim();
    match (replaced.is_empty(), shown.is_empty()) {
        (true, _) => format!("add `{shown}`"),
        (false, true) => format!("remove `{replaced}`"),
        (false, false) => format!("write `{shown}`"),
    }
}
