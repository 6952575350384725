import { html } from '@fairlead/pages/html';
import type { RenderedPage } from '@fairlead/pages/html';
import { OAUTH_PATH } from '@fairlead/access/resources';
import { cardPage } from '@fairlead/pages/card-page';

/** Path of the page on which people sign out of this browser. */
export const SIGN_OUT_PATH = `${OAUTH_PATH}/sign-out`;

/** Asks whether to sign out. */
export function signOutPage(formToken: string): RenderedPage {
  return cardPage({
    title: 'Sign out?',
    formTargets: [],
    content: html`<p>You are signed in to Fairlead in this browser.</p>
      <form method="post" action="${SIGN_OUT_PATH}">
        <input type="hidden" name="form_token" value="${formToken}" />
        <div class="actions"><button type="submit">Sign out</button></div>
      </form>`,
  });
}
