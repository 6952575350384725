import { html } from '@fairlead/pages/html';
import type { Html } from '@fairlead/pages/html';

/** The texts of a connector in the language of a page. */
export interface LocalizedTexts<T> {
  readonly texts: T;
  /** The attribute `lang` of an element with one of the texts, where their language is not the page's. */
  readonly lang: Html | undefined;
}

/** The texts in the language `code` if the connector has them, otherwise the English ones. */
export function localized<T extends object>(
  code: string,
  english: T,
  translations: Readonly<Partial<Record<string, T>>>,
): LocalizedTexts<T> {
  const texts = Object.hasOwn(translations, code) ? translations[code] : undefined;
  return texts === undefined
    ? { texts: english, lang: code === 'en' ? undefined : html` lang="en"` }
    : { texts, lang: undefined };
}
