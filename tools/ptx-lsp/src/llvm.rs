//! The LLVM IR of a document, which `ptx2ll` makes.

use std::io::{Read, Write as _};
use std::process::{Command, Stdio};

use lsp_server::{ErrorCode, Message, Request, Response};
use lsp_types::ExecuteCommandParams;

use crate::settings::Settings;
use crate::state::State;

/// The command; its argument is the address of a document, its result the LLVM IR.
pub const COMMAND: &str = "ptx.llvmIr";

/// Executes a command, and sends the result when it is there.
pub fn execute(state: &State, request: Request, send: impl Fn(Message) + Send + 'static) {
    let Request { id, params, .. } = request;
    let failed = |message: String| Response::new_err(id.clone(), ErrorCode::InvalidParams as i32, message);
    let text = match serde_json::from_value::<ExecuteCommandParams>(params) {
        Ok(params) if params.command == COMMAND => {
            let uri = params.arguments.into_iter().next().and_then(|uri| serde_json::from_value(uri).ok());
            let document = uri.ok_or_else(|| "the argument is the address of a document".to_owned());
            document.and_then(|uri| match state.document(&uri) {
                Ok(open) => Ok(open.document.text().to_owned()),
                Err(error) => Err(error.message),
            })
        }
        Ok(params) => Err(format!("unknown command `{}`", params.command)),
        Err(error) => Err(format!("wrong parameters: {error}")),
    };
    match text {
        Err(message) => send(failed(message).into()),
        Ok(text) => {
            let settings = state.settings.clone();
            // It takes as long as the optimizer does.
            std::thread::spawn(move || {
                let response = match llvm_ir(&settings, text) {
                    Ok(llvm) => Response::new_ok(id, llvm),
                    Err(message) => Response::new_err(id, ErrorCode::RequestFailed as i32, message),
                };
                send(response.into());
            });
        }
    }
}

fn llvm_ir(settings: &Settings, text: String) -> Result<String, String> {
    let program = &settings.ptx2ll;
    let mut child = Command::new(program)
        .args(&settings.ptx2ll_arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start {program}: {error}"))?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    // A program that reads only a part of its input says why itself.
    let writer = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(text.as_bytes())));
    let reader = std::thread::spawn(move || read(stdout));
    let message = read(child.stderr.take());
    let status = child.wait().map_err(|error| format!("{program}: {error}"))?;
    drop(writer.join());
    match reader.join() {
        Ok(Ok(out)) if status.success() => Ok(out),
        Ok(Err(error)) => Err(format!("{program}: {error}")),
        Ok(Ok(_)) | Err(_) => {
            Err(format!("{program} failed: {}", message.unwrap_or_else(|error| error.to_string())))
        }
    }
}

/// All that a program writes to a pipe.
fn read(pipe: Option<impl Read>) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
