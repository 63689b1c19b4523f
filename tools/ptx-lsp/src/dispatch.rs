//! From the method of a request to the function that answers it.

use lsp_server::{ErrorCode, Request, RequestId, Response, ResponseError};
use lsp_types::request::Request as Method;

use crate::state::{Answer, State};

/// A request until a function has answered it.
pub struct Dispatch<'s> {
    state: &'s mut State,
    request: Request,
    response: Option<Response>,
}

impl<'s> Dispatch<'s> {
    pub fn new(state: &'s mut State, request: Request) -> Self {
        Self { state, request, response: None }
    }

    /// Answers requests of a method.
    pub fn on<M: Method>(mut self, answer: fn(&mut State, M::Params) -> Answer<M::Result>) -> Self {
        if self.response.is_none() && self.request.method == M::METHOD {
            let params = std::mem::take(&mut self.request.params);
            let id = self.request.id.clone();
            self.response = Some(match serde_json::from_value(params) {
                Ok(params) => response::<M>(id, answer(self.state, params)),
                Err(error) => Response::new_err(
                    id,
                    ErrorCode::InvalidParams as i32,
                    format!("wrong parameters: {error}"),
                ),
            });
        }
        self
    }

    /// The response; an error if no function answers the method.
    pub fn response(self) -> Response {
        let Self { request, response, .. } = self;
        response.unwrap_or_else(|| {
            let message = format!("unknown request `{}`", request.method);
            Response::new_err(request.id, ErrorCode::MethodNotFound as i32, message)
        })
    }
}

fn response<M: Method>(id: RequestId, answer: Answer<M::Result>) -> Response {
    match answer {
        Ok(result) => Response::new_ok(id, result),
        Err(ResponseError { code, message, .. }) => Response::new_err(id, code, message),
    }
}
