import { cardPage } from '@fairlead/pages/card-page';
import type { CardLanguage } from '@fairlead/pages/card-page';
import { formTargets } from '@fairlead/service-kit/http/form-target';
import { html } from '@fairlead/pages/html';
import type { Html, RenderedPage } from '@fairlead/pages/html';
import { nameInText, shownName } from '@fairlead/pages/shown-name';
import type { DescribedSignIn } from '../use-cases/describe-sign-in.ts';
import type { Language } from './connect/languages/choose.ts';
import { scopeList, shownScopes } from './scope-list.ts';

/** Who asks a person to sign in, where, and for what; all names are unescaped input. */
export interface SignInPrompt {
  readonly accountName: string;
  /** The user who started the sign-in. */
  readonly userName: string;
  readonly applicationName: string;
  /** With the vendor's names. */
  readonly scopes: readonly string[];
  readonly scopeDescriptions: DescribedSignIn['scopeDescriptions'];
  /** The vendor's address; only its host is shown. */
  readonly vendor: URL;
}

/** Asks the person to confirm before going to the vendor; only the page's form leads there. */
export function askPage(o: {
  readonly language: Language;
  readonly asked: SignInPrompt;
  /** Target of the form: the page's own path. */
  readonly path: string;
  readonly formToken: string;
  /** Whether the previous form was too old. */
  readonly isStale: boolean;
}): RenderedPage {
  const { vendor } = o.asked;
  const { messages } = o.language;
  const application = shownName(o.asked.applicationName, '—');
  const account = nameInText(shownName(o.asked.accountName, '—'));
  const user = nameInText(shownName(o.asked.userName, '—'));
  const host = html`<strong>${vendor.host}</strong>`;
  return cardPage({
    status: o.isStale ? 403 : 200,
    language: cardLanguage(o.language),
    title: messages.signIn.title(application),
    problem: o.isStale ? { title: messages.staleTitle, text: messages.staleText } : undefined,
    // All of the vendor's hosts: vendors redirect between them before they show a page, and browsers apply form-action to redirects.
    formTargets: formTargets(vendor, { mayContinue: true }),
    content: html`<p>${messages.signIn.asks({ user, account }, nameInText(application), host)}</p>
      ${scopes(o.asked, account, o.language)}
      <p class="muted">${messages.trust(account)}</p>
      <form method="post" action="${o.path}">
        <input type="hidden" name="form_token" value="${o.formToken}" />
        <div class="actions">
          <button type="submit">${messages.signIn.continueTo(application)}</button>
          <button type="submit" class="quiet" name="action" value="cancel">${messages.cancel}</button>
        </div>
      </form>`,
  });
}

function scopes({ scopes: names, scopeDescriptions }: SignInPrompt, account: Html, language: Language): Html {
  const { messages } = language;
  if (names.length === 0) return html`<p>${messages.signIn.defaultScopes}</p>`;
  return scopeList(shownScopes(names, scopeDescriptions, language), {
    title: messages.scopesTitle(account),
    more: (count) => messages.moreScopes(count),
  });
}

/** A page with a message only, and the request's id if an administrator may have to look it up. */
export function messagePage(o: {
  readonly language: Language;
  readonly status: number;
  readonly title: string;
  readonly text: Html | string;
  readonly requestId?: string;
}): RenderedPage {
  const { reference } = o.language.messages;
  return cardPage({
    status: o.status,
    language: cardLanguage(o.language),
    title: o.title,
    content: html`<p>${o.text}</p>
      ${o.requestId === undefined ? undefined : html`<p><small>${reference} ${o.requestId}</small></p>`}`,
  });
}

function cardLanguage({ code, messages }: Language): CardLanguage {
  return { code, problemPrefix: messages.problemPrefix };
}
