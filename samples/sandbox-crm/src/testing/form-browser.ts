/** A page in a browser without scripts, or the external address to which it was redirected. */
export interface PageView {
  readonly url: URL;
  /** 0 if the browser was redirected to an external address, which is not visited. */
  readonly status: number;
  readonly html: string;
  readonly headers: Headers;
}

interface Cookie {
  readonly value: string;
  readonly path: string;
}

const MAX_REDIRECTS = 10;

/** A browser for one origin that keeps cookies, follows redirects and submits forms; it runs no scripts. */
export class FormBrowser {
  readonly #cookies = new Map<string, Cookie>();
  #shown: PageView | undefined;

  /** Visits an address of the origin and follows its redirects. */
  async open(url: string | URL): Promise<PageView> {
    return this.#go(new URL(url), { method: 'GET' });
  }

  /** Submits the current page's form whose button reads `button`, with its own values overridden by `fields`. */
  async submit(button: string, fields: Readonly<Record<string, string>> = {}): Promise<PageView> {
    if (this.#shown === undefined) throw new Error('no page is open');
    const form = formsOf(this.#shown.html).find((candidate) => candidate.button === button);
    if (form === undefined) throw new Error(`no form with the button '${button}' at ${this.#shown.url.href}`);
    const body = new URLSearchParams({ ...form.fields, ...fields }).toString();
    return this.#go(new URL(form.action, this.#shown.url), { method: 'POST', body });
  }

  /** Posts an empty form to an address of the origin, like a hostile page or a stale tab. */
  async postTo(path: string): Promise<PageView> {
    if (this.#shown === undefined) throw new Error('no page is open');
    return this.#go(new URL(path, this.#shown.url), { method: 'POST', body: '' });
  }

  async #go(start: URL, first: { method: string; body?: string }): Promise<PageView> {
    let url = start;
    let request = first;
    for (let hop = 0; hop < MAX_REDIRECTS; hop += 1) {
      const response = await fetch(url, {
        ...request,
        redirect: 'manual',
        headers: {
          accept: 'text/html',
          cookie: this.#cookiesFor(url.pathname),
          ...(request.body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        },
      });
      this.#keepCookies(response.headers.getSetCookie());
      const html = await response.text();
      const location = response.headers.get('location');
      if (location === null) {
        return this.#show({ url, status: response.status, html, headers: response.headers });
      }
      url = new URL(location, url);
      if (url.origin !== start.origin)
        return this.#show({ url, status: 0, html: '', headers: new Headers() });
      request = { method: 'GET' };
    }
    throw new Error(`more than ${MAX_REDIRECTS} redirects from ${start.href}`);
  }

  #show(shown: PageView): PageView {
    this.#shown = shown;
    return shown;
  }

  #cookiesFor(pathname: string): string {
    return [...this.#cookies]
      .filter(([, { path }]) => path === '/' || pathname === path || pathname.startsWith(`${path}/`))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  #keepCookies(headers: readonly string[]): void {
    for (const header of headers) {
      const [pair = '', ...attributes] = header.split('; ');
      const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      const attribute = (key: string): string | undefined =>
        attributes.find((one) => one.toLowerCase().startsWith(`${key}=`))?.slice(key.length + 1);
      const expires = attribute('expires');
      if (expires !== undefined && Date.parse(expires) < Date.now()) this.#cookies.delete(name);
      else this.#cookies.set(name, { value, path: attribute('path') ?? '/' });
    }
  }
}

/**
 * Passes the sign-in and consent pages like a person, from the authorization address to the redirect back; returns the redirect address
 * with its `code` or `error`.
 */
export async function signInAndAllow(
  authorizationUrl: string | URL,
  person: { readonly email: string; readonly password: string },
  browser: FormBrowser = new FormBrowser(),
): Promise<URL> {
  let shown = await browser.open(authorizationUrl);
  if (shown.html.includes('name="password"')) {
    shown = await browser.submit('Sign in', { email: person.email, password: person.password });
  }
  if (shown.status === 200) shown = await browser.submit('Allow');
  if (shown.status !== 0)
    throw new Error(`the sign-in ended with ${shown.status} at ${shown.url.href}: ${shown.html}`);
  return shown.url;
}

interface Form {
  readonly action: string;
  readonly button: string;
  readonly fields: Readonly<Record<string, string>>;
}

function formsOf(html: string): readonly Form[] {
  return [...html.matchAll(/<form\b(?<head>[^>]*)>(?<inner>.*?)<\/form>/gs)].map((match) => {
    const { head = '', inner = '' } = match.groups ?? {};
    const inputs = [...inner.matchAll(/<input\b[^>]*>/g)].map(([tag]) => tag);
    return {
      action: attributeOf(head, 'action'),
      button: (/<button\b[^>]*>(?<text>.*?)<\/button>/s.exec(inner)?.groups?.['text'] ?? '').trim(),
      fields: Object.fromEntries(
        inputs.map((tag) => [attributeOf(tag, 'name'), attributeOf(tag, 'value')] as const),
      ),
    };
  });
}

function attributeOf(tag: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
}
