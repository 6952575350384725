import { requiresOAuthSignIn } from '@fairlead/connector-model/model';
import { html } from '@fairlead/service-kit/http/html';
import type { Html, RenderedPage } from '@fairlead/service-kit/http/html';
import { nameInText, shownName } from '@fairlead/service-kit/http/shown-name';
import { fieldControls } from './fields.ts';
import type { Entered, FieldProblem, ShownField } from './fields.ts';
import { accountInText, askedBy, connectPage } from './layout.ts';
import type { Look, PageProblem } from './layout.ts';
import type { Messages } from './languages/messages.ts';
import type { Offer } from './offer.ts';

/** Most scopes that are listed one by one. */
const MAX_SCOPES = 50;

/** Where a form is posted, and what proves that it is ours. */
export interface FormTarget {
  /** The page's own path. */
  readonly path: string;
  readonly formToken: string;
  /** Origins that the forms may lead to. */
  readonly formTargets: readonly string[];
}

/** The former input of the person, and its problems. */
export interface Attempt {
  readonly entered: Entered;
  readonly fieldProblems: ReadonlyMap<string, FieldProblem>;
  readonly problem: PageProblem | undefined;
  readonly status?: number;
}

/** The form that connects, or renews, an application by one method. */
export function methodPage(o: {
  readonly look: Look;
  readonly form: FormTarget;
  readonly offer: Offer;
  /** The name of the connection to renew. */
  readonly renews: string | undefined;
  /** Whether there are other applications to choose from. */
  readonly hasChoice: boolean;
  readonly attempt: Attempt;
}): RenderedPage {
  const { look, attempt } = o;
  const { method, fields, scopes } = o.offer;
  const { slug, name } = o.offer.application;
  const { messages } = look.language;
  const isSignIn = requiresOAuthSignIn(method);
  const application = shownName(name, slug);
  const [account, named] = [accountInText(look), nameInText(application)];
  const asked =
    o.renews === undefined
      ? messages.asks(account, named)
      : messages.renews(account, named, nameInText(shownName(o.renews, application)));
  return connectPage({
    look,
    status: attempt.status ?? 200,
    title: o.renews === undefined ? messages.connectTitle(application) : messages.renewTitle(application),
    problem: attempt.problem,
    formTargets: o.form.formTargets,
    content: html`<p>${asked}</p>
      ${askedBy(look, application)} ${isSignIn ? scopeList(scopes, messages) : undefined}
      <form method="post" action="${o.form.path}" ${isSignIn ? html` data-leaves="yes"` : undefined}>
        ${hidden({
          form_token: o.form.formToken,
          application: slug,
          method: String(method.authenticationId),
        })}
        ${fieldControls({
          fields,
          entered: attempt.entered,
          problems: attempt.fieldProblems,
          messages,
        })}
        <div class="warning"><p>${messages.warning(account, named)}</p></div>
        ${isSignIn ? undefined : html`<p class="hint tested">${messages.tested(named)}</p>`}
        ${actions(isSignIn ? messages.continueTo(application) : messages.connect, messages)}
      </form>
      ${otherWays(o, messages)}`,
  });
}

/** The form in which the person chooses among what a sign-in found, such as a workspace. */
export function optionsPage(o: {
  readonly look: Look;
  readonly form: FormTarget;
  readonly application: { readonly slug: string; readonly name: string };
  readonly authenticationId: number;
  readonly state: string;
  readonly fields: readonly ShownField[];
  readonly attempt: Attempt;
}): RenderedPage {
  const { messages } = o.look.language;
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
      ${fieldControls({ fields: o.fields, entered, problems, messages })}
      ${actions(messages.connect, messages)}
    </form>`,
  });
}

/** The members of a form that the person does not see. */
export function hidden(members: Readonly<Record<string, string>>): readonly Html[] {
  return Object.entries(members).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
}

/** The buttons of a form; the first one is also what the Enter key presses. */
function actions(text: string, messages: Messages): Html {
  return html`<div class="actions">
    <button type="submit" name="action" value="connect">${text}</button>
    ${cancelButton(messages)}
  </div>`;
}

/** The button that ends the session without a connection. */
export function cancelButton(messages: Messages): Html {
  return html`<button class="quiet" type="submit" name="action" value="cancel" formnovalidate>
    ${messages.cancel}
  </button>`;
}

function scopeList(scopes: readonly string[], messages: Messages): Html {
  if (scopes.length === 0) return html`<p>${messages.scopesAtVendor}</p>`;
  const more = scopes.length - MAX_SCOPES;
  return html`<h2 id="scopes">${messages.scopesTitle}</h2>
    <ul class="scopes" aria-labelledby="scopes">
      ${scopes.slice(0, MAX_SCOPES).map((scope) => html`<li><bdi lang="en">${shownName(scope, '—')}</bdi></li>`)}
      ${more > 0 ? html`<li>${messages.moreScopes(more)}</li>` : undefined}
    </ul>`;
}

function otherWays(
  o: {
    readonly form: FormTarget;
    readonly offer: Offer;
    readonly hasChoice: boolean;
  },
  messages: Messages,
): Html {
  const links = o.offer.otherMethods.map(({ authenticationId, authenticationName }) => {
    const query = new URLSearchParams({
      application: o.offer.application.slug,
      method: String(authenticationId),
    });
    return html`<li><a href="${o.form.path}?${query.toString()}" lang="en">${authenticationName}</a></li>`;
  });
  return html`${
    links.length === 0
      ? undefined
      : html`<h2 id="other">${messages.otherMethods}</h2>
          <ul class="methods" aria-labelledby="other">
            ${links}
          </ul>`
  }
  ${o.hasChoice ? html`<p class="after"><a href="${o.form.path}">${messages.allApplications}</a></p>` : undefined}`;
}
