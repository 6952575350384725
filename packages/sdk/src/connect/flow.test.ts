import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startApiServer } from '../testing/api-server.ts';
import type { ApiServer, Reply } from '../testing/api-server.ts';
import type { Browser } from './browser.ts';
import { openIn, resumeIn } from './flow.ts';
import type { ConnectCallbacks, ConnectOptions } from './flow.ts';

const TOKEN = 'cst_0123456789abcdef';
const closing: ApiServer[] = [];
afterEach(async () => {
  for (const server of closing.splice(0)) await server.close();
});

const session = (status: string, more: object = {}): Reply => ({
  status: 200,
  body: { sessionId: 'cs_1', status, connections: [], lastError: null, ...more },
});
const DONE = session('completed', {
  connections: [{ connectionId: 7, connectionName: 'CRM', applicationSlug: 'sandbox-crm' }],
});

/** A server that answers the polls of a session with the given responses in turn, and then repeats the last one. */
async function serve(...answers: readonly Reply[]): Promise<ApiServer> {
  const server = await startApiServer((_request, index) => answers[index] ?? answers.at(-1) ?? DONE);
  closing.push(server);
  return server;
}

/** A tab whose timers fire at once; `kept` is its session storage, which outlives a reload. */
function openTab(o: { readonly isBlocking?: boolean; readonly kept?: Map<string, string> } = {}) {
  const kept = o.kept ?? new Map<string, string>();
  const listeners = new Map<string, Set<(event: { readonly origin?: string }) => void>>();
  const tab = {
    kept,
    opened: [] as string[],
    replaced: [] as string[],
    left: [] as string[],
    features: '',
    waits: [] as number[],
    popup: { isClosed: false, isFocused: false },
    /** Whether timers wait for `dispatch` instead of firing. */
    isPaused: false,
    dispatch(type: string, event: { readonly origin?: string } = {}) {
      for (const listener of listeners.get(type) ?? []) listener(event);
    },
    listening: () => [...listeners.values()].reduce((sum, { size }) => sum + size, 0),
  };
  const popup = {
    closed: false,
    location: { replace: (url: string) => void tab.replaced.push(url) },
    focus: () => void (tab.popup.isFocused = true),
    close: () => void (tab.popup.isClosed = true),
  };
  const browser: Browser = {
    location: { assign: (url) => void tab.left.push(url) },
    sessionStorage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    },
    screen: { availWidth: 1280, availHeight: 800 },
    open(url, _name, features) {
      tab.opened.push(url);
      tab.features = features;
      return o.isBlocking === true ? null : popup;
    },
    fetch: (url, options) => fetch(url, options),
    setTimeout(callback, delayMs) {
      tab.waits.push(delayMs);
      return tab.isPaused ? undefined : setTimeout(callback, 0);
    },
    clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
    addEventListener: (type, listener) =>
      void listeners.set(type, (listeners.get(type) ?? new Set()).add(listener)),
    removeEventListener: (type, listener) => void listeners.get(type)?.delete(listener),
  };
  return { tab, browser };
}

/** How a session ends, as the callbacks report it; `all` has one entry per call. */
function record() {
  const all: (readonly [string, unknown])[] = [];
  const first = Promise.withResolvers<readonly [string, unknown]>();
  const note = (name: string) => (value: unknown) => {
    all.push([name, value]);
    first.resolve([name, value]);
  };
  const callbacks: ConnectCallbacks = {
    onSuccess: note('success'),
    onCancel: note('cancel'),
    onError: note('error'),
  };
  return { all, outcome: first.promise, callbacks };
}

const addressAt = ({ url }: ApiServer): string => `${url}/connect/session/${TOKEN}`;

describe('a popup', () => {
  it('opens at once, and the outcome is what the API says, asked with the token in a header only', async () => {
    const api = await serve(session('open'), session('open'), DONE);
    const { tab, browser } = openTab();
    const { outcome, callbacks } = record();
    openIn(browser, { connectUrl: addressAt(api), ...callbacks });
    expect(tab.opened).toEqual([`${addressAt(api)}?display=popup`]);
    expect(tab.features).toMatch(/^popup,width=480,height=760,left=400,top=20$/);
    expect(await outcome).toEqual([
      'success',
      expect.objectContaining({
        sessionId: 'cs_1',
        connections: [expect.objectContaining({ connectionId: 7 })],
      }),
    ]);
    expect(api.received.map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array(3).fill('GET /connect/status'),
    );
    expect(api.received.every(({ headers }) => headers.authorization === `Bearer ${TOKEN}`)).toBe(true);
    expect([tab.left, [...tab.kept.keys()], tab.listening()]).toEqual([[], [], 0]);
  });

  it.each([
    ['cancelled', 'cancel', { status: 'cancelled' }],
    ['expired', 'error', { code: 'EXPIRED' }],
  ])('a session that is %s is reported as %s', async (status, name, value) => {
    const api = await serve(session('open'), session(status));
    const { outcome, callbacks } = record();
    openIn(openTab().browser, { connectUrl: addressAt(api), ...callbacks });
    expect(await outcome).toEqual([name, expect.objectContaining(value)]);
  });

  it('a session that was ended, or whose token is not valid, is an error', async () => {
    const api = await serve({ status: 401 });
    const { outcome, callbacks } = record();
    openIn(openTab().browser, { connectUrl: addressAt(api), ...callbacks });
    expect(await outcome).toEqual(['error', expect.objectContaining({ code: 'ENDED' })]);
  });

  it('one that the vendor’s pages cut off reads as closed, which decides nothing', async () => {
    const api = await serve(session('open'), DONE);
    const { browser } = openTab();
    const { outcome, callbacks } = record();
    const severed = { closed: true, location: { replace() {} }, focus() {}, close() {} };
    openIn({ ...browser, open: () => severed }, { connectUrl: addressAt(api), ...callbacks });
    expect((await outcome)[0]).toBe('success');
  });

  it('opens empty within the click while the session is being created, and then goes there', async () => {
    const api = await serve(DONE);
    const { tab, browser } = openTab();
    const { outcome, callbacks } = record();
    const created = Promise.withResolvers<string>();
    const handle = openIn(browser, { connectUrl: created.promise, ...callbacks });
    expect([tab.opened, tab.replaced]).toEqual([[''], []]);
    created.resolve(addressAt(api));
    expect((await outcome)[0]).toBe('success');
    expect(tab.replaced).toEqual([`${addressAt(api)}?display=popup`]);
    handle.focus();
    expect(tab.popup.isFocused).toBe(true);
  });

  it('closes if the session cannot be created, with the reason', async () => {
    const { tab, browser } = openTab();
    const { outcome, callbacks } = record();
    const reason = new Error('our server is down');
    openIn(browser, { connectUrl: Promise.reject(reason), ...callbacks });
    expect(await outcome).toEqual(['error', expect.objectContaining({ code: 'NO_SESSION', cause: reason })]);
    expect(tab.popup.isClosed).toBe(true);
  });

  it('leaves the page for the hosted one if it is blocked, or gives the address', async () => {
    const api = await serve(session('open'));
    const { tab, browser } = openTab({ isBlocking: true });
    const handle = openIn(browser, { connectUrl: addressAt(api) });
    expect(tab.left).toEqual([addressAt(api)]);
    handle.stop();
    const onBlocked = vi.fn<(connectUrl: string) => void>();
    openIn(browser, { connectUrl: addressAt(api), onBlocked }).stop();
    expect(onBlocked.mock.calls).toEqual([[addressAt(api)]]);
    expect(tab.left).toHaveLength(1);
  });
});

describe('an address', () => {
  const open = async (o: ConnectOptions) => {
    const { tab, browser } = openTab();
    const { outcome, callbacks } = record();
    openIn(browser, { ...o, ...callbacks });
    return { tab, outcome: await outcome };
  };

  it.each([
    'javascript:alert(1)//https://a/connect/session/x',
    '/connect/session/x',
    'https://a.example/other',
    '',
  ])('%j is not one of a session, and nothing opens', async (connectUrl) => {
    const { tab, outcome } = await open({ connectUrl });
    expect(outcome).toEqual(['error', expect.objectContaining({ code: 'NO_SESSION' })]);
    expect([tab.opened, tab.left]).toEqual([[], []]);
  });

  it('is made of the token and the base address, which may end with a slash', async () => {
    const api = await serve(DONE);
    const { tab, outcome } = await open({ token: TOKEN, baseUrl: `${api.url}/` });
    expect(tab.opened).toEqual([`${addressAt(api)}?display=popup`]);
    expect(outcome[0]).toBe('success');
  });
});

describe('without a popup', () => {
  it('redirect leaves the page; the tab that returns resumes, once', async () => {
    const api = await serve(DONE);
    const { tab, browser } = openTab();
    openIn(
      { ...browser, fetch: () => new Promise(() => {}) },
      { connectUrl: addressAt(api), mode: 'redirect' },
    );
    expect([tab.opened, tab.left]).toEqual([[], [addressAt(api)]]);

    const reloaded = openTab({ kept: tab.kept });
    const { outcome, callbacks } = record();
    expect(resumeIn(reloaded.browser, callbacks)).toBeDefined();
    expect((await outcome)[0]).toBe('success');
    expect(resumeIn(reloaded.browser, callbacks)).toBeUndefined();
  });

  it('headless opens nothing and only asks', async () => {
    const api = await serve(session('open'), DONE);
    const { tab, browser } = openTab({ isBlocking: true });
    const { outcome, callbacks } = record();
    openIn(browser, { connectUrl: addressAt(api), mode: 'headless', ...callbacks });
    expect((await outcome)[0]).toBe('success');
    expect([tab.opened, tab.left]).toEqual([[], []]);
  });

  it('works where the browser denies storage', async () => {
    const api = await serve(DONE);
    const { browser } = openTab();
    const { outcome, callbacks } = record();
    const denying: Browser = {
      ...browser,
      get sessionStorage(): never {
        throw new Error('denied');
      },
    };
    expect(resumeIn(denying, callbacks)).toBeUndefined();
    openIn(denying, { connectUrl: addressAt(api), ...callbacks });
    expect((await outcome)[0]).toBe('success');
  });
});

describe('the polling', () => {
  it('asks at once when the person returns or the hosted page sends a message; another origin’s is ignored', async () => {
    const api = await serve(session('open'), session('open'), session('open'), DONE);
    const { tab, browser } = openTab();
    tab.isPaused = true;
    const { all, outcome, callbacks } = record();
    openIn(browser, { connectUrl: addressAt(api), ...callbacks });
    await expect.poll(() => tab.waits).toHaveLength(1);
    tab.dispatch('message', { origin: 'https://elsewhere.example' });
    await setImmediate();
    tab.dispatch('message', { origin: api.url });
    await expect.poll(() => tab.waits).toHaveLength(2);
    tab.dispatch('focus');
    await expect.poll(() => tab.waits).toHaveLength(3);
    tab.dispatch('pageshow');
    expect((await outcome)[0]).toBe('success');
    expect([api.received.length, all.length]).toEqual([4, 1]);
  });

  it('slows down after a minute, waits longer after failures and as long as the API asks', async () => {
    const answers = [...Array<Reply>(62).fill(session('open')), { status: 503 }, { status: 500 }];
    const limited = { status: 429, headers: { 'retry-after': '40' } };
    const api = await serve(...answers, limited, session('open'), DONE);
    const { tab, browser } = openTab();
    const { outcome, callbacks } = record();
    openIn(browser, { connectUrl: addressAt(api), ...callbacks });
    expect((await outcome)[0]).toBe('success');
    expect(tab.waits.slice(59)).toEqual([1000, 3000, 3000, 6000, 12_000, 40_000, 3000]);
  });

  it('ends with an error after ten failures in a row', async () => {
    const down: Reply = { status: 502 };
    const api = await serve(...Array.from({ length: 9 }, () => down), session('open'), down);
    const { all, outcome, callbacks } = record();
    openIn(openTab().browser, { connectUrl: addressAt(api), ...callbacks });
    expect(await outcome).toEqual(['error', expect.objectContaining({ code: 'UNREACHABLE' })]);
    expect([api.received.length, all.length]).toEqual([20, 1]);
  });

  it('ends with stop, and nothing is called after it', async () => {
    const api = await serve(session('open'), DONE);
    const { tab, browser } = openTab();
    tab.isPaused = true;
    const { all, callbacks } = record();
    const handle = openIn(browser, { connectUrl: addressAt(api), ...callbacks });
    await expect.poll(() => tab.waits).toHaveLength(1);
    handle.stop();
    tab.dispatch('focus');
    await setImmediate();
    expect([api.received.length, all, tab.kept.size, tab.listening()]).toEqual([1, [], 0, 0]);
  });
});
