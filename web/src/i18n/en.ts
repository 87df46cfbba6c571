// biome-ignore-all lint/performance/noBarrelFile: one name for all texts; the bundler resolves each use to its module
/**
 * All texts for users. Texts quoted by the specification are kept exactly. A page loads only the modules that it uses, as long as
 * every use names the module: `t.audit.title`, not `t[name].title`.
 */
export * as t from './en/index';
