import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sourceFiles } from '../import-graph.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** A function, or a constant that may hold one, whose verb docs/glossary.md rules out. */
const MADE = /\b(?:function\*?|const) +(make(?:[A-Z]\w*)?)\b/g;

/** Places, as `file: name`, whose name begins with `make`: docs/glossary.md says which verb means what. */
export function namesWithMake(): readonly string[] {
  return sourceFiles(ROOT).flatMap((file) =>
    findMake(readFileSync(`${ROOT}${file}`, 'utf8')).map((name) => `${file}: ${name}`),
  );
}

/** Names in a source text that begin with `make`. */
export function findMake(text: string): readonly string[] {
  return [...text.matchAll(MADE)].map(([, name = '']) => name);
}
