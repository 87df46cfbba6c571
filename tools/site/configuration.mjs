// The reference of the configuration: the settings of both servers, from the example of the file and the help of the commands.
import { commands } from './commands.mjs';

const SECTION = /^\[(\w+)\]$/;
const HEADING = /^## (.+)$/;
const SETTING = /^#([a-z-]+) = (.*)$/;
const REQUIRED = ' [required]';
const COMMENT = /^# (.*)$/;
const VARIABLE = /\b(?:SILLAGE|MAINTENANCE)_[A-Z_]+/g;
const OTHER_VARIABLES = {
  SILLAGE_CONFIG: 'Path of the configuration file, like `--config`',
  SILLAGE_SMTP_PASSWORD: 'Password of the account at the mail server; better `--smtp-password-file`',
  SILLAGE_SMS_GATEWAY_TOKEN: 'Token of the account at the gateway for text messages; better `--sms-gateway-token-file`',
  SILLAGE_LOG: 'Filter of the [log](../logging.md), such as `debug` or `cloud=debug,info`',
  SILLAGE_LOG_FORMAT: '`text`, or `json` for an object per line',
};

export function configurationPage(print) {
  const all = commands(print);
  const sections = sectionsOf(print('config', 'example'));
  const servers = sections.map(({ name, groups }) => {
    const { help } = all.find(({ words }) => words.join(' ') === name);
    const options = new Map(optionsOf(help).map((option) => [option.key, option]));
    const tables = groups.map(({ heading, settings }) => {
      const rows = settings.map((setting) => settingRow(setting, options.get(setting.key)));
      return `${heading ? `### ${heading}\n\n` : ''}${table(['Setting', ''], rows)}`;
    });
    return `## \`sillage ${name}\`, section \`[${name}]\`\n\n${tables.join('\n')}`;
  });
  const others = all
    .filter(({ words }) => !sections.some(({ name }) => words.join(' ') === name))
    .flatMap(({ words, help }) =>
      optionsOf(help)
        .filter(({ variable }) => variable)
        .map((option) => [
          code(['sillage', ...words].join(' ')),
          `${code(flag(option))}<br>${code(option.variable)}`,
          explanation(option.text, prose(option.fallback)),
        ]),
    );
  const page = [
    '# Configuration',
    '',
    'All settings of `sillage cloud` and `sillage console`, generated from the program. Each row names the key in the TOML file, the',
    'option of the command line and the variable of the environment. An option has precedence over a variable, and a variable over the',
    'file. [Operations](../operations.md#configuration) explains the file, lists and secrets. `sillage config example` prints a file with',
    'all settings, and `sillage config check` prints the values in use. [Command line](commands.md) has the options of all other commands.',
    '',
    ...servers,
    '## Other variables',
    '',
    table(['Variable', ''], Object.entries(OTHER_VARIABLES).map(([name, text]) => [code(name), text])),
    '## Options of other commands that have a variable',
    '',
    table(['Command', 'Option', ''], others),
  ].join('\n');
  const missing = all.flatMap(({ help }) => help.match(VARIABLE) ?? []).find((name) => !page.includes(`\`${name}\``));
  if (missing) throw new Error(`the page about the configuration does not explain ${missing}`);
  return page;
}

/** The sections of the example, with their settings by heading. A value in it is the default or the placeholder of the option. */
function sectionsOf(example) {
  const sections = [];
  let comment = [];
  for (const line of example.split('\n')) {
    const group = () => sections.at(-1).groups.at(-1);
    const [section, heading, setting, text] = [SECTION, HEADING, SETTING, COMMENT].map((pattern) => pattern.exec(line));
    if (section) sections.push({ name: section[1], groups: [{ settings: [] }] });
    else if (heading) sections.at(-1).groups.push({ heading: heading[1], settings: [] });
    else if (setting) group().settings.push({ key: setting[1], value: setting[2], text: comment.join(' ') });
    else if (text) comment.push(text[1]);
    if (!text) comment = [];
  }
  return sections;
}

/** The options in a help text. */
function optionsOf(help) {
  return help
    .split(/^(?= +(?:-\w, )?--[a-z])/m)
    .slice(1)
    .map((block) => {
      const [option, key, placeholder] = /--([a-z-]+)(?: <(.+?)>)?/.exec(block);
      const description = block.slice(block.indexOf(option) + option.length).split(/^\S/m)[0];
      const text = description.replace(/\s+/g, ' ').trim();
      const [, variable] = /\[env: (\w+)/.exec(text) ?? [];
      return { key, placeholder, variable, ...withoutDefault(text.replace(/ ?\[env: .*?\]/, '')) };
    });
}

function settingRow({ key, value, text }, { placeholder, variable }) {
  const variables = [`SILLAGE_${key.toUpperCase().replaceAll('-', '_')}`, ...(variable ? [variable] : [])];
  const names = [key, flag({ key, placeholder }), ...variables].map(code).join('<br>');
  const isDefault = ![`"${placeholder}"`, `["${placeholder}"]`, '""'].includes(value);
  if (isDefault) return [names, explanation(text, code(value.replaceAll('"', '')))];
  if (text.endsWith(REQUIRED)) return [names, `${prose(text.slice(0, -REQUIRED.length))}<br>Required`];
  const { text: rest, fallback } = withoutDefault(text);
  return [names, explanation(rest, prose(fallback))];
}

/** A text without the default that it ends with. */
function withoutDefault(text) {
  const [, rest, fallback] = /^(.*) \[default: ([^\]]*)\]$/.exec(text) ?? [];
  return rest ? { text: rest, fallback } : { text };
}

const flag = ({ key, placeholder }) => `--${key}${placeholder ? ` ${placeholder}` : ''}`;
const explanation = (text, fallback) => `${prose(text)}${fallback ? `<br>Default: ${fallback}` : ''}`;
const code = (text) => `\`${text.replaceAll('|', '\\|')}\``;
const table = (header, rows) =>
  [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

/** Options and variables become code, and nothing becomes markup. */
function prose(text = '') {
  const part = (plain) =>
    plain.replaceAll('<', '&lt;').replaceAll('|', '\\|').replace(/--[a-z][a-z-]*[a-z]|\bSILLAGE_[A-Z_]+/g, '`$&`');
  return text.split(/(`[^`]*`)/).map((piece) => (piece.startsWith('`') ? piece : part(piece))).join('');
}
