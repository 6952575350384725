import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sourceFiles } from '../import-graph.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** A function, or a constant that may hold one, whose verb docs/glossary.md rules out. */
const MAKE = /\b(?:function\*?|const) +(make(?:[A-Z]\w*)?)\b/g;
/** An asynchronous function that does work but is named for its result by a participle alone. */
const PARTICIPLE =
  /\basync function\*? +([a-z]+ed|begun|built|drawn|found|given|held|kept|known|left|lost|made|seen|sent|shown|taken|told|written)\b/g;
/** Verbs that end like participles. */
const VERBS = new Set(['exceed', 'feed', 'proceed', 'seed']);

/** Places, as `file: name`, with a function name that docs/glossary.md rules out. */
export function ruledOutNames(): readonly string[] {
  return sourceFiles(ROOT)
    .filter((file) => !file.startsWith('connectors/'))
    .flatMap((file) =>
      findRuledOut(readFileSync(`${ROOT}${file}`, 'utf8')).map((name) => `${file}: ${name}`),
    );
}

/** Names of functions in a source text that begin with `make`, or are a participle although the function does work. */
export function findRuledOut(text: string): readonly string[] {
  return [MAKE, PARTICIPLE]
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .map(([, name = '']) => name)
    .filter((name) => !VERBS.has(name));
}
