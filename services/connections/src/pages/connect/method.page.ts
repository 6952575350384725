import { requiresOAuthSignIn } from '@fairlead/connector-model/model';
import type { AuthenticationMethod } from '@fairlead/connector-model/model';
import { html } from '@fairlead/pages/html';
import type { Html, RenderedPage } from '@fairlead/pages/html';
import { nameInText, shownName } from '@fairlead/pages/shown-name';
import type { UsableMethod } from '../../use-cases/list-session-methods.ts';
import { scopeList, shownScopes } from '../scope-list.ts';
import { fieldControls } from './fields.ts';
import type { FormInput, FieldProblem, FormField } from './fields.ts';
import { askingInText, connectPage } from './layout.ts';
import type { Look, PageProblem } from './layout.ts';
import type { Language } from './languages/choose.ts';
import type { Messages } from './languages/messages.ts';
import { localized } from './localize.ts';
import type { Offer } from './offer.ts';

/** Target and hidden members of the forms. */
export interface FormTarget {
  /** The page's own path. */
  readonly path: string;
  readonly formToken: string;
  /** Origins to which the forms may lead. */
  readonly formTargets: readonly string[];
}

/** The person's former input, and its problems. */
export interface Attempt {
  readonly entered: FormInput;
  readonly fieldProblems: ReadonlyMap<string, FieldProblem>;
  readonly problem: PageProblem | undefined;
  readonly status?: number;
}

const NO_ATTEMPT: Attempt = { entered: new Map(), fieldProblems: new Map(), problem: undefined };

interface MethodView {
  readonly look: Look;
  readonly form: FormTarget;
  readonly offer: Offer;
  /** Name of the connection to renew. */
  readonly renews: string | undefined;
  /** Whether other applications can be chosen. */
  readonly hasChoice: boolean;
  readonly attempt: Attempt;
}

/** The form that connects or renews an application by one method, followed by the other methods. */
export function methodPage(o: MethodView): RenderedPage {
  const { look, attempt, offer } = o;
  const { slug, name } = offer.application;
  const { messages } = look.language;
  const application = shownName(name, slug);
  const asking = askingInText(look);
  const named = nameInText(application);
  const prompts =
    o.renews === undefined
      ? messages.asks(asking, named)
      : messages.renews(asking, named, nameInText(shownName(o.renews, application)));
  return connectPage({
    look,
    status: attempt.status ?? 200,
    title: o.renews === undefined ? messages.connectTitle(application) : messages.renewTitle(application),
    problem: attempt.problem,
    formTargets: o.form.formTargets,
    content: html`<p>${prompts}</p>
      ${requiresOAuthSignIn(offer.method) ? scopes(offer, asking.account, look.language) : undefined}
      <p class="muted trust">${messages.trust(asking.account)}</p>
      ${methodForm(o, offer, { attempt, idPrefix: 'field' })} ${otherWays(o)} ${cancelForm(o.form, messages)}
      ${o.hasChoice ? html`<p class="after"><a href="${o.form.path}">${messages.allApplications}</a></p>` : undefined}`,
  });
}

/** The form for choosing among the options found at sign-in, such as a workspace. */
export function optionsPage(o: {
  readonly look: Look;
  readonly form: FormTarget;
  readonly application: { readonly slug: string; readonly name: string };
  readonly authenticationId: number;
  readonly state: string;
  readonly fields: readonly FormField[];
  readonly attempt: Attempt;
}): RenderedPage {
  const { language } = o.look;
  const { messages } = language;
  const { entered, fieldProblems: problems } = o.attempt;
  return connectPage({
    look: o.look,
    status: o.attempt.status ?? 200,
    title: messages.chooseOptionsTitle(shownName(o.application.name, o.application.slug)),
    problem: o.attempt.problem,
    formTargets: o.form.formTargets,
    content: html`<form method="post" action="${o.form.path}">
        ${hidden({
          form_token: o.form.formToken,
          application: o.application.slug,
          method: String(o.authenticationId),
          state: o.state,
        })}
        ${fieldControls({ fields: o.fields, entered, problems, language, idPrefix: 'field' })}
        <div class="actions"><button type="submit">${messages.connect}</button></div>
      </form>
      ${cancelForm(o.form, messages)}`,
  });
}

/** The form that cancels the session. */
export function cancelForm({ path, formToken }: FormTarget, messages: Messages): Html {
  return html`<form class="cancel" method="post" action="${path}">
    ${hidden({ form_token: formToken })}
    <button class="quiet" type="submit" name="action" value="cancel">${messages.cancel}</button>
  </form>`;
}

/** The form of one method: its fields, and the button that connects or goes to the vendor. */
function methodForm(
  { look, form, offer }: MethodView,
  { method, fields }: UsableMethod,
  { attempt, idPrefix }: { readonly attempt: Attempt; readonly idPrefix: string },
): Html {
  const { language } = look;
  const { messages } = language;
  const { slug, name } = offer.application;
  const application = shownName(name, slug);
  const isSignIn = requiresOAuthSignIn(method);
  return html`<form method="post" action="${form.path}" ${isSignIn ? html` data-leaves="yes"` : undefined}>
    ${hidden({
      form_token: form.formToken,
      application: slug,
      method: String(method.authenticationId),
    })}
    ${fieldControls({
      fields,
      entered: attempt.entered,
      problems: attempt.fieldProblems,
      language,
      idPrefix,
    })}
    ${isSignIn ? undefined : html`<p class="hint tested">${messages.tested(nameInText(application))}</p>`}
    <div class="actions">
      <button type="submit">${isSignIn ? messages.signInWith(application) : messages.connect}</button>
    </div>
  </form>`;
}

/** The hidden members of a form. */
function hidden(members: Readonly<Record<string, string>>): readonly Html[] {
  return Object.entries(members).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
}

function scopes({ method, scopes: names }: UsableMethod, account: Html, language: Language): Html {
  const { messages } = language;
  if (names.length === 0) return html`<p>${messages.scopesAtVendor}</p>`;
  const described = method.scheme.type === 'oauth2' ? method.scheme.scopeDescriptions : {};
  return scopeList(shownScopes(names, described, language), {
    title: messages.scopesTitle(account),
    more: (count) => messages.moreScopes(count),
  });
}

/**
 * The other methods. Below a sign-in they are forms that expand in place, for people who already have a key. Below fields they are links,
 * so that the page has one form only.
 */
function otherWays(o: MethodView): Html | undefined {
  const { offer } = o;
  const { messages } = o.look.language;
  if (offer.otherMethods.length === 0) return undefined;
  const isBelowSignIn = requiresOAuthSignIn(offer.method);
  const ways = offer.otherMethods.map((other) =>
    isBelowSignIn && !requiresOAuthSignIn(other.method) ? foldedForm(o, other) : methodLink(o, other.method),
  );
  return html`<h2 id="other">${messages.otherMethods}</h2>
    <ul class="methods" aria-labelledby="other">
      ${ways.map((way) => html`<li>${way}</li>`)}
    </ul>`;
}

function foldedForm(o: MethodView, other: UsableMethod): Html {
  const { name, lang } = methodName(other.method, o.look.language);
  const idPrefix = `method-${other.method.authenticationId}-field`;
  return html`<details>
    <summary${lang}>${name}</summary>
    ${methodForm(o, other, { attempt: NO_ATTEMPT, idPrefix })}
  </details>`;
}

function methodLink({ form, offer, look }: MethodView, method: AuthenticationMethod): Html {
  const { slug, name: applicationName } = offer.application;
  const query = new URLSearchParams({ application: slug, method: String(method.authenticationId) });
  const { name, lang } = methodName(method, look.language);
  const signIn = look.language.messages.signInWith(shownName(applicationName, slug));
  const isOnlySignIn =
    requiresOAuthSignIn(method) &&
    offer.otherMethods.filter((other) => requiresOAuthSignIn(other.method)).length === 1;
  return isOnlySignIn
    ? html`<a href="${form.path}?${query.toString()}">${signIn}</a>`
    : html`<a href="${form.path}?${query.toString()}" ${lang}>${name}</a>`;
}

function methodName(
  { authenticationName, translations }: AuthenticationMethod,
  { code }: Language,
): { readonly name: string; readonly lang: Html | undefined } {
  const { texts, lang } = localized(code, { authenticationName }, translations);
  return { name: texts.authenticationName, lang };
}
