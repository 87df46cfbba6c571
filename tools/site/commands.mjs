// The reference of the command line: the help of every command, as the program prints it.
import { execFileSync } from 'node:child_process';

const SUBCOMMANDS = /^Commands:\n((?: {2}.*\n|\n)+)/m;

export function commandsPage(binary) {
  // Values of this machine's environment would be printed beside the names of the variables.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(SILLAGE_|MAINTENANCE_)/.test(name)));
  const help = (words) => execFileSync(binary, [...words, '--help'], { encoding: 'utf8', env });
  return page((words) => help(words));
}

/** The page, for a function that returns the help of a command. */
export function page(help) {
  const sections = [];
  const describe = (words) => {
    const text = help(words);
    const name = ['sillage', ...words].join(' ');
    sections.push(`${'#'.repeat(Math.min(words.length + 2, 4))} \`${name}\`\n\n\`\`\`text\n${text.trim()}\n\`\`\`\n`);
    for (const subcommand of subcommands(text)) describe([...words, subcommand]);
  };
  describe([]);
  const lead = 'What `--help` prints for each command. [Operations](../operations.md) explains them.\n';
  return `# Command line\n\n${lead}\n${sections.join('\n')}`;
}

function subcommands(help) {
  const [, list = ''] = SUBCOMMANDS.exec(help) ?? [];
  return [...list.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name]) => name).filter((name) => name !== 'help');
}
