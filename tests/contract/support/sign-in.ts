import { post, stack } from './api.ts';
import { exchange } from './recorder.ts';

/** A headless browser: keeps cookies, follows redirects, fills in forms. */
export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>();

  /**
   * Opens an address and follows redirects; returns the last page and its address. An address accepted by `stopAt` is not opened: its
   * status is 0.
   */
  async open(
    address: string,
    form?: URLSearchParams,
    stopAt: (url: URL) => boolean = () => false,
  ): Promise<{ url: URL; status: number; html: string }> {
    let url = new URL(address);
    let sent = form;
    for (let hop = 0; hop < 15; hop += 1) {
      if (stopAt(url)) return { url, status: 0, html: '' };
      const headers = new Headers();
      const jar = [...(this.#cookies.get(url.host) ?? [])].map(([name, value]) => `${name}=${value}`);
      if (jar.length > 0) headers.set('cookie', jar.join('; '));
      if (sent !== undefined) {
        headers.set('content-type', 'application/x-www-form-urlencoded');
        headers.set('origin', url.origin);
      }
      const reply = await exchange(url, {
        method: sent === undefined ? 'GET' : 'POST',
        headers,
        ...(sent === undefined ? {} : { body: sent.toString() }),
      });
      this.#keep(url.host, reply.headers.getSetCookie());
      const location = reply.headers.get('location');
      if (location === null) return { url, status: reply.status, html: reply.text };
      url = new URL(location, url);
      sent = undefined;
    }
    throw new Error(`Too many redirects at ${url.href}`);
  }

  /**
   * Submits the page's first form (or the one with the button `button`) with `values`, by input type or `select`, and its hidden fields.
   */
  async submit(
    page: { url: URL; html: string },
    values: Readonly<Record<string, string>>,
    button?: RegExp,
    stopAt?: (url: URL) => boolean,
  ): Promise<{ url: URL; status: number; html: string }> {
    const forms = [...page.html.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)];
    const form = forms.find(([, , inside = '']) => button === undefined || button.test(inside));
    if (form === undefined) throw new Error(`No such form at ${page.url.href}:\n${page.html}`);
    const [, head = '', inside = ''] = form;
    const fields = new URLSearchParams();
    for (const [input] of inside.matchAll(/<input[^>]*>/g)) {
      const name = attribute(input, 'name');
      const type = attribute(input, 'type');
      if (name === undefined) continue;
      if (type === 'hidden') fields.set(name, attribute(input, 'value') ?? '');
      else if (type !== undefined && values[type] !== undefined) fields.set(name, values[type]);
    }
    for (const [select] of inside.matchAll(/<select[^>]*>/g)) {
      if (values['select'] !== undefined) fields.set(attribute(select, 'name') ?? '', values['select']);
    }
    let target = attribute(head, 'action');
    for (const [element, start = '', text = ''] of inside.matchAll(/<button([^>]*)>([\s\S]*?)<\/button>/g)) {
      if (button?.test(text) !== true) continue;
      const name = attribute(start, 'name');
      if (name !== undefined) fields.set(name, attribute(element, 'value') ?? '');
      target = attribute(start, 'formaction') ?? target;
    }
    const action = new URL(target ?? page.url.href, page.url);
    return this.open(action.href, fields, stopAt);
  }

  #keep(host: string, cookies: readonly string[]): void {
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    for (const cookie of cookies) {
      const [pair = ''] = cookie.split(';');
      const at = pair.indexOf('=');
      const value = pair.slice(at + 1);
      if (value === '') jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), value);
    }
    this.#cookies.set(host, jar);
  }
}

function attribute(element: string, name: string): string | undefined {
  const found = new RegExp(`\\b${name}="([^"]*)"`).exec(element)?.[1];
  return found?.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}

/** Starts a sign-in to sandbox-crm as an account and returns the API's response. */
export async function startCrmSignIn(
  apiKey = stack.account.apiKey,
  body: Record<string, unknown> = {},
): Promise<{ signInUrl: string; state: string }> {
  const answer = await post(
    '/v1/connections/get-sign-in-url',
    { applicationSlug: 'sandbox-crm', authenticationId: 0, ...body },
    { apiKey },
  );
  if (answer.status !== 200) throw new Error(`get-sign-in-url answered ${answer.status}: ${answer.text}`);
  return answer.body;
}

/** Opens the page that says who asks, and presses its button; returns the vendor's page, or ours if there is no button. */
export async function continueToVendor(
  visitor: Visitor,
  signInUrl: string,
): Promise<{ url: URL; status: number; html: string }> {
  const asked = await visitor.open(signInUrl);
  return asked.status === 200 ? visitor.submit(asked, {}, /continue|sign in/i) : asked;
}

/** Signs in at the vendor and consents (or refuses), like a person at `signInUrl`; returns the last page. */
export async function authorize(
  signInUrl: string,
  decision: 'allow' | 'deny' = 'allow',
  visitor = new Visitor(),
): Promise<{ url: URL; status: number; html: string }> {
  const signIn = await continueToVendor(visitor, signInUrl);
  if (signIn.status !== 200) return signIn;
  const { user, password } = stack.sandboxCrm;
  const consent = await visitor.submit(signIn, { email: user, text: user, password });
  return visitor.submit(
    consent,
    {},
    decision === 'allow' ? /allow|continue|authori[sz]e/i : /deny|cancel|refuse/i,
  );
}

/** Completes a sign-in; returns its state. */
export async function authorizedState(apiKey = stack.account.apiKey): Promise<string> {
  const { signInUrl, state } = await startCrmSignIn(apiKey);
  await authorize(signInUrl);
  return state;
}
