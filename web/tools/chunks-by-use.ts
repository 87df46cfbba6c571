import { build, type Plugin, type Rolldown, type UserConfig } from 'vite';

const NAME = 'chunks-by-use';
/** The entry that every page needs. */
const ENTRY = 'index.html';
/** The modules that the first page after sign-in needs. */
const FIRST_PAGES = ['src/app/Layout.tsx', 'src/features/devices/list/DevicesPage.tsx'];
const SIGNED_OUT_PAGES = 'src/features/auth/';

/**
 * Groups the modules that the first page shares with others into a few chunks. By default the bundler creates a chunk for each
 * combination of pages, and the first page waits for dozens of small files. The users of a module are known only after tree
 * shaking, so the bundle is built once before to find them.
 */
export function chunksByUse(): Plugin {
  return {
    name: NAME,
    apply: 'build',
    async config(config) {
      const chunks = await chunksOf(config);
      const group = { debugName: NAME, name: (id: string) => chunks.get(id), includeDependenciesRecursively: false };
      return { build: { rolldownOptions: { output: { codeSplitting: { groups: [group] } } } } };
    },
  };
}

/** The chunk of each module; the bundler decides for omitted modules. */
async function chunksOf(config: UserConfig): Promise<Map<string, string>> {
  const chunks = new Map<string, string>();
  for (const { facadeModuleId, moduleIds, users } of await bundleOnce(config)) {
    for (const id of moduleIds) {
      const chunk = id === facadeModuleId ? undefined : chunkFor(id, users);
      if (chunk) chunks.set(id, chunk);
    }
  }
  return chunks;
}

function chunkFor(id: string, users: readonly string[]): string | undefined {
  const isUsedBy = (path: string) => users.some((user) => user.includes(`/${path}`));
  // Third-party code rarely changes, so browsers can cache it across releases.
  if (isUsedBy(ENTRY)) return id.includes('/node_modules/') ? 'vendor' : 'app';
  if (!FIRST_PAGES.some(isUsedBy)) return undefined;
  return isUsedBy(SIGNED_OUT_PAGES) ? 'kit' : 'desk';
}

interface UsedChunk extends Pick<Rolldown.OutputChunk, 'facadeModuleId' | 'moduleIds'> {
  /** The entries and pages that need the module. */
  users: string[];
}

async function bundleOnce(config: UserConfig): Promise<UsedChunk[]> {
  const { output } = (await build({
    ...config,
    configFile: false,
    logLevel: 'error',
    plugins: config.plugins?.filter((plugin) => !(plugin && 'name' in plugin && plugin.name === NAME)),
    build: { ...config.build, write: false, minify: false },
  })) as Rolldown.RolldownOutput;
  const chunks = output.filter((file) => file.type === 'chunk');
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, { ...chunk, users: [] as string[] }]));
  for (const { fileName, facadeModuleId } of chunks) {
    if (facadeModuleId === null) continue;
    const needed = new Set([fileName]);
    for (const name of needed) for (const next of byName.get(name)?.imports ?? []) needed.add(next);
    for (const name of needed) byName.get(name)?.users.push(facadeModuleId);
  }
  return [...byName.values()];
}
