import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SERVICE_NAMES } from '@fairlead/service-list/services';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const NAMES = ['gateway', ...SERVICE_NAMES] as const;

/** Declarations that several services include in their settings. */
const COMMON = [
  'service-kit/src/config.ts',
  'service-kit/src/canary/config.ts',
  'service-kit/src/telemetry/config.ts',
  'egress/src/config.ts',
  'sealing/src/config.ts',
].map((path) => `packages/${path}`);

/** Declarations of a single service. */
function sourcesOf(service: string): readonly string[] {
  const own = `services/${service}/src/config.ts`;
  return service === 'identity'
    ? [own, 'services/identity/src/oauth-config.ts', 'services/identity/src/upstream-config.ts']
    : [own];
}

/** Docstrings of the variables that a file declares. */
function docstringsIn(path: string): ReadonlyMap<string, string> {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const found = text.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s*([A-Z][A-Z0-9_]+):/g);
  return new Map(
    [...found].map(([, comment = '', name = '']) => [name, comment.replaceAll(/\s*\n\s*\*\s?/g, ' ').trim()]),
  );
}

/** Schemas of a service's variables. */
async function schemasOf(service: string): Promise<Readonly<Record<string, z.ZodType>>> {
  const url = pathToFileURL(join(ROOT, 'services', service, 'src/config.ts')).href;
  const module = (await import(url)) as Readonly<Record<string, unknown>>; // every config.ts has this form
  const schema = module[`${service}Config`];
  if (!(schema instanceof z.ZodObject)) throw new Error(`${service}Config is no z.object.`);
  return schema.shape;
}

/** A variable, the services that read it, and its default in each. */
interface Setting {
  readonly name: string;
  readonly defaults: ReadonlyMap<string, string>;
  readonly effect: string;
}

/** All variables of all services: first those read by all, then by name. */
export async function settings(): Promise<readonly Setting[]> {
  const common = new Map(COMMON.flatMap((path) => [...docstringsIn(path)]));
  const defaults = new Map<string, Map<string, string>>();
  const effects = new Map<string, string>();
  for (const service of NAMES) {
    const own = new Map(sourcesOf(service).flatMap((path) => [...docstringsIn(path)]));
    for (const [name, schema] of Object.entries(await schemasOf(service))) {
      const of = defaults.get(name) ?? new Map<string, string>();
      defaults.set(name, of.set(service, defaultOf(schema, service)));
      const effect = addressOf(name) ?? common.get(name) ?? own.get(name);
      if (effect !== undefined && !effects.has(name)) effects.set(name, effect);
    }
  }
  const isCommon = ({ defaults: of }: Setting): boolean => of.size === NAMES.length;
  return [...defaults]
    .map(([name, of]) => ({ name, defaults: of, effect: effects.get(name) ?? '' }))
    .toSorted((a, b) => Number(isCommon(b)) - Number(isCommon(a)) || a.name.localeCompare(b.name));
}

/** The effect of a variable with a peer's addresses. */
function addressOf(name: string): string | undefined {
  const service = NAMES.find((each) => name === `${each.toUpperCase()}_URL`);
  if (service === undefined) return undefined;
  const peer = service === 'gateway' ? "the gateway's `RPC_PORT`" : service;
  return `Addresses of ${peer}; see [Addresses](#addresses).`;
}

function defaultOf(schema: z.ZodType, service: string): string {
  const { success, data } = schema.safeParse(undefined);
  if (!success) return 'required';
  if (data === undefined) return 'unset';
  if (data === `fairlead_${service}`) return '`fairlead_<service>`';
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return ['', '[]', '{}'].includes(text) ? 'none' : `\`${text}\``;
}

/** The table of all variables, as Markdown rows. */
export async function settingsTable(): Promise<readonly string[]> {
  const rows = (await settings()).map(({ name, defaults, effect }) => {
    const services = defaults.size === NAMES.length ? 'all' : [...defaults.keys()].join(', ');
    const hasDefault = ![...defaults.values()].includes('unset');
    return `| \`${name}\` | ${services} | ${defaultCell(defaults)} | ${cell(effect, hasDefault)} |`;
  });
  return ['| variable | services | default | effect |', '| --- | --- | --- | --- |', ...rows];
}

/** The most common default, and the services with another one. */
function defaultCell(defaults: ReadonlyMap<string, string>): string {
  const groups = [...Map.groupBy(defaults.keys(), (key) => defaults.get(key) ?? '')];
  const [first, most] = groups.reduce((a, b) => (b[1].length > a[1].length ? b : a), ['', []]);
  const others = [...defaults].filter(([service]) => !most.includes(service));
  return [first, ...others.map(([service, text]) => `${service} ${text}`)].join('; ');
}

/** A docstring as a table cell, without the default if it has a column; links point to sections of the page. */
function cell(docstring: string, hasDefault: boolean): string {
  return docstring
    .replace(hasDefault ? / ?Default:? [^ ;:]+(?: \d{3})*\.(?= |$)/ : /$^/, '')
    .replace('docs/production.md describes the rotation', '[Keys](#keys) describes the rotation')
    .replaceAll('|', String.raw`\|`)
    .trim();
}

/** The page with this table below the heading "All settings", replacing the former one. */
export function withTable(page: string, table: readonly string[]): string {
  const [before, after = ''] = page.split('\n## All settings\n', 2);
  const lines = after.split('\n');
  const first = lines.findIndex((line) => line.startsWith('| '));
  if (first === -1) throw new Error('The page has no table of settings.');
  const rest = lines.slice(first).findIndex((line) => !line.startsWith('| '));
  const end = rest === -1 ? lines.length : first + rest;
  return `${before}\n## All settings\n${[...lines.slice(0, first), ...table, ...lines.slice(end)].join('\n')}`;
}
