-- Prints the diagnostics, the lenses, and a hover that Neovim shows, applies the first
-- quick fix, and prints that line.

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

-- Since 0.12, lenses are enabled once instead of being requested.
local function lenses()
  local codelens = vim.lsp.codelens
  if codelens.enable then
    codelens.enable(true, { bufnr = 0 })
  else
    codelens.refresh()
  end
  local function received()
    return codelens.enable and codelens.get({ bufnr = 0 }) or codelens.get(0)
  end
  vim.wait(60000, function() return #received() > 0 and (received()[1].lens or received()[1]).command ~= nil end, 50)
  for _, each in ipairs(received()) do
    local lens = each.lens or each
    print(string.format("lens %d: %s", lens.range.start.line + 1, lens.command.title))
  end
end

-- What `K` shows in a floating window.
local function hover(line, column)
  vim.api.nvim_win_set_cursor(0, { line, column })
  vim.lsp.buf.hover()
  local text = {}
  vim.wait(60000, function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= "" then
        text = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
      end
    end
    return #text > 0
  end, 50)
  for _, each in ipairs(text) do
    if each:match("legacy stream") then print("hover: " .. each) end
  end
end

wait(2)
lenses()
hover(22, 3)
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
