// The reference of the command line: the help of every command, as the program prints it.
import { execFileSync } from 'node:child_process';

const SUBCOMMANDS = /^Commands:\n((?: {2}.*\n|\n)+)/m;

/** Returns what the program prints for these arguments. */
export function program(binary) {
  // Values of this machine's environment would be printed beside the names of the variables.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(SILLAGE_|MAINTENANCE_)/.test(name)));
  return (...words) => execFileSync(binary, words, { encoding: 'utf8', env });
}

/** All commands, each with its words and its help. */
export function commands(print, words = []) {
  const help = print(...words, '--help');
  return [{ words, help }, ...subcommands(help).flatMap((subcommand) => commands(print, [...words, subcommand]))];
}

export function commandsPage(print) {
  const sections = commands(print).map(({ words, help }) => {
    const name = ['sillage', ...words].join(' ');
    return `${'#'.repeat(Math.min(words.length + 2, 4))} \`${name}\`\n\n\`\`\`text\n${help.trim()}\n\`\`\`\n`;
  });
  const lead = 'What `--help` prints for each command. [Operations](../operations.md) explains them.\n';
  return `# Command line\n\n${lead}\n${sections.join('\n')}`;
}

function subcommands(help) {
  const [, list = ''] = SUBCOMMANDS.exec(help) ?? [];
  return [...list.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name]) => name).filter((name) => name !== 'help');
}
