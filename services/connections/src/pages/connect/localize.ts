import { html } from '@fairlead/pages/html';
import type { Html } from '@fairlead/pages/html';

/** The connector's texts in the language of a page. */
export interface LocalizedTexts<T> {
  readonly texts: T;
  /** The `lang` attribute for an element with such a text, if the text is not in the page's language. */
  readonly lang: Html | undefined;
}

/** The texts in language `code` if the connector has them, otherwise in English. */
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
