import { describe, expect, it } from 'vitest';
import { documentedSections } from './chart/documented-keys.ts';
import { changeOf, valuesBefore } from './support/changed-values.ts';
import { template } from './support/render.ts';
import type { Values } from './support/render.ts';

const KEYS = documentedSections().flatMap(({ keys }) => keys);

const before = new Map<string, Promise<readonly string[]>>();

/** The objects of a release, as texts. */
async function objects(values: readonly Values[]): Promise<readonly string[]> {
  return (await template('4.1', ...values)).split(/^---\n/m).filter((text) => text.trim() !== '');
}

/** The objects of a release before a change, cached by values. */
async function objectsBefore(values: readonly Values[]): Promise<readonly string[]> {
  const key = JSON.stringify(values);
  const texts = before.get(key) ?? objects(values);
  before.set(key, texts);
  return texts;
}

/** Texts that are in only one of the lists. */
function difference(first: readonly string[], second: readonly string[]): readonly string[] {
  return [
    ...first.filter((text) => !second.includes(text)),
    ...second.filter((text) => !first.includes(text)),
  ];
}

function componentOf(text: string): string {
  return /^ {4}app\.kubernetes\.io\/component: (.*)$/m.exec(text)?.[1] ?? '';
}

describe.concurrent('every key of values.yaml changes an object', () => {
  it.for(KEYS.map((key) => [key.path.join('.'), key] as const))('%s', async ([, key]) => {
    const values = valuesBefore(key);
    const changed = difference(await objectsBefore(values), await objects([...values, changeOf(key)]));
    expect(changed).not.toEqual([]);
  });
});

/** Without the canary's keys, because the service's callers have the same. */
const DEFAULTS = KEYS.filter(({ path }) => path[0] === 'defaults' && path[1] !== 'canary');

describe.concurrent('a service overrides each key of the defaults, for itself only', () => {
  it.for(DEFAULTS.map((key) => [key.path.slice(1).join('.'), key] as const))('%s', async ([, key]) => {
    const values = valuesBefore(key);
    // Baseline: the service is already enabled.
    const change =
      key.path.join('.') === 'defaults.enabled'
        ? { services: { tools: { enabled: false } } }
        : changeOf(key, ['services', 'tools', ...key.path.slice(1)]);
    const changed = difference(await objectsBefore(values), await objects([...values, change]));
    expect(changed).not.toEqual([]);
    expect([...new Set(changed.map(componentOf))]).toEqual(['tools']);
  });
});
