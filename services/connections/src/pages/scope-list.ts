import { html } from '@fairlead/pages/html';
import type { Html } from '@fairlead/pages/html';
import { shownName } from '@fairlead/pages/shown-name';
import type { DescribedSignIn } from '../use-cases/describe-sign-in.ts';
import type { Language } from './connect/languages/choose.ts';
import { localized } from './connect/localize.ts';

/** Maximum number of listed scopes. */
const MAX_SCOPES = 50;

/** A scope for display. */
interface ScopeLabel {
  /** The vendor's name of it. */
  readonly name: string;
  /** The scope's description; undefined if the connector has none. */
  readonly description: string | undefined;
  /** The `lang` attribute for the description, if it is not in the page's language. */
  readonly lang?: Html | undefined;
}

/** Scopes by name, described in the connector's words if it has some. */
export function shownScopes(
  names: readonly string[],
  descriptions: DescribedSignIn['scopeDescriptions'],
  { code }: Language,
): readonly ScopeLabel[] {
  return names.map((name) => {
    const text = Object.hasOwn(descriptions, name) ? descriptions[name] : undefined;
    if (text === undefined) return { name, description: undefined };
    const { texts, lang } = localized(code, { description: text.description }, text.translations);
    return { name, description: texts.description, lang };
  });
}

/** The requested scopes, described or by the vendor's names; `more` is the number of unlisted ones. */
export function scopeList(
  scopes: readonly ScopeLabel[],
  { title, more }: { readonly title: Html; readonly more: (count: number) => string },
): Html {
  const rest = scopes.length - MAX_SCOPES;
  return html`<h2 id="scopes">${title}</h2>
    <ul class="scopes" aria-labelledby="scopes">
      ${scopes.slice(0, MAX_SCOPES).map(scopeItem)} ${rest > 0 ? html`<li>${more(rest)}</li>` : undefined}
    </ul>`;
}

function scopeItem({ name, description, lang }: ScopeLabel): Html {
  const label = shownName(name, '(unnamed)');
  return description === undefined
    ? html`<li><bdi lang="en">${label}</bdi></li>`
    : html`<li title="${label}" ${lang}>${description}</li>`;
}
