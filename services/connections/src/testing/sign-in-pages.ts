import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Answer } from '@fairlead/service-kit/testing/http';
import { callHttp as call } from '@fairlead/service-kit/testing/http';
import { startHttpService } from '@fairlead/service-kit/testing/http';
import type { TestHttpService } from '@fairlead/service-kit/testing/http';
import { Secret } from '@fairlead/service-kit/secret';
import { signInHead } from './builders.ts';
import type { DescribedSignIn } from '../use-cases/describe-sign-in.ts';
import type { CompleteSignInCommand } from '../use-cases/complete-sign-in.ts';
import { signInPages } from '../pages/sign-in.ts';

/** State of the sign-in. */
export const STATE = '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4';
const closing: (() => Promise<void>)[] = [];
/** Closes every server that `setUp` has started. */
export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}

/** The sign-in as described to the page. */
export const ASKED: DescribedSignIn = {
  ...signInHead({
    applicationName: 'Sandbox CRM',
    scopes: ['crm.read', 'crm.write'],
    authorizeUrl: 'https://vendor.example/authorize?state=1',
  }),
  scopeDescriptions: {
    'crm.read': {
      description: 'See contacts',
      translations: { de: { description: 'Kontakte ansehen' } },
    },
  },
};
const NAMES = { accountName: 'Acme', userName: 'Mara Owner' };
const MEMBER = { permissions: [], maxConnectionsPerEndUser: 20 };

/** The pages over a stand-in with one pending sign-in, or as the test overrides it. */
export async function setUp(
  o: {
    readonly publicUrl?: string;
    readonly asked?: Partial<typeof ASKED>;
    readonly names?: typeof NAMES | null;
    readonly isPending?: boolean;
    readonly isCrowded?: boolean;
    readonly complete?: (request: CompleteSignInCommand) => { applicationName: string };
  } = {},
) {
  const called: string[] = [];
  const callers: unknown[] = [];
  const note = (method: string, { caller }: RequestContext): void => {
    called.push(method);
    callers.push(caller);
    if (o.isPending === false) throw new ApiError('OAUTH_STATE_EXPIRED', 'internal wording');
  };
  const edge = await startHttpService({
    pages: signInPages({
      useCases: {
        describeSignIn: async (ctx) => {
          note('describe', ctx);
          return { ...ASKED, ...o.asked };
        },
        bindBrowser: async (ctx) => {
          note('begin', ctx);
          return {
            authorizeUrl: 'https://vendor.example/authorize?state=1&x=a%20b',
            browserBinding: new Secret('bind-1'),
          };
        },
        cancelSignIn: async (ctx) => note('cancel', ctx),
        completeSignIn: async (_ctx, request) => o.complete?.(request) ?? { applicationName: 'Sandbox CRM' },
      },
      findMember: () => Promise.resolve(o.names === null ? undefined : { ...MEMBER, ...(o.names ?? NAMES) }),
      publicUrl: o.publicUrl ?? 'https://fairlead.example',
      addressOf: () => '192.0.2.1',
      limit: () => (o.isCrowded === true ? 1500 : 0),
      continueSession: () => Promise.reject(new Error('no session')),
    }),
  });
  closing.push(() => edge.close());
  return { edge, called, callers };
}

/** Address of the sign-in's page. */
export const PATH = `/connect/start/${STATE}`;
/** Opens the page. */
export const show = (edge: TestHttpService, headers = {}) => call(edge, 'GET', PATH, { headers });

/** Posts a page's form with the page's cookie, as a browser does. */
export function press(
  edge: TestHttpService,
  page: Answer,
  headers: Readonly<Record<string, string>> = { 'sec-fetch-site': 'same-origin' },
  fields: Readonly<Record<string, string>> = {},
) {
  const token = /name="form_token" value="([^"]*)"/.exec(String(page.body['text']))?.[1] ?? '';
  const [cookie = ''] = page.headers.getSetCookie().map((set) => set.split(';')[0] ?? '');
  return call(edge, 'POST', PATH, {
    headers: {
      cookie,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: new URLSearchParams({ form_token: token, ...fields }).toString(),
  });
}

/** Returns from the vendor. */
export const back = (edge: TestHttpService, query: string, cookie = '') =>
  call(edge, 'GET', `/connect/callback?${query}`, { headers: { cookie, 'x-api-key': '' } });

/** Follows a response's redirect with the cookies that it set, as a browser does. */
export const follow = (edge: TestHttpService, answer: Answer, cookie = cookiesOf(answer), headers = {}) =>
  call(edge, 'GET', answer.headers.get('location') ?? '', { headers: { cookie, ...headers } });
const cookiesOf = ({ headers }: Answer): string =>
  headers
    .getSetCookie()
    .map((set) => set.split(';')[0])
    .join('; ');
