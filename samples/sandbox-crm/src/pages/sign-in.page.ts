import { html } from './html.ts';
import { page } from './layout.ts';

/** The form for e-mail and password; `problem` is the error of the last attempt. */
export function signInPage(o: {
  uid: string;
  clientName: string;
  email: string;
  problem: string | undefined;
}): string {
  const problem = o.problem === undefined ? [] : [html`<p class="error" role="alert">${o.problem}</p>`];
  return page(
    'Sign in',
    html`<p>to continue to <strong>${o.clientName}</strong></p>
      ${problem}
      <form method="post" action="/interaction/${o.uid}/sign-in">
        <label for="email">E-mail</label>
        <input id="email" name="email" type="email" autocomplete="username" required value="${o.email}" />
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required />
        <div class="actions"><button type="submit">Sign in</button></div>
      </form>
      <form method="post" action="/interaction/${o.uid}/deny">
        <div class="actions"><button class="quiet" type="submit">Cancel</button></div>
      </form>`,
  );
}
