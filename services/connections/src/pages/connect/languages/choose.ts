import type { Request } from 'express';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import type { Messages } from './messages.ts';

/** A language of the hosted page. */
export interface Language {
  /** BCP 47. */
  readonly code: string;
  readonly messages: Messages;
}

/** The languages by code; the first is the default. */
export const LANGUAGES: Readonly<Record<string, Messages>> = { en, de, es, fr, ja };

/** The language of a session's locale (`de`, `de-AT`) if the page has it, otherwise the browser's preferred one. */
export function chooseLanguage(locale: string | null, request: Pick<Request, 'acceptsLanguages'>): Language {
  const [primary = ''] = (locale ?? '').toLowerCase().split('-');
  const preferred = request.acceptsLanguages(Object.keys(LANGUAGES));
  const code = Object.hasOwn(LANGUAGES, primary) ? primary : preferred === false ? 'en' : preferred;
  return { code, messages: LANGUAGES[code] ?? en };
}
