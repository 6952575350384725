import { html } from '@fairlead/pages/html';
import type { Html } from '@fairlead/pages/html';
import type { InteractionDetails } from '../oauth/interactions.ts';
import { isLoopback } from '@fairlead/service-kit/http/form-target';
import { nameInText, shownName } from '@fairlead/pages/shown-name';

/** The application to which a person signs in, for the line under the heading. */
export function continueTo({ client, redirectUri }: InteractionDetails): Html {
  return html`<p class="muted">
    to continue to ${nameInText(shownName(client.name, client.id))}<br /><small
      >${redirectInWords(redirectUri)}</small
    >
  </p>`;
}

/** Host to which the result is sent, worded to distinguish a site from a program on the person's own device. */
export function redirectInWords(redirectUri: URL | undefined): string {
  if (redirectUri === undefined) return 'the device whose code you entered';
  const { protocol, host } = redirectUri;
  if (!/^https?:$/.test(protocol)) return `an application on this device (${protocol})`;
  return isLoopback(redirectUri) ? `a program on this computer (${host})` : host;
}
