import { html } from '@fairlead/service-kit/http/html';
import type { Html } from '@fairlead/service-kit/http/html';
import type { InteractionDetails } from '../oauth/interactions.ts';
import { isLoopback } from './form-target.ts';

const LONGEST_NAME = 80;

/**
 * An application's own name, safe to display: without characters that hide or reverse text, and at most
 * 80 characters long. `fallback` replaces a name of which nothing is left.
 */
export function shownName(name: string, fallback: string): string {
  const plain = name
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '')
    .trim();
  const characters = Array.from(plain === '' ? fallback : plain);
  return characters.length > LONGEST_NAME
    ? `${characters.slice(0, LONGEST_NAME - 1).join('')}…`
    : characters.join('');
}

/** The application that a person signs in to, for the line under the heading. */
export function continueTo({ client, redirectUri }: InteractionDetails): Html {
  return html`<p class="muted">
    to continue to ${nameInText(shownName(client.name, client.id))}<br /><small
      >${redirectInWords(redirectUri)}</small
    >
  </p>`;
}

/** The name within a sentence; right-to-left text does not affect the text around it. */
export function nameInText(name: string): Html {
  return html`<bdi><strong>${name}</strong></bdi>`;
}

/** Where the browser goes with the result, in words that distinguish a site from a program on the person's own device. */
export function redirectInWords(redirectUri: URL | undefined): string {
  if (redirectUri === undefined) return 'the device whose code you entered';
  const { protocol, host } = redirectUri;
  if (!/^https?:$/.test(protocol)) return `an application on this device (${protocol})`;
  return isLoopback(redirectUri) ? `a program on this computer (${host})` : host;
}
