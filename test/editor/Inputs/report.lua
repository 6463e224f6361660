-- Prints the diagnostics that Neovim shows, applies the first quick fix, and
-- prints that line.

local function shown()
  local all = vim.diagnostic.get(0)
  table.sort(all, function(a, b) return a.lnum < b.lnum end)
  return all
end

local function wait(count)
  if not vim.wait(120000, function() return #shown() == count end, 50) then
    print("did not receive " .. count .. " diagnostics in time")
  end
  for _, d in ipairs(shown()) do
    print(string.format("%d:%d: %s [%s]", d.lnum + 1, d.col + 1,
                        d.message:sub(1, 60), d.code or d.user_data.lsp.code))
  end
end

wait(2)
local kernel = shown()[2].user_data.lsp
local answer = vim.lsp.buf_request_sync(0, "textDocument/codeAction", {
  textDocument = vim.lsp.util.make_text_document_params(),
  range = shown()[2].range or {
    start = { line = shown()[2].lnum, character = shown()[2].col },
    ["end"] = { line = shown()[2].end_lnum, character = shown()[2].end_col },
  },
  context = { diagnostics = { {
    range = {
      start = { line = shown()[2].lnum, character = shown()[2].col },
      ["end"] = { line = shown()[2].end_lnum, character = shown()[2].end_col },
    },
    message = shown()[2].message, code = kernel.code, severity = 2,
  } } },
}, 60000)
for _, each in pairs(answer) do
  for _, action in ipairs(each.result or {}) do
    if action.kind == "quickfix" then
      print("quick fix: " .. action.title)
      vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
      break
    end
  end
end
wait(1)
print(vim.api.nvim_buf_get_lines(0, 21, 22, false)[1])
vim.cmd("qall!")
