import { html } from '@fairlead/pages/html';
import type { Html, RenderedPage } from '@fairlead/pages/html';
import type { Scope } from '@fairlead/access/permissions';
import { SCOPE_DESCRIPTIONS } from '@fairlead/access/scope-descriptions';
import type { Member } from '../domain/records.ts';
import type { AskingClient, InteractionDetails } from '../oauth/interactions.ts';
import { interactionPath } from '../oauth/interactions.ts';
import { nameInText, shownName } from '@fairlead/pages/shown-name';
import { redirectInWords } from './client-view.ts';
import { formTargets } from '@fairlead/service-kit/http/form-target';
import { cardPage } from '@fairlead/pages/card-page';
import { promisedScopes } from './consent-scopes.ts';

/** The content of the consent page. */
export interface ConsentView {
  readonly details: InteractionDetails;
  readonly formToken: string;
  /** The signed-in user with the account that the application would act in. */
  readonly member: Member;
}

/** Asks whether an application may act for the person. Names the application, the account and the actions it could perform. */
export function consentPage({ details, formToken, member }: ConsentView): RenderedPage {
  const { client } = details;
  const name = shownName(client.name, client.id);
  const path = interactionPath(details.id);
  const scopes = promisedScopes(details.scopes, member);
  return cardPage({
    title: 'Allow access?',
    formTargets: formTargets(details.redirectUri, { mayContinue: true }),
    content: html`<p>${nameInText(name)} wants to act on your behalf in your Fairlead account.</p>
      ${origin(client)}
      <dl>
        <dt>Account</dt>
        <dd>${member.account.name}</dd>
        <dt>Signed in as</dt>
        <dd>${member.user.email}</dd>
        ${
          client.host === undefined
            ? undefined
            : html`<dt>Published at</dt>
                <dd>${client.host}</dd>`
        }
        <dt>Access goes to</dt>
        <dd>${redirectInWords(details.redirectUri)}</dd>
      </dl>
      ${scopeList(scopes)} ${scopes.includes('administration') ? administrationWarning(name) : undefined}
      <form method="post" action="${path}/consent">
        <input type="hidden" name="form_token" value="${formToken}" />
        <input type="hidden" name="user_id" value="${member.user.id}" />
        <div class="actions pair">
          <button type="submit" class="quiet" formaction="${path}/deny">Deny</button>
          ${scopes.length === 0 ? undefined : html`<button type="submit">Allow</button>`}
        </div>
      </form>
      <p class="after">
        <small
          >Not you, or the wrong account?
          <a href="${path}/sign-in">Sign in as a different user</a>
        </small>
      </p>`,
  });
}

/** Says how far the application's name can be trusted. */
function origin({ kind }: AskingClient): Html | undefined {
  switch (kind) {
    case 'builtIn':
      return html`<p class="muted">It is part of Fairlead.</p>`;
    case 'account':
      return html`<p class="muted">An administrator of the account added it.</p>`;
    case 'registered':
    case 'document':
      return html`<p>
        <span class="badge">Unverified name</span>
        <small
          >The application chose this name itself, and it has not been verified. Allow access only if you
          started this yourself.</small
        >
      </p>`;
  }
}

function scopeList(scopes: readonly Scope[]): Html | undefined {
  if (scopes.length === 0) return html`<p>Your role in this account allows none of what it asks for.</p>`;
  const plain = scopes.filter((scope) => scope !== 'administration');
  if (plain.length === 0) return undefined;
  return html`<h2 id="scopes">It will be able to</h2>
    <ul class="scopes" aria-labelledby="scopes">
      ${plain.map((scope) => html`<li>${SCOPE_DESCRIPTIONS[scope]}</li>`)}
    </ul>`;
}

function administrationWarning(name: string): Html {
  return html`<div class="warning">
    <p><strong>Full administration</strong></p>
    <p>
      ${SCOPE_DESCRIPTIONS.administration}. Allow this only if ${nameInText(name)} should administer Fairlead
      for you.
    </p>
  </div>`;
}
