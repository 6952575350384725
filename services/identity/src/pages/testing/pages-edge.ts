import { ManualClock } from '@fairlead/service-kit/clock';
import { html, sendPage } from '@fairlead/pages/html';
import { Secret } from '@fairlead/service-kit/secret';
import type { Member } from '../../domain/records.ts';
import { testAccount, testUser } from '../../testing/records.ts';
import { startHttpService } from '@fairlead/service-kit/testing/http';
import type { TestHttpService } from '@fairlead/service-kit/testing/http';
import type { InteractionDetails, ServerPages } from '../../oauth/interactions.ts';
import { MAX_BODY_BYTES } from '../../oauth/provider/request-body.ts';
import { createInteractionPages } from '../interaction-pages.ts';
import type { InteractionPagesDeps } from '../interaction-pages.ts';
import type { People } from '../members.ts';
import { createThrottle } from '../throttle.ts';
import { fakeInteractions } from './fake-interactions.ts';
import type { FakeInteractions } from './fake-interactions.ts';
import { memoryAttemptBuckets } from './memory-attempt-buckets.ts';

/** The password of every user of testPeople. */
export const PASSWORD = 'correct horse';

/** A user with its account; `number` determines both ids. */
export function testMember(
  number: number,
  o: { readonly email?: string; readonly isActive?: boolean } = {},
): Member {
  const [accountId, id] = [`acc_${number}`, `usr_${number}`];
  return {
    account: testAccount({ id: accountId, name: `Account ${number}` }),
    user: testUser({ id, accountId, role: 'owner', email: 'mara@test.example', ...o }),
  };
}

/** People in memory; all have PASSWORD. */
export function testPeople(members: readonly Member[]): People {
  return {
    verifyPassword: (email, password) =>
      Promise.resolve(
        password.reveal() === PASSWORD ? members.filter(({ user }) => user.email === email) : [],
      ),
    findMembersByEmail: (email) => Promise.resolve(members.filter(({ user }) => user.email === email)),
    findMembershipsOf: (userId) => Promise.resolve(members.filter(({ user }) => user.id === userId)),
  };
}

export interface PageResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The pages over real HTTP, with interactions in memory. */
export interface PagesEdge extends Pick<TestHttpService, 'url' | 'lines' | 'close'> {
  readonly interactions: FakeInteractions;
  readonly clock: ManualClock;
  /** Requests as the browser of interaction `int_1`. */
  get(path: string, headers?: Record<string, string>): Promise<PageResponse>;
  /** Posts the first form of a page with the given `fields`, to its own address or another. */
  post(page: PageResponse, fields: Record<string, string>, o?: PostOptions): Promise<PageResponse>;
}

/** Posts a form. */
export interface PostOptions {
  readonly to?: string;
  readonly headers?: Record<string, string>;
}

/** Starts the pages for the given interactions and people; `otherwise` answers all other requests. */
export async function startPages(o: {
  readonly interactions: readonly InteractionDetails[];
  readonly members?: readonly Member[];
  /** Replaces default dependencies; gets the pages' address. */
  readonly deps?: (url: string) => Partial<InteractionPagesDeps>;
  /** Response status of the authorization server. */
  readonly otherwise?: () => number;
}): Promise<PagesEdge> {
  const clock = new ManualClock(new Date());
  const interactions = fakeInteractions(o.interactions);
  let pages: ServerPages | undefined;
  const edge = await startHttpService({
    mounts: [
      {
        prefix: '/oauth',
        timeoutMs: 60_000,
        maxBodyBytes: MAX_BODY_BYTES,
        async handle(exchange, request, response) {
          if (await pages?.handle(exchange, request, response)) return;
          const status = o.otherwise?.() ?? 404;
          sendPage(response, { status, title: 'Authorization server', style: '', body: html`` });
        },
      },
    ],
  });
  // Created once the address is known, because redirects and cookies depend on it.
  pages = createInteractionPages({
    people: testPeople(o.members ?? [testMember(1)]),
    throttle: createThrottle(memoryAttemptBuckets({ clock })),
    signingKeys: () => [new Secret('a key of the tests')],
    upstream: undefined,
    publicUrl: 'https://fairlead.example',
    addressOf: (request) => String(request.headers['x-test-address'] ?? '203.0.113.1'),
    clock,
    ...o.deps?.(edge.url),
  })(interactions);
  const send = async (path: string, init: RequestInit): Promise<PageResponse> => {
    const answer = await fetch(new URL(path, edge.url), { redirect: 'manual', ...init });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const cookie = 'interaction=int_1';
  return {
    url: edge.url,
    lines: edge.lines,
    interactions,
    clock,
    close: () => edge.close(),
    get: (path, headers = {}) => send(path, { headers: { cookie, ...headers } }),
    post(page, fields, { to, headers = {} } = {}) {
      const [, action = ''] = /<form method="post" action="([^"]*)"/.exec(page.text) ?? [];
      const hidden = [...page.text.matchAll(/<input\s+type="hidden"\s+name="([^"]*)"\s+value="([^"]*)"/g)];
      const own = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
      const body = new URLSearchParams({ ...own, ...fields }).toString();
      return send(to ?? action, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body,
      });
    },
  };
}
