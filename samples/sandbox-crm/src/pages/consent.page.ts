import { html } from './html.ts';
import { page } from './layout.ts';

/** The page where the person allows or denies the application's request. */
export function consentPage(o: {
  uid: string;
  clientName: string;
  email: string;
  redirectHost: string;
  permissions: readonly string[];
}): string {
  return page(
    'Allow access?',
    html`<p><strong>${o.clientName}</strong> asks to use your account <strong>${o.email}</strong> to:</p>
      <ul>
        ${o.permissions.map((permission) => html`<li>${permission}</li>`)}
      </ul>
      <p>You will be sent back to <strong>${o.redirectHost}</strong>.</p>
      <div class="actions">
        <form method="post" action="/interaction/${o.uid}/allow"><button type="submit">Allow</button></form>
        <form method="post" action="/interaction/${o.uid}/deny">
          <button class="quiet" type="submit">Deny</button>
        </form>
      </div>`,
  );
}
