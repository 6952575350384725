import type { State, WorkspaceView } from '../admin/administration.ts';
import type { ConditionsView } from '../admin/conditions.ts';
import type { RequestEntry } from '../admin/traffic.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';
import { page } from './layout.ts';

/** The page that asks for the admin key. */
export function adminSignInPage(problem: string | undefined): string {
  return page(
    'Administration',
    html`${problem === undefined ? [] : [html`<p class="error" role="alert">${problem}</p>`]}
      <form method="post" action="/admin/sign-in">
        <label for="adminKey">Admin key</label>
        <input id="adminKey" name="adminKey" type="password" autocomplete="current-password" required />
        <div class="actions"><button type="submit">Open</button></div>
      </form>`,
  );
}

/** The page with the vendor's state, the actions, a summary of the records, and the last requests. */
export function adminPage(
  state: State,
  workspaces: readonly WorkspaceView[],
  requests: readonly RequestEntry[],
): string {
  const { conditions, counters } = state;
  const tokenCalls = Object.entries(counters.tokenCalls).map(([grantType, calls]) => `${grantType} ${calls}`);
  return page(
    'Administration',
    html`<p>
        ${healthOf(conditions)} · ${state.grants} grant(s) · ${counters.apiCalls} API call(s) · token calls:
        ${tokenCalls.join(', ')}
      </p>
      <div class="controls">
        ${action('revoke-grants', 'Revoke grants', [field('email', 'Of this e-mail only (empty: everyone)', 'email', '')])}
        ${action('expire-tokens', 'Expire all access tokens', [])}
        ${action('down', 'Take down', [field('forMs', 'For milliseconds (empty: until brought up)', 'number', '')])}
        ${action('up', 'Bring up', [])}
        ${action('delay', 'Set delay', [field('delayMs', 'Wait before answers, milliseconds', 'number', conditions.delayMs)])}
        ${action('rate-limit', 'Set rate limit', [
          field(
            'requestsPerSecond',
            'API calls a second (empty: no limit)',
            'number',
            conditions.requestsPerSecond ?? '',
          ),
        ])}
        ${action('remove-webhooks', 'Remove webhooks', [field('url', 'Of this address only (empty: all)', 'url', '')])}
        ${action('resend-webhook', 'Resend webhook', [field('deliveryId', 'Id of the delivery', 'text', '')])}
        ${action('reset', 'Reset records, conditions and counters', [])}
      </div>
      ${workspaces.map(workspaceSection)}
      <h2>Last requests</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Request</th>
            <th scope="col">Status</th>
            <th scope="col">Milliseconds</th>
          </tr>
        </thead>
        <tbody>
          ${requests.map(
            (request) =>
              html`<tr>
                <td>${request.at}</td>
                <td>${request.method} ${request.path}</td>
                <td>${request.status}</td>
                <td>${request.durationMs}</td>
              </tr>`,
          )}
        </tbody>
      </table>`,
    'wide',
  );
}

function healthOf(conditions: ConditionsView): string {
  if (!conditions.isDown) return 'Up';
  return conditions.downUntil === null ? 'Down until brought up' : `Down until ${conditions.downUntil}`;
}

function action(name: string, label: string, fields: readonly Html[]): Html {
  return html`<form method="post" action="/admin/actions/${name}">
    ${fields}<button type="submit">${label}</button>
  </form>`;
}

function field(
  name: string,
  label: string,
  type: 'email' | 'number' | 'text' | 'url',
  value: string | number,
): Html {
  return html`<label for="${name}">${label}</label
    ><input id="${name}" name="${name}" type="${type}" value="${value}" />`;
}

function workspaceSection({ workspace, counts, newestContacts }: WorkspaceView): Html {
  const summary = Object.entries(counts).map(([path, count]) => `${count} ${path}`);
  return html`<h2>${workspace.name} (${workspace.id})</h2>
    <p>${summary.join(', ')}. Newest contacts:</p>
    <table>
      <thead>
        <tr>
          <th scope="col">Id</th>
          <th scope="col">Name</th>
          <th scope="col">E-mail</th>
          <th scope="col">Company</th>
          <th scope="col">Created</th>
        </tr>
      </thead>
      <tbody>
        ${newestContacts.map(
          (contact) =>
            html`<tr>
              ${['id', 'name', 'email', 'company', 'createdAt'].map((name) => html`<td>${contact[name] ?? ''}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>`;
}
