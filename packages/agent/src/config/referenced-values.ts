import type { Json } from '@fairlead/connector-model/json';
import { isArray, isObject } from '@fairlead/connector-runtime/templates';
import { readSecretFile } from './private-file.ts';

/** Members that are never secret, whatever the source of their values: masking a port would mask numbers in every log line. */
const NO_SECRETS: ReadonlySet<string> = new Set([
  'type',
  'host',
  'port',
  'sslMode',
  'root',
  'isReadOnly',
  'url',
]);

/** A part of the configuration with resolved references, and the secrets among the resolved values. */
interface ConfigPart {
  readonly value: Json;
  readonly secrets: readonly string[];
}

/**
 * Resolves references: `{env: NAME}` to that environment variable, `{file: path}` to the text of that private file
 * without its last line break. `onProblem` gets the path of each reference without a value.
 */
export function resolveReferences(
  rawValue: Json,
  env: NodeJS.ProcessEnv,
  onProblem: (path: string, problem: string) => void,
): ConfigPart {
  const secrets: string[] = [];
  const resolve = (value: Json, path: string): Json => {
    if (isArray(value)) return value.map((item, index) => resolve(item, `${path}[${index}]`));
    if (!isObject(value)) return value;
    const reference = referenceOf(value);
    if (reference === undefined) {
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => [
          name,
          resolve(member, path === '' ? name : `${path}.${name}`),
        ]),
      );
    }
    try {
      const text = reference.kind === 'env' ? variable(env, reference.name) : readSecretFile(reference.name);
      if (!NO_SECRETS.has(path.split('.').at(-1) ?? '')) secrets.push(text);
      return text;
    } catch (error) {
      onProblem(path, error instanceof Error ? error.message : String(error));
      // Any valid value for the member, so that the missing value is reported only once.
      return 'unknown';
    }
  };
  const value = resolve(rawValue, '');
  return { value, secrets };
}

function referenceOf(value: {
  readonly [name: string]: Json;
}): { readonly kind: 'env' | 'file'; readonly name: string } | undefined {
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined || others.length > 0) return undefined;
  const [kind, name] = entry;
  return (kind === 'env' || kind === 'file') && typeof name === 'string' ? { kind, name } : undefined;
}

function variable(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (value === undefined || value === '') throw new Error(`the environment variable ${name} is not set`);
  return value;
}
