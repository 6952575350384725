import { html } from './html.ts';
import type { Html } from './html.ts';

const LONGEST_NAME = 80;

/**
 * A name that others chose, safe to display: without characters that hide or reverse text, and at most 80 characters long.
 * `fallback` replaces a name of which nothing is left.
 */
export function shownName(name: string, fallback: string): string {
  const plain = name
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '')
    .trim();
  const characters = Array.from(plain === '' ? fallback : plain);
  return characters.length > LONGEST_NAME
    ? `${characters.slice(0, LONGEST_NAME - 1).join('')}…`
    : characters.join('');
}

/** The name within a sentence; right-to-left text does not affect the text around it. */
export function nameInText(name: string): Html {
  return html`<bdi><strong>${name}</strong></bdi>`;
}
