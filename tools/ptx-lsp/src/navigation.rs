//! Requests that ask for places and texts.

use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams,
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, DocumentSymbol, DocumentSymbolParams,
    DocumentSymbolResponse, FoldingRange, FoldingRangeKind, FoldingRangeParams, GotoDefinitionParams,
    GotoDefinitionResponse, Hover, HoverContents, HoverParams, InlayHint, InlayHintLabel, InlayHintParams,
    InlayHintTooltip, Location, MarkupContent, MarkupKind, ReferenceParams, SymbolInformation,
    WorkspaceSymbolParams, WorkspaceSymbolResponse,
};
use ptx_analysis::{Access, FoldKind, Occurrence, Outline, Positions, SymbolId, SymbolKind};
use ptx_demangle::demangled;
use ptx_diag::Span;

use crate::convert;
use crate::state::{Answer, Open, State};

pub fn hover(state: &mut State, params: HoverParams) -> Answer<Option<Hover>> {
    let at = params.text_document_position_params;
    let (open, offset) = state.at(&at.text_document.uri, at.position)?;
    let kind = if state.client.takes_markdown { MarkupKind::Markdown } else { MarkupKind::PlainText };
    Ok(ptx_analysis::hover(&open.document, offset).map(|found| Hover {
        contents: HoverContents::Markup(MarkupContent { kind, value: found.markdown }),
        range: Some(state.range(&open.document, found.span)),
    }))
}

/// The name at an offset: its symbol, and the name if it is one of a range.
fn named(open: &Open, offset: u32) -> Option<(SymbolId, Option<&str>)> {
    let index = open.document.index();
    let occurrence = index.occurrence_at(offset)?;
    let id = occurrence.symbol?;
    let is_member = index.symbol(id)?.count.is_some() && occurrence.access != Access::Declare;
    Some((id, is_member.then(|| open.document.slice(occurrence.span))))
}

pub fn definition(state: &mut State, params: GotoDefinitionParams) -> Answer<Option<GotoDefinitionResponse>> {
    let at = params.text_document_position_params;
    let (open, offset) = state.at(&at.text_document.uri, at.position)?;
    let symbol = named(open, offset).and_then(|(id, _)| open.document.index().symbol(id));
    Ok(symbol.map(|symbol| {
        let range = state.range(&open.document, symbol.name);
        GotoDefinitionResponse::Scalar(Location { uri: open.uri.clone(), range })
    }))
}

pub fn references(state: &mut State, params: ReferenceParams) -> Answer<Option<Vec<Location>>> {
    let at = params.text_document_position;
    let (open, offset) = state.at(&at.text_document.uri, at.position)?;
    let Some((id, name)) = named(open, offset) else { return Ok(None) };
    let mut positions = open.document.positions(state.encoding);
    let found = open.document.index().references(open.document.text(), id, name);
    let asked = found.filter(|one| params.context.include_declaration || one.access != Access::Declare);
    let location = |one: &Occurrence| Location {
        uri: open.uri.clone(),
        range: convert::range(&mut positions, one.span),
    };
    Ok(Some(asked.map(location).collect()))
}

pub fn highlights(
    state: &mut State,
    params: DocumentHighlightParams,
) -> Answer<Option<Vec<DocumentHighlight>>> {
    let at = params.text_document_position_params;
    let (open, offset) = state.at(&at.text_document.uri, at.position)?;
    let Some((id, name)) = named(open, offset) else { return Ok(None) };
    let mut positions = open.document.positions(state.encoding);
    let highlight = |one: &Occurrence| DocumentHighlight {
        range: convert::range(&mut positions, one.span),
        kind: Some(match one.access {
            Access::Declare => DocumentHighlightKind::TEXT,
            Access::Write | Access::Update => DocumentHighlightKind::WRITE,
            Access::Read | Access::Call => DocumentHighlightKind::READ,
        }),
    };
    Ok(Some(open.document.index().references(open.document.text(), id, name).map(highlight).collect()))
}

pub fn symbols(state: &mut State, params: DocumentSymbolParams) -> Answer<Option<DocumentSymbolResponse>> {
    let open = state.document(&params.text_document.uri)?;
    let mut positions = open.document.positions(state.encoding);
    let roots = ptx_analysis::outline(&open.document);
    let symbols = roots.into_iter().map(|root| symbol(&mut positions, root)).collect();
    Ok(Some(DocumentSymbolResponse::Nested(symbols)))
}

#[expect(deprecated, reason = "the field must be given")]
fn symbol(positions: &mut Positions<'_>, outline: Outline) -> DocumentSymbol {
    let children = outline.children.into_iter().map(|child| symbol(positions, child));
    let children: Vec<DocumentSymbol> = children.collect();
    DocumentSymbol {
        name: outline.name,
        detail: Some(outline.detail).filter(|detail| !detail.is_empty()),
        kind: convert::symbol_kind(outline.kind),
        tags: None,
        deprecated: None,
        range: convert::range(positions, outline.span),
        selection_range: convert::range(positions, outline.name_span),
        children: (!children.is_empty()).then_some(children),
    }
}

/// Functions and variables of all open documents whose name, in PTX or in the source, has the asked text.
#[expect(deprecated, reason = "the field must be given")]
pub fn workspace_symbols(
    state: &mut State,
    params: WorkspaceSymbolParams,
) -> Answer<Option<WorkspaceSymbolResponse>> {
    let wanted = params.query.to_ascii_lowercase();
    let mut found = Vec::new();
    for open in state.all() {
        let mut positions = open.document.positions(state.encoding);
        let symbols = open.document.index().symbols().map(|(_, symbol)| symbol);
        for symbol in symbols.filter(|symbol| symbol.function.is_none() && symbol.kind != SymbolKind::Label) {
            let name = open.document.slice(symbol.name);
            let is_wanted = |name: &str| name.to_ascii_lowercase().contains(&wanted);
            if is_wanted(name) || demangled(name).is_some_and(|name| is_wanted(&name)) {
                found.push(SymbolInformation {
                    name: name.to_owned(),
                    kind: convert::symbol_kind(symbol.kind),
                    tags: None,
                    deprecated: None,
                    location: Location {
                        uri: open.uri.clone(),
                        range: convert::range(&mut positions, symbol.name),
                    },
                    container_name: None,
                });
            }
        }
    }
    Ok(Some(WorkspaceSymbolResponse::Flat(found)))
}

pub fn folds(state: &mut State, params: FoldingRangeParams) -> Answer<Option<Vec<FoldingRange>>> {
    let open = state.document(&params.text_document.uri)?;
    let mut positions = open.document.positions(state.encoding);
    let fold = |fold: ptx_analysis::Fold| {
        let range = convert::range(&mut positions, fold.span);
        let kind = match fold.kind {
            FoldKind::Comment => Some(FoldingRangeKind::Comment),
            FoldKind::Region => None,
        };
        // The line of a closing brace stays.
        let is_comment = fold.kind == FoldKind::Comment;
        let end_line = if is_comment { range.end.line } else { range.end.line.saturating_sub(1) };
        FoldingRange { start_line: range.start.line, end_line, kind, ..FoldingRange::default() }
    };
    let folds = ptx_analysis::folds(&open.document).into_iter().map(fold);
    Ok(Some(folds.filter(|fold| fold.start_line < fold.end_line).collect()))
}

/// A function as an item of the call hierarchy.
fn item(state: &State, open: &Open, id: SymbolId) -> Option<CallHierarchyItem> {
    let document = &open.document;
    let symbol = document.index().symbol(id)?;
    if !matches!(symbol.kind, SymbolKind::Kernel | SymbolKind::Function) {
        return None;
    }
    let functions = document.index().functions();
    let whole = functions.iter().find(|function| {
        (function.span.lo..function.span.hi).contains(&symbol.name.lo) && function.symbol == id
    });
    Some(CallHierarchyItem {
        name: document.slice(symbol.name).to_owned(),
        kind: convert::symbol_kind(symbol.kind),
        tags: None,
        detail: demangled(document.slice(symbol.name)),
        uri: open.uri.clone(),
        range: state.range(document, whole.map_or(symbol.declaration, |function| function.span)),
        selection_range: state.range(document, symbol.name),
        data: None,
    })
}

pub fn prepare_calls(
    state: &mut State,
    params: CallHierarchyPrepareParams,
) -> Answer<Option<Vec<CallHierarchyItem>>> {
    let at = params.text_document_position_params;
    let (open, offset) = state.at(&at.text_document.uri, at.position)?;
    let found = named(open, offset).and_then(|(id, _)| item(state, open, id));
    Ok(found.map(|item| vec![item]))
}

/// The document and the function of an item.
fn function_of<'s>(state: &'s State, item: &CallHierarchyItem) -> Answer<Option<(&'s Open, SymbolId)>> {
    let (open, offset) = state.at(&item.uri, item.selection_range.start)?;
    Ok(named(open, offset).map(|(id, _)| (open, id)))
}

fn ranges(state: &State, open: &Open, places: &[Span]) -> Vec<lsp_types::Range> {
    let mut positions = open.document.positions(state.encoding);
    places.iter().map(|place| convert::range(&mut positions, *place)).collect()
}

pub fn incoming_calls(
    state: &mut State,
    params: CallHierarchyIncomingCallsParams,
) -> Answer<Option<Vec<CallHierarchyIncomingCall>>> {
    let Some((open, id)) = function_of(state, &params.item)? else { return Ok(None) };
    let calls = ptx_analysis::incoming_calls(&open.document, id).into_iter().filter_map(|call| {
        let from = item(state, open, call.function)?;
        Some(CallHierarchyIncomingCall { from, from_ranges: ranges(state, open, &call.places) })
    });
    Ok(Some(calls.collect()))
}

pub fn outgoing_calls(
    state: &mut State,
    params: CallHierarchyOutgoingCallsParams,
) -> Answer<Option<Vec<CallHierarchyOutgoingCall>>> {
    let Some((open, id)) = function_of(state, &params.item)? else { return Ok(None) };
    let calls = ptx_analysis::outgoing_calls(&open.document, id).into_iter().filter_map(|call| {
        let to = item(state, open, call.function)?;
        Some(CallHierarchyOutgoingCall { to, from_ranges: ranges(state, open, &call.places) })
    });
    Ok(Some(calls.collect()))
}

/// The versions that instructions need, if the client has asked for these hints.
pub fn inlay_hints(state: &mut State, params: InlayHintParams) -> Answer<Option<Vec<InlayHint>>> {
    let (open, lo) = state.at(&params.text_document.uri, params.range.start)?;
    let (_, hi) = state.at(&params.text_document.uri, params.range.end)?;
    if !state.settings.inlay_hints.minimum_version {
        return Ok(Some(Vec::new()));
    }
    let mut positions = open.document.positions(state.encoding);
    let hint = |hint: ptx_analysis::VersionHint| InlayHint {
        position: convert::range(&mut positions, Span::new(hint.offset, hint.offset)).start,
        label: InlayHintLabel::String(hint.text),
        kind: None,
        text_edits: None,
        tooltip: Some(InlayHintTooltip::String(
            "the first version and targets with this instruction".to_owned(),
        )),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    };
    Ok(Some(ptx_analysis::version_hints(&open.document, lo, hi).into_iter().map(hint).collect()))
}
