import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import process from 'node:process';
import { compileFunction } from 'node:vm';

/**
 * Node modules that a program may load. Excluded are modules to which the permissions of the process do not apply (`sqlite` writes files),
 * and modules that load others (`module`, `vm`).
 */
const MODULES: ReadonlySet<string> = new Set(
  [
    'assert async_hooks buffer console constants crypto diagnostics_channel dns dns/promises events fs fs/promises',
    'http http2 https net os path path/posix perf_hooks process punycode querystring stream stream/promises',
    'stream/web string_decoder timers timers/promises tls tty url util zlib',
  ].flatMap((line) => line.split(' ')),
);

// A module may export anything.
const load: (name: string) => unknown = createRequire(import.meta.url);
const loaded = new Map<string, unknown>();

/** Runs a program (one CommonJS file that loads only modules of Node) and returns its exports. Rethrows the program's errors. */
export function loadProgram(path: string): unknown {
  if (!loaded.has(path)) {
    const module: { exports: unknown } = { exports: {} };
    const program = compileFunction(
      readFileSync(path, 'utf8'),
      ['exports', 'require', 'module', '__filename', '__dirname'],
      { filename: 'package.cjs' },
    );
    Reflect.apply(program, module.exports, [module.exports, requireModule, module, '/package.cjs', '/']);
    loaded.set(path, module.exports);
  }
  return loaded.get(path);
}

/** Permanently removes the other ways to load a module from this process. */
export function denyModules(): void {
  Object.defineProperty(process, 'getBuiltinModule', {
    value: (name: string) => (mayLoad(name) ? load(name) : undefined),
    writable: false,
    configurable: false,
  });
}

function requireModule(name: string): unknown {
  if (mayLoad(name)) return load(name);
  throw new Error(
    isBuiltin(name)
      ? `Access to the module ${name} is restricted in this process.`
      : `The package needs the module ${name}, which is not in its file.`,
  );
}

function mayLoad(name: string): boolean {
  return isBuiltin(name) && MODULES.has(name.replace(/^node:/, ''));
}
