import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { build } from 'rolldown';
import type { Plugin } from 'rolldown';

/** Prefixes of modules that this bundler adds. */
const BUILTIN = '\0builtin:';
const MISSING = '\0missing:';
const ENTRY = '\0entry';

/**
 * Bundles a program and its dependencies, ES or CommonJS modules in the folder `tree`, into one CommonJS file, whose export is a function
 * that runs the program. The file loads modules of Node only, and only by its `require`. To the program its modules are below the file's
 * `__dirname`, as they are below `tree` now.
 */
export async function bundleServer(tree: string, file: string): Promise<string> {
  const { output } = await build({
    input: ENTRY,
    // The bundle's own `require` then serves modules whose name is computed.
    platform: 'neutral',
    resolve: { conditionNames: ['node'], mainFields: ['main'] },
    // The program is the effects of its modules, whatever their packages declare.
    treeshake: { moduleSideEffects: true },
    plugins: [modulesOf(tree, join(tree, file))],
    output: { format: 'esm', codeSplitting: false },
    write: false,
    logLevel: 'silent',
  });
  const [{ code, fileName, imports, dynamicImports }] = output;
  const left = [...imports, ...dynamicImports].filter((name) => name !== fileName);
  if (left.length > 0) throw new Error(`its program imports ${left.join(', ')}`);
  return [
    "'use strict';",
    'const loadBuiltin = require;',
    'const packageFolder = __dirname;',
    "const packageUrl = require('node:url').pathToFileURL(__dirname).href;",
    // An async function, because modules may await at their top level.
    `module.exports = async () => {\n${code}\n};`,
    '',
  ].join('\n');
}

function modulesOf(tree: string, program: string): Plugin {
  return {
    name: 'modules',
    async resolveId(source, importer) {
      if (source === ENTRY || source.startsWith(BUILTIN)) return source;
      if (importer?.startsWith(BUILTIN) === true) return null;
      if (isBuiltin(source)) return `${BUILTIN}${source}`;
      const found = await this.resolve(source, importer, { skipSelf: true });
      // Many packages try modules that are not installed.
      return found === null || found.external !== false || found.id.endsWith('.node')
        ? `${MISSING}${source}`
        : found;
    },
    load(id) {
      if (id === ENTRY) return `import ${JSON.stringify(program)};`;
      if (id.startsWith(BUILTIN))
        return `module.exports = loadBuiltin(${JSON.stringify(id.slice(BUILTIN.length))});`;
      if (!id.startsWith(MISSING)) return null;
      const text = `The package needs the module ${id.slice(MISSING.length)}, which is not in its file.`;
      return `throw Object.assign(new Error(${JSON.stringify(text)}), { code: 'MODULE_NOT_FOUND' }); module.exports = {};`;
    },
    transform(code, id) {
      return id.startsWith('\0') || id.endsWith('.json')
        ? null
        : withPlaces(code, relative(tree, id), id === program);
    },
  };
}

/** A module that finds itself below the folder of the bundle. */
function withPlaces(code: string, path: string, isProgram: boolean): string {
  const places: Readonly<Record<string, string>> = {
    url: `(packageUrl + ${JSON.stringify(`/${path}`)})`,
    filename: `(packageFolder + ${JSON.stringify(`/${path}`)})`,
    dirname: `(packageFolder + ${JSON.stringify(`/${dirname(path)}`)})`,
  };
  const moved = code
    .replace(/^#!.*/, '')
    .replaceAll(/\bimport\.meta\.(url|filename|dirname)\b/g, (all, name: string) => places[name] ?? all)
    .replaceAll(/\brequire\.main\s*===?\s*module\b/g, String(isProgram));
  // An ES module may declare these names itself.
  return /(?:const|let|var)\s[^=;]*\b__(?:dirname|filename)\b/.test(moved)
    ? moved
    : moved.replaceAll(
        /(?<![.\w$])__(dirname|filename)\b(?!\s*:)/g,
        (all, name: string) => places[name] ?? all,
      );
}
