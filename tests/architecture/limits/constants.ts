import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Matches numbers, arithmetic, names, and members of objects and lists, after texts were removed. */
const PLAIN = /^[\w\s.,:{}[\]()+\-*/]*$/;
const CALL = /[\w\])]\s*\(/;
const LITERALS: ReadonlySet<string> = new Set(['Infinity', 'null', 'true', 'false']);

/**
 * The value that `path` names in a file of the repository: a module's constant, exported or not, with optional members, or a member of a
 * YAML file. Undefined: the file does not declare it. Throws Error for a missing member, and for a constant that is not a plain expression.
 * Modules are parsed, not imported, because most limits are not exported and some modules have side effects.
 */
export function valueAt(file: string, path: string): unknown {
  if (!existsSync(join(ROOT, file))) throw new Error(`There is no ${file}.`);
  const [name = '', ...members] = path.split('.');
  if (file.endsWith('.yaml')) return memberOf(parse(read(file)), [name, ...members], file);
  const value = constantIn(file, name);
  return value === undefined ? undefined : memberOf(value, members, `${file}: ${name}`);
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

function memberOf(value: unknown, members: readonly string[], where: string): unknown {
  const [first, ...rest] = members;
  if (first === undefined) return value;
  const found = typeof value === 'object' && value !== null && Object.getOwnPropertyDescriptor(value, first);
  if (!found) throw new Error(`${where} has no member ${first}.`);
  return memberOf(found.value, rest, `${where}.${first}`);
}

/** The value of a top-level `const NAME = <expression>;` in a module; undefined: there is none. */
function constantIn(file: string, name: string): unknown {
  const declaration = new RegExp(`^(?:export )?const ${name}(?:: [^=]+)? =\\s([^]*?);$`, 'm');
  const initializer = declaration.exec(read(file))?.[1];
  return initializer === undefined ? undefined : evaluate(file, expressionOf(initializer));
}

/** The expression without comments and type syntax. */
function expressionOf(initializer: string): string {
  return initializer
    .replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '')
    .replaceAll(/ as const\b/g, '')
    .replace(/ satisfies [^]*$/, '');
}

function evaluate(file: string, expression: string): unknown {
  const code = expression.replaceAll(/'[^'\n]*'/g, '');
  if (!PLAIN.test(code) || CALL.test(code)) throw new Error(`${file}: not a plain expression: ${expression}`);
  const names = code.matchAll(/(?<!\w|(?<!\.\.)\.)[A-Za-z]\w*(?!\w|\s*:)/g);
  const scope: Record<string, unknown> = {};
  for (const [name] of names) if (!LITERALS.has(name)) scope[name] = named(file, name);
  return runInNewContext(`(${expression})`, scope);
}

/** The value of a name that a module declares or imports. */
function named(file: string, name: string): unknown {
  const value = constantIn(file, name);
  if (value !== undefined) return value;
  const [, from = ''] =
    new RegExp(`^import \\{[^}]*\\b${name}\\b[^}]*\\} from '([^']+)';$`, 'm').exec(read(file)) ?? [];
  if (from === '') throw new Error(`${file} neither declares nor imports ${name}.`);
  const source = createRequire(join(ROOT, file)).resolve(from);
  return named(source.slice(ROOT.length), name);
}
