import { html } from './html.ts';
import type { Html } from './html.ts';

const LONGEST_NAME = 80;

const LONGEST_TEXT = 300;

/**
 * A name that others chose, safe to display: without characters that hide or reverse text, and at most 80 characters long.
 * `fallback` replaces a name of which nothing is left.
 */
export function shownName(name: string, fallback: string): string {
  const plain = plainText(name);
  return cutAtWord(plain === '' ? fallback : plain, LONGEST_NAME);
}

/** A description that others wrote, safe to display as a name is, and at most 300 characters long. */
export function shownText(text: string): string {
  return cutAtWord(plainText(text), LONGEST_TEXT);
}

function plainText(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '')
    .trim();
}

/** Cuts after a whole word, unless that would leave less than half: there is a text without spaces then. */
function cutAtWord(text: string, longest: number): string {
  const characters = Array.from(text);
  if (characters.length <= longest) return text;
  const end = characters.lastIndexOf(' ', longest - 1);
  return `${characters.slice(0, end < longest / 2 ? longest - 1 : end).join('')}…`;
}

/** The name within a sentence; right-to-left text does not affect the text around it. */
export function nameInText(name: string): Html {
  return html`<bdi><strong>${name}</strong></bdi>`;
}
