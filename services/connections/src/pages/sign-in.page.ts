import { cardPage } from '@fairlead/service-kit/http/card-page';
import type { Problem } from '@fairlead/service-kit/http/card-page';
import { formTargets } from '@fairlead/service-kit/http/form-target';
import { html } from '@fairlead/service-kit/http/html';
import type { Html, RenderedPage } from '@fairlead/service-kit/http/html';
import { nameInText, shownName } from '@fairlead/service-kit/http/shown-name';
import type { DescribedSignIn } from '../use-cases/describe-sign-in.ts';
import { scopeList } from './scope-list.ts';

/** Who asks a person to sign in, where and for what; all names as they were chosen. */
export interface SignInAsked {
  readonly accountName: string;
  /** The user who started the sign-in. */
  readonly userName: string;
  readonly applicationName: string;
  /** As the vendor names them. */
  readonly scopes: readonly string[];
  readonly scopeDescriptions: DescribedSignIn['scopeDescriptions'];
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
        ${nameInText(user)} at ${nameInText(account)} asks you to connect ${nameInText(application)}. You sign
        in at <strong>${vendor.host}</strong>.
      </p>
      ${scopes(o.asked, nameInText(account))}
      <p class="muted">
        Continue only if you know ${nameInText(account)}. Either of you can remove the connection later.
      </p>
      <form method="post" action="${o.path}">
        <input type="hidden" name="form_token" value="${o.formToken}" />
        <div class="actions">
          <button type="submit">Continue to ${application}</button>
          <button type="submit" class="quiet" name="action" value="cancel">Cancel</button>
        </div>
      </form>`,
  });
}

function scopes({ scopes, scopeDescriptions }: SignInAsked, account: Html): Html {
  if (scopes.length === 0)
    return html`<p>It asks for what the application grants by default, which you see there.</p>`;
  const shown = scopes.map((name) => ({
    name,
    description: Object.hasOwn(scopeDescriptions, name) ? scopeDescriptions[name]?.description : undefined,
  }));
  return scopeList(shown, {
    title: html`${account} will be able to`,
    more: (count) => `and ${count} more`,
  });
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
