// Pages of the documentation site that are not in the repository, because they are generated from the program.
export const COMMANDS_PAGE = 'docs/reference/commands.md';
export const CONFIGURATION_PAGE = 'docs/reference/configuration.md';
export const API_PAGE = 'docs/reference/api.md';
