import { cardPage } from '@fairlead/service-kit/http/card-page';
import type { Problem } from '@fairlead/service-kit/http/card-page';
import { formTargets } from '@fairlead/service-kit/http/form-target';
import { html } from '@fairlead/service-kit/http/html';
import type { Html, RenderedPage } from '@fairlead/service-kit/http/html';
import { nameInText, shownName } from '@fairlead/service-kit/http/shown-name';

/** Most scopes that are listed one by one. */
const MAX_SCOPES = 50;

/** Who asks a person to sign in, where and for what; all names as they were chosen. */
export interface SignInAsked {
  readonly accountName: string;
  /** The user who started the sign-in. */
  readonly userName: string;
  readonly applicationName: string;
  /** As the vendor names them. */
  readonly scopes: readonly string[];
  /** The address of the vendor's page, of which only the host is shown. */
  readonly vendor: URL;
}

/** Asks the person whether to go on to the vendor; only the page's form leads there. */
export function askPage(o: {
  readonly asked: SignInAsked;
  /** Where the form is posted: the page's own path. */
  readonly path: string;
  readonly formToken: string;
  /** The problem with the form that was sent before. */
  readonly problem?: Problem;
}): RenderedPage {
  const { vendor } = o.asked;
  const application = shownName(o.asked.applicationName, 'the application');
  const account = shownName(o.asked.accountName, 'an account without a name');
  const user = shownName(o.asked.userName, 'a user without a name');
  return cardPage({
    status: o.problem === undefined ? 200 : 403,
    title: `Connect ${application}?`,
    problem: o.problem,
    // Vendors redirect between hosts of theirs before they show a page, and browsers apply form-action to all of that.
    formTargets: formTargets(vendor, { mayContinue: true }),
    content: html`<p>
        ${nameInText(user)} asks you to sign in to ${nameInText(application)}. The account
        ${nameInText(account)} can then use what you allow there, until you or it removes the connection.
      </p>
      <dl>
        <dt>Account</dt>
        <dd><bdi>${account}</bdi></dd>
        <dt>Requested by</dt>
        <dd><bdi>${user}</bdi></dd>
        <dt>Application</dt>
        <dd><bdi>${application}</bdi></dd>
        <dt>You sign in at</dt>
        <dd>${vendor.host}</dd>
      </dl>
      ${scopeList(o.asked.scopes)}
      <div class="warning">
        <p>
          Did someone send you this link? Continue only if you know them and want to share your access to
          ${nameInText(application)} with their account. Otherwise close this window: nothing is connected.
        </p>
      </div>
      <form method="post" action="${o.path}">
        <input type="hidden" name="form_token" value="${o.formToken}" />
        <div class="actions"><button type="submit">Continue to ${application}</button></div>
      </form>`,
  });
}

function scopeList(scopes: readonly string[]): Html {
  if (scopes.length === 0)
    return html`<p>It asks for what the application grants by default, which you see there.</p>`;
  const more = scopes.length - MAX_SCOPES;
  return html`<h2 id="scopes">It asks for these permissions</h2>
    <ul class="scopes" aria-labelledby="scopes">
      ${scopes.slice(0, MAX_SCOPES).map((scope) => html`<li><bdi>${shownName(scope, '(unnamed)')}</bdi></li>`)}
      ${more > 0 ? html`<li>and ${String(more)} more</li>` : undefined}
    </ul>`;
}

/** A page that only shows a message, with the request's id if an administrator may have to look it up. */
export function messagePage(o: {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly requestId?: string;
}): RenderedPage {
  const reference =
    o.requestId === undefined ? undefined : html`<p><small>Reference: ${o.requestId}</small></p>`;
  return cardPage({
    status: o.status,
    title: o.title,
    content: html`<p>${o.text}</p>
      ${reference}`,
  });
}
