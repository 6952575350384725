import type { SearchTerm, SearchWord } from '@fairlead/lexical-index/search-index';
import { firstWords, normaliseWord } from '@fairlead/lexical-index/words';
import { foldWord, meaningAt } from './concepts.ts';
import type { Concept, Language } from './concepts.ts';
import { intentOfQuery } from './intent.ts';
import type { Intent } from './intent.ts';

/** Stop words of each language, which say nothing about the wanted tool. */
const FILLERS: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: wordSet(
    'a all an and are as be by can could did do does everybody everyone for from had has have how i if in into is it its many may me much',
    'my no nobody not of on or our please should some somebody someone something that the their them there they this to was we were what',
    'today week month year day yesterday when where which who will with would you your',
  ),
  de: wordSet(
    'als am an auf aus bei beim bitte das dem den der des die durch ein eine einem einen einer eines es fur ich im in ins ist jemand',
    'jemandem jemanden kein keine lassen man mein meine meinem meinen meiner mich mir mit nach nicht oder sich sind uber um und unter von',
    'heute woche monat jahr tag vor wann war was wer wie wo zu zum zur',
  ),
  es: wordSet(
    'a al alguien con como cual cuando de del desde donde el en entre es hasta la las lo los mi mis no o otra otro para por que quien se si',
    'hoy semana mes ano dia sobre son su sus un una unas unos y',
  ),
  fr: wordSet(
    'a au aux avec ce cette chez comment d dans de des du elle en entre est et il je l la le les leur ma mes mon n ne ou par pas pour qu',
    'aujourd hui semaine mois jour quand que quel quelle quelqu qui s sa se ses son sont sur un une',
  ),
};
const LANGUAGES = ['en', 'de', 'es', 'fr'] as const;

/** Score of a synonym, relative to the word itself. */
const SYNONYM_QUALITY = { usual: 0.8, other: 0.68 } as const;
/** Weight of a word that the platform's catalogue does not contain, such as a name in an account's own tools. */
const UNKNOWN_WEIGHT = 3;
/** Longest query, in words; further words are ignored. */
const MAX_WORDS = 40;

/** A parsed query. */
export interface SearchQuery {
  /** The query in English: its original text, or its words translated by the glossary. */
  readonly english: string;
  readonly terms: readonly SearchTerm[];
  readonly intent: Intent | undefined;
}

/** Parses a query in English, German, Spanish or French; `weightOf` returns how distinctive a word is in the catalogue. */
export function readQuery(query: string, weightOf: (word: string) => number): SearchQuery {
  const written = firstWords(query, MAX_WORDS);
  const folded = written.map(foldWord);
  const language = languageOf(folded);
  const terms: SearchTerm[] = [];
  const english: string[] = [];
  for (let at = 0; at < folded.length;) {
    const { concepts, words } = meaningAt(language, folded, at);
    if (words <= 1 && FILLERS[language].has(folded[at] ?? '')) {
      at += 1;
      continue;
    }
    const until = at + Math.max(words, 1);
    const own = written.slice(at, until);
    english.push(...((language === 'en' ? undefined : concepts[0]?.usual) ?? own));
    terms.push(...termsOf(own, concepts, language, weightOf));
    at = until;
  }
  return {
    english: language === 'en' ? query : english.join(' '),
    terms: withoutRepetition(terms),
    intent: intentOfQuery(language === 'en' ? folded : english),
  };
}

/** Removes synonyms that are words of the query themselves: an item with one of two query words matches half of the query. */
function withoutRepetition(terms: readonly SearchTerm[]): readonly SearchTerm[] {
  const own = new Set(terms.map(({ words }) => words[0]?.word));
  return terms
    .map(({ words, weight }) => ({
      words: words.filter(({ word }, at) => at === 0 || !own.has(word)),
      weight,
    }))
    .filter(({ words }) => words.length > 0);
}

/** One term per intended word. A synonym that covers several words matches all of them. */
function termsOf(
  own: readonly string[],
  concepts: readonly Concept[],
  language: Language,
  weightOf: (word: string) => number,
): readonly SearchTerm[] {
  const usual = concepts[0]?.usual ?? [];
  const isTranslated = language !== 'en' && usual.length > 0;
  const meant = isTranslated ? usual : own;
  // A word in the glossary is not considered mistyped.
  const match = concepts.length === 0 ? 'typed' : isTranslated || own.length > 1 ? 'whole' : 'beginning';
  return meant.map((text) => {
    const words = new Map<string, SearchWord>();
    const add = (each: string, quality: number, kind: SearchWord['match']): void => {
      const word = normaliseWord(each);
      if (word !== null && quality > (words.get(word)?.quality ?? 0))
        words.set(word, { word, quality, match: kind });
    };
    add(text, 1, match);
    if (isTranslated && own.length === 1) for (const word of own) add(word, 1, 'whole');
    for (const { usual: others, synonyms } of concepts) {
      if (others.length === 1) for (const word of others) add(word, SYNONYM_QUALITY.usual, 'whole');
      for (const word of synonyms) add(word, SYNONYM_QUALITY.other, 'whole');
    }
    const telling =
      weightOf(normaliseWord(text) ?? '') || Math.max(...[...words.keys()].map(weightOf)) || UNKNOWN_WEIGHT;
    return { words: [...words.values()], weight: telling / meant.length };
  });
}

/** The language in which most words are known; English in case of a tie. */
function languageOf(words: readonly string[]): Language {
  let best: Language = 'en';
  let most = -1;
  for (const language of LANGUAGES) {
    const known = words.filter(
      (word, at) => FILLERS[language].has(word) || meaningAt(language, words, at).words > 0,
    ).length;
    if (known > most) [best, most] = [language, known];
  }
  return best;
}

function wordSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}
