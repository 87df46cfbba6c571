import { build, type Plugin, type Rolldown, type UserConfig } from 'vite';

const NAME = 'chunks-by-use';
/** What everybody needs, whatever they open. */
const ENTRY = 'index.html';
/** What people need who open the console signed in. */
const FIRST_PAGES = ['src/app/Layout.tsx', 'src/features/devices/DevicesPage.tsx'];
const SIGNED_OUT_PAGES = 'src/features/auth/';

/**
 * Gathers what the first page shares with others in a few chunks. By itself the bundler makes one for each combination of
 * pages, and the first page then waits for dozens of small files. Which pages use a module is known only after what is
 * unused has been left out, so the bundle is made once before to find out.
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

/** The chunk of each module; those that are left out are up to the bundler. */
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
  // What the project did not write seldom changes: browsers keep it over releases.
  if (isUsedBy(ENTRY)) return id.includes('/node_modules/') ? 'vendor' : 'app';
  if (!FIRST_PAGES.some(isUsedBy)) return undefined;
  return isUsedBy(SIGNED_OUT_PAGES) ? 'kit' : 'desk';
}

interface UsedChunk extends Pick<Rolldown.OutputChunk, 'facadeModuleId' | 'moduleIds'> {
  /** The entries and pages that cannot do without it. */
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
