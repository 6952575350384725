import { html } from '@fairlead/service-kit/http/html';
import type { Html } from '@fairlead/service-kit/http/html';
import { shownName } from '@fairlead/service-kit/http/shown-name';

/** Most scopes that are listed one by one. */
const MAX_SCOPES = 50;

/** A scope as a page shows it. */
export interface ShownScope {
  /** As the vendor names it. */
  readonly name: string;
  /** The access in words; undefined if the connector does not describe it. */
  readonly description: string | undefined;
  /** The attribute `lang` of the description, if it is not in the page's language. */
  readonly lang?: Html | undefined;
}

/** The requested scopes in words, or by the vendor's names; `more` says how many are not listed. */
export function scopeList(
  scopes: readonly ShownScope[],
  { title, more }: { readonly title: Html; readonly more: (count: number) => string },
): Html {
  const rest = scopes.length - MAX_SCOPES;
  return html`<h2 id="scopes">${title}</h2>
    <ul class="scopes" aria-labelledby="scopes">
      ${scopes.slice(0, MAX_SCOPES).map(scopeItem)} ${rest > 0 ? html`<li>${more(rest)}</li>` : undefined}
    </ul>`;
}

function scopeItem({ name, description, lang }: ShownScope): Html {
  const shown = shownName(name, '(unnamed)');
  return description === undefined
    ? html`<li><bdi lang="en">${shown}</bdi></li>`
    : html`<li title="${shown}" ${lang}>${description}</li>`;
}
