import { html } from '@fairlead/pages/html';
import type { Html, RenderedPage } from '@fairlead/pages/html';
import type { InteractionDetails } from '../oauth/interactions.ts';
import { interactionPath } from '../oauth/interactions.ts';
import { continueTo } from './client-view.ts';
import { formTargets } from '@fairlead/service-kit/http/form-target';
import { PROBLEM_ID, cardPage } from '@fairlead/pages/card-page';
import type { Problem } from '@fairlead/pages/card-page';

/** Longest address that can receive mail (RFC 5321, 4.5.3.1). */
export const MAX_EMAIL_LENGTH = 254;
/** Longest password that is checked. */
export const MAX_PASSWORD_LENGTH = 1024;

/** The content of the sign-in page. */
export interface SignInView {
  readonly status: number;
  readonly details: InteractionDetails;
  /** The token that the form sends back. */
  readonly formToken: string;
  /** The address entered before, or suggested by the client. */
  readonly email: string;
  readonly problem: Problem | undefined;
  /** Whether the entered values were wrong: the fields are then marked invalid. */
  readonly isInputWrong: boolean;
  /** Name of the upstream provider; undefined if there is none. */
  readonly upstreamName: string | undefined;
}

/** Asks for e-mail address and password, and links to the upstream provider. */
export function signInPage(view: SignInView): RenderedPage {
  const { details, problem } = view;
  const path = interactionPath(details.id);
  const about = problem === undefined ? undefined : html` aria-describedby="${PROBLEM_ID}"`;
  const invalid = view.isInputWrong ? html` aria-invalid="true"` : undefined;
  // If the address is filled in, focus the password.
  const atEmail = view.email === '' ? html` autofocus` : undefined;
  const atPassword = view.email === '' ? undefined : html` autofocus`;
  return cardPage({
    status: view.status,
    title: 'Sign in',
    problem,
    formTargets: formTargets(details.redirectUri, { mayContinue: false }),
    lead: continueTo(details),
    content: html`<form method="post" action="${path}/sign-in">
        <input type="hidden" name="form_token" value="${view.formToken}" />
        <label for="email">E-mail address</label>
        <input
          type="email"
          id="email"
          name="email"
          value="${view.email}"
          autocomplete="username"
          autocapitalize="none"
          spellcheck="false"
          maxlength="${String(MAX_EMAIL_LENGTH)}"
          required${atEmail}${about}${invalid}
        />
        <label for="password">Password</label>
        <input
          type="password"
          id="password"
          name="password"
          autocomplete="current-password"
          maxlength="${String(MAX_PASSWORD_LENGTH)}"
          required${atPassword}${about}${invalid}
        />
        <div class="actions">
          <button type="submit">Sign in</button>
          <button type="submit" class="quiet" formaction="${path}/deny" formnovalidate>Cancel</button>
        </div>
      </form>
      ${view.upstreamName === undefined ? undefined : upstreamLink(path, view.upstreamName)}`,
  });
}

/** A link, not a form: browsers apply `form-action` to redirects of forms, and the provider may redirect anywhere. */
function upstreamLink(path: string, name: string): Html {
  return html`<p class="or">or</p>
    <a class="button quiet" href="${path}/upstream">Continue with ${name}</a>`;
}
