import { html } from './html.ts';
import { page } from './layout.ts';

/** The sign-in page before the API token is shown; `problem` is the error of the last attempt. */
export function apiTokenSignInPage(o: { email: string; problem: string | undefined }): string {
  const problem = o.problem === undefined ? [] : [html`<p class="error" role="alert">${o.problem}</p>`];
  return page(
    'API token',
    html`<p>Sign in to see the API token of your account.</p>
      ${problem}
      <form method="post">
        <label for="email">E-mail</label>
        <input id="email" name="email" type="email" autocomplete="username" required value="${o.email}" />
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required />
        <div class="actions"><button type="submit">Sign in</button></div>
      </form>`,
  );
}

/** The page that shows the API token. */
export function apiTokenPage(apiToken: string): string {
  return page(
    'API token',
    html`<p>An application that has this token acts as you.</p>
      <label for="token">API token</label>
      <input id="token" readonly value="${apiToken}" />`,
  );
}
