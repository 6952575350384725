/** A page as the FormBrowser shows it. */
export interface PageView {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
}

const REDIRECT_LIMIT = 10;

/** A browser without scripts that supports signing in: cookies, redirects, and forms posted by their buttons. */
export class FormBrowser {
  readonly #cookies = new Map<string, { readonly value: string; readonly path: string }>();
  readonly #stopAt: (url: URL) => boolean;
  #page: PageView | undefined;

  /** Redirects are followed up to the first address that `stopAt` names; that one is not requested. */
  constructor(o: { readonly stopAt: (url: URL) => boolean }) {
    this.#stopAt = o.stopAt;
  }

  /** The current page. */
  get page(): PageView {
    if (this.#page === undefined) throw new Error('The browser shows no page.');
    return this.#page;
  }

  /** Every Set-Cookie line so far. */
  readonly setCookies: string[] = [];

  /** Opens an address. Returns the redirect target named by `stopAt`; undefined if a page is shown. */
  open(url: string | URL): Promise<URL | undefined> {
    return this.#go(new URL(url), { method: 'GET' });
  }

  /** Fills in the form that has a button with that text and presses it. Returns the same as `open`. */
  press(text: string, values: Readonly<Record<string, string>> = {}): Promise<URL | undefined> {
    const { html, url } = this.page;
    for (const [, attributes = '', content = ''] of html.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)) {
      const button = [...content.matchAll(/<button([^>]*)>([\s\S]*?)<\/button>/g)].find(
        ([, , label = '']) => label.replaceAll(/<[^>]*>/g, '').trim() === text,
      );
      if (button === undefined) continue;
      const [, buttonAttributes = ''] = button;
      const fields = new URLSearchParams();
      for (const [, input = ''] of content.matchAll(/<input([^>]*?)\/?>/g)) {
        const name = attribute(input, 'name');
        const type = attribute(input, 'type');
        const isOff = (type === 'checkbox' || type === 'radio') && !/\schecked\b/.test(input);
        if (name !== undefined && !isOff) fields.append(name, attribute(input, 'value') ?? '');
      }
      for (const [name, value] of Object.entries(values)) fields.set(name, value);
      const name = attribute(buttonAttributes, 'name');
      if (name !== undefined) fields.append(name, attribute(buttonAttributes, 'value') ?? '');
      const action = attribute(buttonAttributes, 'formaction') ?? attribute(attributes, 'action') ?? url.href;
      return this.#go(new URL(action, url), {
        method: 'POST',
        body: fields.toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: url.origin },
      });
    }
    throw new Error(`There is no button "${text}" on the page at ${url.pathname} (${this.page.status}).`);
  }

  async #go(
    url: URL,
    init: { readonly method: string; readonly body?: string; readonly headers?: Record<string, string> },
  ): Promise<URL | undefined> {
    let [next, request] = [url, init];
    for (let hops = 0; hops < REDIRECT_LIMIT; hops += 1) {
      if (this.#stopAt(next)) return next;
      const response = await fetch(next, {
        ...request,
        headers: { accept: 'text/html', ...request.headers, cookie: this.cookieHeader(next.pathname) },
        redirect: 'manual',
      });
      this.#keep(response, next);
      const location = response.headers.get('location');
      const html = await response.text();
      if (location === null) {
        this.#page = { url: next, status: response.status, headers: response.headers, html };
        return undefined;
      }
      next = new URL(location, next);
      request = { method: 'GET' };
    }
    throw new Error(`There is no end to the redirects from ${url.pathname}.`);
  }

  /** The Cookie header for a path. */
  cookieHeader(pathname: string): string {
    return [...this.#cookies]
      .filter(([, { path }]) => path === '/' || pathname === path || pathname.startsWith(`${path}/`))
      .map(([key, { value }]) => `${key.split(' ', 1).join('')}=${value}`)
      .join('; ');
  }

  #keep(response: Response, url: URL): void {
    for (const line of response.headers.getSetCookie()) {
      this.setCookies.push(line);
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      const path = attributes.find((part) => /^path=/i.test(part))?.slice('path='.length) ?? url.pathname;
      const isGone = attributes.some((part) => /^expires=Thu, 01 Jan 1970/i.test(part));
      // A cookie name may exist for several paths.
      if (isGone) this.#cookies.delete(`${name} ${path}`);
      else this.#cookies.set(`${name} ${path}`, { value, path });
    }
  }
}

function attribute(tag: string, name: string): string | undefined {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? [];
  return value
    ?.replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
}
