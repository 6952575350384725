import { readFileSync } from 'node:fs';
import { builtinModules, createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';

/**
 * Node modules that a program may use. Excluded are modules to which the permissions of the process do not apply (`sqlite` writes files),
 * and modules that load others (`module`, `vm`).
 */
const MODULES: ReadonlySet<string> = new Set(
  [
    'assert assert/strict async_hooks buffer console constants crypto diagnostics_channel dns dns/promises events fs',
    'fs/promises http http2 https net os path path/posix path/win32 perf_hooks process punycode querystring readline',
    'readline/promises stream stream/consumers stream/promises stream/web string_decoder timers timers/promises tls tty',
    'url util util/types zlib',
  ].flatMap((line) => line.split(' ')),
);

// A module may export anything.
const load: (name: string) => unknown = createRequire(import.meta.url);
const loaded = new Map<string, unknown>();

/** The exports of a program, which runs once (runProgram). */
export function loadProgram(path: string): unknown {
  if (!loaded.has(path)) loaded.set(path, runProgram(path));
  return loaded.get(path);
}

/**
 * Runs a program (one CommonJS file that loads only modules of Node) and returns its exports. Rethrows the program's errors. Its
 * `__dirname` is the folder beside it with the same name, which has the files that it may read.
 */
export function runProgram(path: string): unknown {
  const folder = path.replace(/\.cjs$/, '');
  const module: { exports: unknown } = { exports: {} };
  const program = compileFunction(
    readFileSync(path, 'utf8'),
    ['exports', 'require', 'module', '__filename', '__dirname'],
    { filename: 'package.cjs' },
  );
  Reflect.apply(program, module.exports, [
    module.exports,
    requireFrom(folder),
    module,
    join(folder, 'package.cjs'),
    folder,
  ]);
  return module.exports;
}

/** Permanently removes the other ways to load a module from this process. */
export function denyModules(): void {
  Object.defineProperty(process, 'getBuiltinModule', {
    value: (name: string) => (isBuiltin(name) ? loadBuiltin(name) : undefined),
    writable: false,
    configurable: false,
  });
}

/** A program's `require`, for modules of Node and for JSON files of its folder. */
function requireFrom(folder: string): (name: string) => unknown {
  return (name) => {
    if (isBuiltin(name)) return loadBuiltin(name);
    if (name.endsWith('.json') && /^[./]/.test(name))
      return JSON.parse(readFileSync(name.startsWith('/') ? name : join(folder, name), 'utf8')) as unknown;
    throw new Error(`The package needs the module ${name}, which is not in its file.`);
  };
}

function loadBuiltin(name: string): unknown {
  const plain = name.replace(/^node:/, '');
  if (MODULES.has(plain)) return load(name);
  const real = load(name);
  const names = typeof real === 'object' && real !== null ? Object.entries(real) : [];
  const substitute = refusalOf(plain);
  return plain === 'module'
    ? Object.assign(substitute, MODULE)
    : Object.assign(substitute, refused(plain, names));
}

/** The members of `module` that do not load code. */
const MODULE = {
  builtinModules,
  isBuiltin,
  createRequire: (from: string | URL) => {
    const path = from instanceof URL || from.startsWith('file:') ? fileURLToPath(from) : from;
    return requireFrom(dirname(path));
  },
};

/** Members in place of a module's own, because many programs import modules that they use for other purposes than ours. */
function refused(name: string, members: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(
    members.flatMap(([member, value]) => {
      if (typeof value === 'function') return [[member, refusalOf(name)]];
      return typeof value === 'object' ? [] : [[member, value]];
    }),
  );
}

/** A function, or class, that throws when it is used. */
function refusalOf(name: string): () => never {
  return function refuse() {
    throw new Error(`Access to the module ${name} is restricted in this process.`);
  };
}
