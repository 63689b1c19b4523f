//! The thread that checks documents, and sends their diagnostics.
//!
//! It waits until a document has not changed for a moment, and drops what another change has overtaken, so that requests never wait for the verifier.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lsp_server::{Message, Notification};
use lsp_types::notification::{Notification as _, PublishDiagnostics};
use lsp_types::{PublishDiagnosticsParams, Uri};
use ptx_analysis::{Document, Encoding};

use crate::convert;

/// How long a document has to stay the same before it is checked.
const QUIET: Duration = Duration::from_millis(60);

/// What the thread is asked for.
enum Job {
    Check(Uri, i32, Document),
    Forget(Uri),
}

/// What sends messages to the client.
pub type Send = Box<dyn Fn(Message) + std::marker::Send>;

/// The thread.
pub struct Checker {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Checker {
    pub fn new(encoding: Encoding, send: Send) -> Self {
        let (jobs, taken) = channel();
        let thread = std::thread::Builder::new().name("diagnostics".to_owned());
        // Without the thread there are no diagnostics, but everything else works.
        let thread =
            thread.spawn(move || Checks { taken, pending: HashMap::new(), encoding, send }.run()).ok();
        Self { jobs: Some(jobs), thread }
    }

    /// Sends the diagnostics of a document soon, unless it changes again before.
    pub fn check(&self, uri: &Uri, version: i32, document: Document) {
        self.ask(Job::Check(uri.clone(), version, document));
    }

    /// Removes the diagnostics of a document that was closed.
    pub fn forget(&self, uri: &Uri) {
        self.ask(Job::Forget(uri.clone()));
    }

    fn ask(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            // It only fails if the thread could not be started.
            let _ = jobs.send(job);
        }
    }
}

impl Drop for Checker {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Pending {
    uri: Uri,
    version: i32,
    document: Document,
    since: Instant,
}

struct Checks {
    taken: Receiver<Job>,
    pending: HashMap<String, Pending>,
    encoding: Encoding,
    send: Send,
}

impl Checks {
    fn run(mut self) {
        loop {
            let wait = self.pending.values().map(|one| QUIET.saturating_sub(one.since.elapsed())).min();
            let job = match wait {
                None => self.taken.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(wait) => self.taken.recv_timeout(wait),
            };
            match job {
                Ok(job) => self.take(job),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            while let Ok(job) = self.taken.try_recv() {
                self.take(job);
            }
            self.check_one();
        }
    }

    fn take(&mut self, job: Job) {
        match job {
            Job::Check(uri, version, document) => {
                let key = uri.as_str().to_owned();
                self.pending.insert(key, Pending { uri, version, document, since: Instant::now() });
            }
            Job::Forget(uri) => {
                self.pending.remove(uri.as_str());
                self.publish(uri, None, Vec::new());
            }
        }
    }

    /// Checks the document that has waited longest, if one has waited long enough.
    fn check_one(&mut self) {
        let quiet = self.pending.iter().filter(|(_, one)| one.since.elapsed() >= QUIET);
        let Some(key) = quiet.min_by_key(|(_, one)| one.since).map(|(key, _)| key.clone()) else { return };
        let Some(one) = self.pending.remove(&key) else { return };
        let found = ptx_analysis::check(one.document.text());
        // Changes that came meanwhile make it obsolete.
        while let Ok(job) = self.taken.try_recv() {
            self.take(job);
        }
        if !self.pending.contains_key(&key) {
            let found = convert::diagnostics(&one.document, &one.uri, self.encoding, &found);
            self.publish(one.uri, Some(one.version), found);
        }
    }

    fn publish(&self, uri: Uri, version: Option<i32>, diagnostics: Vec<lsp_types::Diagnostic>) {
        let params = PublishDiagnosticsParams { uri, diagnostics, version };
        let method = PublishDiagnostics::METHOD.to_owned();
        (self.send)(Message::Notification(Notification::new(method, params)));
    }
}
