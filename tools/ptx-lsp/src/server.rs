//! The session: what the server offers, and its main loop.

use anyhow::{Context as _, Result};
use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    DidChangeConfiguration, DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument,
    Notification as _,
};
use lsp_types::request as r;
use lsp_types::request::Request as _;
use lsp_types::{
    CallHierarchyServerCapability, CodeActionKind, CodeActionOptions, CodeActionProviderCapability,
    CompletionOptions, ExecuteCommandOptions, FoldingRangeProviderCapability, HoverProviderCapability,
    InitializeParams, MarkupKind, OneOf, PositionEncodingKind, RenameOptions, SemanticTokensFullOptions,
    SemanticTokensLegend, SemanticTokensOptions, ServerCapabilities, TextDocumentSyncCapability,
    TextDocumentSyncKind,
};
use ptx_analysis::{Encoding, TokenModifiers, TokenType};

use crate::checker::Checker;
use crate::dispatch::Dispatch;
use crate::settings::Settings;
use crate::state::{Client, State};
use crate::{edits, llvm, navigation, tokens};

/// Serves a client over standard input and output until it ends the session.
///
/// # Errors
/// When the input is not the protocol, or the client goes away.
pub fn run() -> Result<()> {
    let (connection, threads) = Connection::stdio();
    let served = serve(&connection);
    // The writer ends when nothing can send any more.
    drop(connection);
    let read = threads.join().context("cannot read the client's messages");
    // What is wrong with the input is the cause of what the session says.
    read.and(served)
}

fn serve(connection: &Connection) -> Result<()> {
    let (id, params) = connection.initialize_start().context("the session did not begin")?;
    let params: InitializeParams = match serde_json::from_value(params) {
        Ok(params) => params,
        Err(error) => {
            let message = format!("wrong parameters: {error}");
            let code = lsp_server::ErrorCode::InvalidParams as i32;
            connection.sender.send(Response::new_err(id, code, message.clone()).into()).ok();
            anyhow::bail!(message);
        }
    };
    let encoding = encoding(&params);
    let result = serde_json::json!({
        "capabilities": capabilities(encoding),
        "serverInfo": { "name": "ptx-lsp", "version": env!("CARGO_PKG_VERSION") },
    });
    connection.initialize_finish(id, result).context("the session did not begin")?;
    let settings = params.initialization_options.as_ref().and_then(Settings::read);
    let sender = connection.sender.clone();
    // A message that cannot be sent has no reader any more.
    let checker = Checker::new(encoding, Box::new(move |message| drop(sender.send(message))));
    // Default: a client that states no settings has those of the server.
    let settings = settings.unwrap_or_default();
    let mut state = State::new(encoding, settings, client(&params), checker);
    let mut refreshes = 0;
    for message in &connection.receiver {
        match message {
            Message::Request(request) => {
                if connection.handle_shutdown(&request).context("the session did not end as it should")? {
                    return Ok(());
                }
                if request.method == r::ExecuteCommand::METHOD {
                    let sender = connection.sender.clone();
                    llvm::execute(&state, request, move |message| drop(sender.send(message)));
                } else {
                    connection.sender.send(answer(&mut state, request).into())?;
                }
            }
            Message::Notification(notification) => {
                if notice(&mut state, notification) && state.client.refreshes_hints {
                    refreshes += 1;
                    let id = RequestId::from(format!("refresh-{refreshes}"));
                    let method = r::InlayHintRefreshRequest::METHOD.to_owned();
                    connection.sender.send(Request::new(id, method, ()).into())?;
                }
            }
            // To a request for asking for hints again.
            Message::Response(_) => {}
        }
    }
    anyhow::bail!("the client went away without `shutdown`")
}

/// The unit of columns: bytes if the client takes them, else what every client does.
fn encoding(params: &InitializeParams) -> Encoding {
    let general = params.capabilities.general.as_ref();
    let offered = general.and_then(|general| general.position_encodings.as_deref());
    match offered {
        Some(offered) if offered.contains(&PositionEncodingKind::UTF8) => Encoding::Utf8,
        _ => Encoding::Utf16,
    }
}

fn client(params: &InitializeParams) -> Client {
    let workspace = params.capabilities.workspace.as_ref();
    let hints = workspace.and_then(|workspace| workspace.inlay_hint.as_ref());
    let refreshes_hints = hints.is_some_and(|hints| hints.refresh_support == Some(true));
    Client { takes_markdown: takes_markdown(params), refreshes_hints }
}

/// Whether hover texts may be Markdown; a client that does not say takes it.
fn takes_markdown(params: &InitializeParams) -> bool {
    let hover = params.capabilities.text_document.as_ref().and_then(|text| text.hover.as_ref());
    let formats = hover.and_then(|hover| hover.content_format.as_deref());
    formats.is_none_or(|formats| formats.is_empty() || formats.contains(&MarkupKind::Markdown))
}

fn capabilities(encoding: Encoding) -> ServerCapabilities {
    let legend = SemanticTokensLegend {
        token_types: TokenType::ALL.iter().map(|ty| ty.as_str().into()).collect(),
        token_modifiers: TokenModifiers::NAMES.iter().map(|name| (*name).into()).collect(),
    };
    let semantic_tokens = SemanticTokensOptions {
        legend,
        range: Some(true),
        full: Some(SemanticTokensFullOptions::Delta { delta: Some(true) }),
        ..SemanticTokensOptions::default()
    };
    ServerCapabilities {
        position_encoding: Some(match encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::INCREMENTAL)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: lsp_types::WorkDoneProgressOptions::default(),
        })),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some([".", "%", "@"].map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        semantic_tokens_provider: Some(semantic_tokens.into()),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        call_hierarchy_provider: Some(CallHierarchyServerCapability::Simple(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![llvm::COMMAND.to_owned()],
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}

fn answer(state: &mut State, request: Request) -> Response {
    Dispatch::new(state, request)
        .on::<r::HoverRequest>(navigation::hover)
        .on::<r::GotoDefinition>(navigation::definition)
        .on::<r::References>(navigation::references)
        .on::<r::DocumentHighlightRequest>(navigation::highlights)
        .on::<r::DocumentSymbolRequest>(navigation::symbols)
        .on::<r::WorkspaceSymbolRequest>(navigation::workspace_symbols)
        .on::<r::FoldingRangeRequest>(navigation::folds)
        .on::<r::CallHierarchyPrepare>(navigation::prepare_calls)
        .on::<r::CallHierarchyIncomingCalls>(navigation::incoming_calls)
        .on::<r::CallHierarchyOutgoingCalls>(navigation::outgoing_calls)
        .on::<r::InlayHintRequest>(navigation::inlay_hints)
        .on::<r::Completion>(edits::completion)
        .on::<r::PrepareRenameRequest>(edits::prepare_rename)
        .on::<r::Rename>(edits::rename)
        .on::<r::Formatting>(edits::formatting)
        .on::<r::RangeFormatting>(edits::range_formatting)
        .on::<r::CodeActionRequest>(edits::code_actions)
        .on::<r::SemanticTokensFullRequest>(tokens::full)
        .on::<r::SemanticTokensFullDeltaRequest>(tokens::delta)
        .on::<r::SemanticTokensRangeRequest>(tokens::range)
        .response()
}

/// Notifications cannot be answered: wrong ones are ignored. Returns whether the settings are others.
fn notice(state: &mut State, notification: Notification) -> bool {
    let Notification { method, params } = notification;
    match method.as_str() {
        DidOpenTextDocument::METHOD => {
            if let Ok(lsp_types::DidOpenTextDocumentParams { text_document }) = serde_json::from_value(params)
            {
                state.open(text_document.uri, text_document.version, text_document.text);
            }
        }
        DidChangeTextDocument::METHOD => {
            if let Ok(lsp_types::DidChangeTextDocumentParams { text_document, content_changes }) =
                serde_json::from_value(params)
            {
                state.change(text_document.uri, text_document.version, content_changes);
            }
        }
        DidCloseTextDocument::METHOD => {
            if let Ok(lsp_types::DidCloseTextDocumentParams { text_document }) =
                serde_json::from_value(params)
            {
                state.close(&text_document.uri);
            }
        }
        DidChangeConfiguration::METHOD => {
            if let Some(settings) = params.get("settings").and_then(Settings::read) {
                return std::mem::replace(&mut state.settings, settings.clone()) != settings;
            }
        }
        _ => {}
    }
    false
}
