-- Neovim: cudagraph-clangd instead of clangd. Put this in init.lua.

local config = {
  name = "clangd",
  cmd = { "cudagraph-clangd" },
  filetypes = { "c", "cpp", "cuda" },
  root_markers = { ".clangd", ".clang-tidy", "compile_commands.json", ".git" },
}

if vim.lsp.config then
  -- Since 0.11. With nvim-lspconfig, `cmd` alone is sufficient.
  vim.lsp.config("clangd", config)
  vim.lsp.enable("clangd")
else
  local id
  vim.api.nvim_create_autocmd("FileType", {
    pattern = config.filetypes,
    callback = function(event)
      config.root_dir = vim.fn.getcwd()
      id = id or vim.lsp.start_client(config)
      vim.lsp.buf_attach_client(event.buf, id)
    end,
  })
end
