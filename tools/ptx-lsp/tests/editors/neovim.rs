//! Neovim's own client.

use std::process::Command;

use libtest_mimic::Failed;
use serde_json::Value;

use crate::KERNEL;

/// Asks the server everything through Neovim's client, and writes what its functions return as JSON.
const SCRIPT: &str = r#"
local server, file, out = arg_server, arg_file, arg_out
vim.cmd('edit ' .. file)
local buffer = vim.api.nvim_get_current_buf()
local id = vim.lsp.start_client({ name = 'ptx', cmd = { server }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(buffer, id)
local client = vim.lsp.get_client_by_id(id)
local ready = vim.wait(60000, function() return client.initialized end, 10)
local found = { ready = ready, encoding = client.offset_encoding }
local function ask(method, line, column, more)
  local position = { line = line, character = column }
  local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = position }
  for key, value in pairs(more or {}) do params[key] = value end
  local answers, problem = vim.lsp.buf_request_sync(buffer, method, params, 60000)
  if problem then return { problem = problem } end
  return answers[id].result
end
found.hover = ask('textDocument/hover', 13, 2)
found.definition = ask('textDocument/definition', 29, 11)
found.references = ask('textDocument/references', 29, 11, { context = { includeDeclaration = true } })
found.symbols = ask('textDocument/documentSymbol', 0, 0)
found.completion = ask('textDocument/completion', 29, 11)
-- A change in the buffer reaches the server, whose diagnostics reach the buffer.
vim.api.nvim_buf_set_lines(buffer, 13, 14, true, { '        add.s32 %r2,%r1,%r9;' })
vim.wait(60000, function() return #vim.diagnostic.get(buffer) > 0 end, 10)
found.diagnostics = vim.diagnostic.get(buffer)
for _, one in ipairs(found.diagnostics) do one.user_data = nil end
vim.lsp.buf.formatting_sync({}, 60000)
found.formatted = vim.api.nvim_buf_get_lines(buffer, 13, 14, true)[1]
local file_out = io.open(out, 'w')
file_out:write(vim.json.encode(found))
file_out:close()
vim.lsp.stop_client(id)
vim.cmd('qa!')
"#;

/// Neovim's functions get from the server what they ask for.
pub fn is_answered() -> Result<(), Failed> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    std::fs::write(path("kernel.ptx"), KERNEL).expect("written");
    let names = format!(
        "local arg_server, arg_file, arg_out = [[{}]], [[{}]], [[{}]]\n",
        env!("CARGO_BIN_EXE_ptx-lsp"),
        path("kernel.ptx"),
        path("out.json")
    );
    std::fs::write(path("script.lua"), names + SCRIPT).expect("written");
    let output = Command::new("nvim")
        .args(["--headless", "--clean", "-c", &format!("luafile {}", path("script.lua")), "-c", "qa!"])
        .output()
        .expect("Neovim starts");
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    let text = std::fs::read_to_string(path("out.json")).unwrap_or_else(|_| panic!("no answers: {messages}"));
    let found: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(found["ready"], true, "{messages}");
    assert!(found["hover"]["contents"]["value"].as_str().unwrap().contains("add.type"), "{found}");
    assert_eq!(found["definition"]["range"]["start"]["line"], 39, "{found}");
    assert_eq!(found["references"].as_array().map(Vec::len), Some(2), "{found}");
    assert_eq!(found["symbols"].as_array().map(Vec::len), Some(3), "{found}");
    let labels = found["completion"]["items"].as_array().expect("items");
    assert!(labels.iter().any(|item| item["label"] == "DONE"), "{found}");
    assert_eq!(found["diagnostics"][0]["code"], "P0201", "{found}");
    assert_eq!(found["diagnostics"][0]["lnum"], 13, "{found}");
    assert_eq!(found["formatted"], "\tadd.s32 \t%r2, %r1, %r9;", "{found}");
    Ok(())
}
