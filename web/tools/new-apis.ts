import bcd, { type CompatStatement } from '@mdn/browser-compat-data';
import ts from 'typescript';
import { BROWSERS } from './browsers.ts';

const { api } = bcd;
const builtins = bcd.javascript.builtins ?? {};
const OLDEST = Object.entries({ ...BROWSERS, safari_ios: BROWSERS.safari }) as [keyof typeof BROWSERS, string][];
/** APIs whose presence `src/browser/passkeys.ts` checks: passkeys are not offered without them. */
const CHECKED = /^PublicKeyCredential\./;
const CONSTRUCTOR = /Constructor$/;

/** What the data says of an API. */
interface Entry {
  name: string;
  compat: CompatStatement;
}

/** Whether the browsers whose support is described by this entry include all of ours. */
function missingIn(compat: CompatStatement): string[] {
  const missing = OLDEST.filter(([browser, oldest]) => {
    const statements = [compat.support[browser] ?? []].flat();
    return !statements.some(({ version_added: added, version_removed, flags, prefix, alternative_name }) => {
      const isPlain = !version_removed && !flags && !prefix && !alternative_name;
      return isPlain && typeof added === 'string' && isAtMost(added.replace('≤', ''), oldest);
    });
  });
  return missing.map(([browser]) => browser);
}

/** Whether a version such as `17.5` or `126` is at most another one. `preview` is not. */
function isAtMost(version: string, limit: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [limitMajor = 0, limitMinor = 0] = limit.split('.').map(Number);
  return major < limitMajor || (major === limitMajor && minor <= limitMinor);
}

/** The entry of a member of an interface, or of its constructor; undefined if the data has none. */
function memberEntry(owner: string, member: string): Entry | undefined {
  const name = owner.replace(CONSTRUCTOR, '');
  for (const entries of [api[name], builtins[name], builtins.Intl?.[name]]) {
    for (const key of [member, `${member}_static`]) {
      const compat = entries && Object.hasOwn(entries, key) ? entries[key]?.__compat : undefined;
      if (compat) return { name: `${name}.${member}`, compat };
    }
  }
  return undefined;
}

function globalEntry(name: string): Entry | undefined {
  const compat = [api[name], api.Window?.[name], builtins[name]].find((entry) => entry?.__compat)?.__compat;
  return compat && { name, compat };
}

/**
 * The uses of APIs that one of the supported browsers does not have, in the files of a program that are to be checked. The bundler
 * lowers syntax only, and TypeScript knows newer APIs than these browsers.
 */
export function findNewApis(program: ts.Program, isChecked: (file: string) => boolean): string[] {
  const checker = program.getTypeChecker();
  const isOfLibrary = (node: ts.Node) => program.isSourceFileDefaultLibrary(node.getSourceFile());
  const found: string[] = [];
  const entryOf = (node: ts.Identifier): Entry | undefined => {
    const [declaration] = checker.getSymbolAtLocation(node)?.declarations ?? [];
    if (!declaration || !isOfLibrary(declaration)) return undefined;
    if (!ts.isPropertyAccessExpression(node.parent) || node.parent.name !== node) return globalEntry(node.text);
    const type = checker.getApparentType(checker.getTypeAtLocation(node.parent.expression));
    // The data lists the members of mixins with the interfaces that include them.
    const owners = [nameOf(declaration.parent), nameOf(declaration.parent.parent), type.symbol?.name];
    return owners.flatMap((owner) => (owner && memberEntry(owner, node.text)) || []).at(0);
  };
  const visit = (node: ts.Node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    if (ts.isIdentifier(node)) {
      const use = entryOf(node);
      const missing = use && !CHECKED.test(use.name) ? missingIn(use.compat) : [];
      if (use && missing.length > 0) {
        const file = node.getSourceFile();
        const { line } = file.getLineAndCharacterOfPosition(node.getStart());
        found.push(`${file.fileName}:${line + 1} ${use.name} is missing in ${missing.join(', ')}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  for (const file of program.getSourceFiles()) if (isChecked(file.fileName)) visit(file);
  return found;
}

function nameOf(node: ts.Node | undefined): string | undefined {
  const name = node && (node as ts.NamedDeclaration).name;
  return name && ts.isIdentifier(name) ? name.text : undefined;
}
