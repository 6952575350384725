/** Markup, which must not be escaped again. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Markup from a template; every value is escaped except `Html` and lists of `Html`. */
export function html(
  strings: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  const parts = strings.flatMap((text, index) => {
    const value = values[index];
    return value === undefined ? [text] : [text, markupOf(value)];
  });
  return new Html(parts.join(''));
}

function markupOf(value: string | number | Html | readonly Html[]): string {
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map((part) => part.markup).join('');
  return String(value).replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
