import { normaliseWord } from '@fairlead/lexical-index/words';
import { GLOSSARY } from './glossary.ts';

const LANGUAGES = ['en', 'de', 'es', 'fr'] as const;
/** A language whose words the glossary contains. */
export type Language = (typeof LANGUAGES)[number];

/** The catalogue's usual words for a concept, and other single words with about the same meaning. */
export interface Concept {
  readonly usual: readonly string[];
  readonly synonyms: readonly string[];
}

/** The concepts that a phrase means, and its number of words. */
interface Meaning {
  readonly concepts: readonly Concept[];
  readonly words: number;
}

interface Entry {
  readonly words: readonly string[];
  /** True: words that begin with the last word match, too. */
  readonly isOpen: boolean;
  readonly concept: Concept;
}

const MEANINGLESS: Meaning = { concepts: [], words: 0 };
/** Entries are indexed by the first letters of their first word. */
const KEY_LENGTH = 2;

const entries = readGlossary();

/** Lower case without accents, like the words of the glossary. */
export function foldWord(word: string): string {
  return word
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('œ', 'oe');
}

/** The meaning of the folded words from `start` on, in a language: by the longest matching phrase, else by the closest word. */
export function meaningAt(language: Language, words: readonly string[], start: number): Meaning {
  const first = words[start] ?? '';
  const candidates = entries[language].get(first.slice(0, KEY_LENGTH)) ?? [];
  let best: readonly Entry[] = [];
  let most = 0;
  for (const entry of candidates) {
    const closeness = closenessOf(entry, language, words, start);
    if (closeness === 0 || closeness < most) continue;
    best = closeness > most ? [entry] : [...best, entry];
    most = closeness;
  }
  const [found] = best;
  if (found === undefined) return MEANINGLESS;
  return { concepts: [...new Set(best.map(({ concept }) => concept))], words: found.words.length };
}

/** How well an entry matches: phrases rank before words, equal words before prefixes, long prefixes before short ones; 0: no match. */
function closenessOf(entry: Entry, language: Language, words: readonly string[], start: number): number {
  const { length } = entry.words;
  const last = words[start + length - 1] ?? '';
  const ending = entry.words[length - 1] ?? '';
  for (let at = 0; at < length - 1; at += 1) if (words[start + at] !== entry.words[at]) return 0;
  const isEqual = last === ending || (language === 'en' && normaliseWord(last) === normaliseWord(ending));
  if (!isEqual && !(entry.isOpen && last.startsWith(ending))) return 0;
  return length * 1_000 + (isEqual ? 500 : ending.length);
}

function readGlossary(): Readonly<Record<Language, ReadonlyMap<string, readonly Entry[]>>> {
  const found: Record<Language, Map<string, Entry[]>> = {
    en: new Map(),
    de: new Map(),
    es: new Map(),
    fr: new Map(),
  };
  for (const line of GLOSSARY.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const columns = line.split('|').map((column) => column.trim().split(/\s+/));
    const [usual = '', ...others] = columns[0] ?? [];
    const concept = { usual: usual.split('_'), synonyms: others.filter((each) => !each.includes('_')) };
    for (const [at, language] of LANGUAGES.entries())
      for (const text of columns[at] ?? []) add(found[language], text, concept);
  }
  return found;
}

function add(found: Map<string, Entry[]>, text: string, concept: Concept): void {
  const isOpen = text.endsWith('*');
  const words = (isOpen ? text.slice(0, -1) : text).split('_');
  const key = words[0]?.slice(0, KEY_LENGTH) ?? '';
  const same = found.get(key) ?? [];
  found.set(key, [...same, { words, isOpen, concept }]);
}
