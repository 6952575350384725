import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import process from 'node:process';
import { compileFunction } from 'node:vm';

/**
 * The modules of Node that a program may load. Modules that the permissions of the process do not cover are missing (`sqlite` writes
 * files), and so are modules that load others (`module`, `vm`).
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

/** The exports of a program, which is one CommonJS file and loads nothing but modules of Node. Throws what it throws. */
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

/** Takes the other way to a module from this process, for good. */
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
