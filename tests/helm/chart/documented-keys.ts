import { readFileSync } from 'node:fs';
import { isMap, isScalar, parseDocument } from 'yaml';
import type { Pair, YAMLMap } from 'yaml';
import { chartFile } from './chart-folder.ts';

/** A key of `values.yaml` with its comment, or a map whose content has no comments. */
export interface DocumentedKey {
  /** Names from the root to the key. */
  readonly path: readonly string[];
  readonly description: string;
  readonly value: unknown;
}

/** A top-level key of `values.yaml`: its own comment, and the keys below it, where they exist. */
export interface DocumentedSection {
  readonly name: string;
  readonly description: string;
  readonly keys: readonly DocumentedKey[];
}

/** The keys of the chart's `values.yaml`, in order. Throws for a key without a comment. */
export function documentedSections(): readonly DocumentedSection[] {
  const { contents } = parseDocument(readFileSync(chartFile('values.yaml'), 'utf8'));
  if (!isMap(contents)) throw new Error('values.yaml: expected a map');
  return contents.items.map((pair, index) => {
    const name = nameOf(pair);
    // The parser attaches the first comment in a map to the map.
    const description = commentOf(pair) || (index === 0 ? lines(contents.commentBefore) : '');
    const keys = keysOf(pair, [], description);
    return { name, description: keys[0]?.path.length === 1 ? '' : description, keys };
  });
}

function keysOf(pair: Pair, above: readonly string[], description: string): readonly DocumentedKey[] {
  const path = [...above, nameOf(pair)];
  const { value } = pair;
  if (isMap(value) && hasComments(value)) {
    return value.items.flatMap((inner, index) =>
      keysOf(inner, path, commentOf(inner) || (index === 0 ? lines(value.commentBefore) : '')),
    );
  }
  const plain: unknown = isScalar(value) || value === null ? (value?.value ?? null) : toPlain(value);
  // Service names only contain keys, so they need no comment.
  if (above.join() === 'services' && JSON.stringify(plain) === '{}') return [];
  if (description === '') throw new Error(`values.yaml: ${path.join('.')} has no comment`);
  return [{ path, description, value: plain }];
}

function toPlain(value: unknown): unknown {
  // The library's nodes serialize to the JSON that they represent.
  return JSON.parse(JSON.stringify(value)) as unknown;
}

function hasComments(map: YAMLMap): boolean {
  return (
    lines(map.commentBefore) !== '' ||
    map.items.some((pair) => commentOf(pair) !== '' || (isMap(pair.value) && hasComments(pair.value)))
  );
}

function nameOf({ key }: Pair): string {
  if (!isScalar(key)) throw new Error('values.yaml: expected a name');
  return String(key.value);
}

function commentOf({ key }: Pair): string {
  return isScalar(key) ? lines(key.commentBefore) : '';
}

function lines(comment: string | null | undefined): string {
  return (comment ?? '')
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim();
}
