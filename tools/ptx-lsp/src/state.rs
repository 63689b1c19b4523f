//! The open documents, and what the client can do.

use std::collections::HashMap;
use std::sync::Arc;

use lsp_server::{ErrorCode, ResponseError};
use lsp_types::{Position, Range, TextDocumentContentChangeEvent, Uri};
use ptx_analysis::{Change, Document, Encoding};
use ptx_diag::{Diagnostics, Span};

use crate::checker::Checker;
use crate::convert;
use crate::settings::Settings;

/// A document that the client has open.
pub struct Open {
    pub uri: Uri,
    pub document: Document,
    /// The semantic tokens that were sent last, with their number.
    pub sent_tokens: Option<(u64, Vec<lsp_types::SemanticToken>)>,
    /// The diagnostics of this text, once they were asked for here.
    diagnostics: Option<Arc<Diagnostics>>,
}

impl Open {
    /// The diagnostics of the text.
    pub fn diagnostics(&mut self) -> Arc<Diagnostics> {
        let text = self.document.text();
        Arc::clone(self.diagnostics.get_or_insert_with(|| Arc::new(ptx_analysis::check(text))))
    }
}

/// What a client can do, as far as answers depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Client {
    /// Whether hover texts may be Markdown.
    pub takes_markdown: bool,
    /// Whether it can be asked to ask for inlay hints again.
    pub refreshes_hints: bool,
}

/// The state of a session.
pub struct State {
    pub encoding: Encoding,
    pub settings: Settings,
    /// What the client can do.
    pub client: Client,
    pub checker: Checker,
    documents: HashMap<String, Open>,
    next_tokens: u64,
}

pub type Answer<T> = Result<T, ResponseError>;

/// An error in what the client sent.
pub fn invalid(message: impl Into<String>) -> ResponseError {
    ResponseError { code: ErrorCode::InvalidParams as i32, message: message.into(), data: None }
}

impl State {
    pub fn new(encoding: Encoding, settings: Settings, client: Client, checker: Checker) -> Self {
        Self { encoding, settings, client, checker, documents: HashMap::new(), next_tokens: 0 }
    }

    pub fn open(&mut self, uri: Uri, version: i32, text: String) {
        self.put(uri, version, Document::new(text));
    }

    fn put(&mut self, uri: Uri, version: i32, document: Document) {
        self.checker.check(&uri, version, document.clone());
        let key = uri.as_str().to_owned();
        let sent_tokens = self.documents.remove(&key).and_then(|open| open.sent_tokens);
        self.documents.insert(key, Open { uri, document, sent_tokens, diagnostics: None });
    }

    /// Changes a document; one that is not open is ignored, as the client cannot be told.
    pub fn change(&mut self, uri: Uri, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        let Some(open) = self.documents.get(uri.as_str()) else { return };
        let changes = changes.into_iter().map(|change| Change {
            range: change.range.map(|range| (convert::own(range.start), convert::own(range.end))),
            text: change.text,
        });
        let document = open.document.changed(changes, self.encoding);
        self.put(uri, version, document);
    }

    pub fn close(&mut self, uri: &Uri) {
        self.documents.remove(uri.as_str());
        self.checker.forget(uri);
    }

    /// All open documents, by their address.
    pub fn all(&self) -> Vec<&Open> {
        let mut all: Vec<&Open> = self.documents.values().collect();
        all.sort_by_key(|open| open.uri.as_str());
        all
    }

    /// An open document.
    ///
    /// # Errors
    /// When it is not open.
    pub fn document(&self, uri: &Uri) -> Answer<&Open> {
        self.documents.get(uri.as_str()).ok_or_else(|| not_open(uri))
    }

    /// The same, to be changed.
    pub fn document_mut(&mut self, uri: &Uri) -> Answer<&mut Open> {
        self.documents.get_mut(uri.as_str()).ok_or_else(|| not_open(uri))
    }

    /// A new number for semantic tokens.
    pub fn next_tokens(&mut self) -> u64 {
        self.next_tokens += 1;
        self.next_tokens
    }

    /// The document and the offset of a position.
    pub fn at(&self, uri: &Uri, position: Position) -> Answer<(&Open, u32)> {
        let open = self.document(uri)?;
        Ok((open, open.document.offset(convert::own(position), self.encoding)))
    }

    /// The range of a span.
    pub fn range(&self, document: &Document, span: Span) -> Range {
        convert::range(&mut document.positions(self.encoding), span)
    }
}

fn not_open(uri: &Uri) -> ResponseError {
    invalid(format!("the document {} is not open", uri.as_str()))
}
