import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Beginnings of sentences without a noun: the reader learns only later, or never, what the sentence is about. */
const AVOIDS_ITS_NOUN = /^(?:What|Of|Those|Whose|Whom|That of)\b/;
const DOCSTRING = /\/\*\*([\s\S]*?)\*\//g;

/** Number of such sentences per area: `packages/<name>`, `services/<name>` and so on, or a top-level folder. */
export function countRiddles(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const file of writtenFiles()) {
    const text = readFileSync(`${ROOT}${file}`, 'utf8');
    const sentences = file.endsWith('.md') ? markdownSentences(text) : docstringSentences(text);
    const found = sentences.filter((sentence) => AVOIDS_ITS_NOUN.test(sentence)).length;
    if (found > 0) counts[areaOf(file)] = (counts[areaOf(file)] ?? 0) + found;
  }
  return Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The sentences of the docstrings in a source text. */
export function docstringSentences(text: string): readonly string[] {
  return [...text.matchAll(DOCSTRING)].flatMap(([, comment = '']) =>
    sentencesOf(comment.replaceAll(/^\s*\* ?/gm, '').replaceAll(/\s+/g, ' ')),
  );
}

/** The sentences of a Markdown text, including headings, list items and table cells, without code blocks. */
export function markdownSentences(text: string): readonly string[] {
  return text
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .replaceAll(/^#.*$/gm, '$&\n')
    .split(/\n(?=\s*(?:[-*#|>]|\d+\.|\n))|\|/)
    .flatMap((part) => sentencesOf(part.replace(/^[\s\-*#>]*(?:\d+\.\s+)?/, '').replaceAll(/\s+/g, ' ')));
}

function sentencesOf(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?])\s+/)
    .map((sentence) => sentence.replace(/^[\s*_]+/, '').trim())
    .filter((sentence) => sentence !== '');
}

function writtenFiles(): readonly string[] {
  return filesOf([
    '*.md',
    'docs/**/*.md',
    '{packages,services,tools,samples,connectors,clients}/**/*.{ts,md}',
    'tests/**/*.ts',
  ]);
}

/** All Markdown pages of the repository, relative to its root, without the changelog and dependencies' pages. */
export function markdownFiles(): readonly string[] {
  return filesOf(['**/*.md']).filter((file) => file !== 'CHANGELOG.md');
}

function filesOf(patterns: readonly string[]): readonly string[] {
  return globSync(patterns, {
    cwd: ROOT,
    exclude: (path) => path.includes('node_modules') || path.includes('/gen/'),
  }).filter((file) => !file.includes('.fairlead/') && !file.startsWith('packages/contracts/'));
}

function areaOf(file: string): string {
  const [top = '', name = ''] = file.split('/');
  if (!file.includes('/')) return 'the top folder';
  return ['packages', 'services', 'tools', 'samples'].includes(top) ? `${top}/${name}` : top;
}
