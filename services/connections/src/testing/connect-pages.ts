import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { PageUseCases } from '../pages/bind-use-cases.ts';
import { permissionsOf } from '@fairlead/access/permissions';
import { notFound } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import type { Answer } from '@fairlead/service-kit/testing/http';
import { callHttp as call } from '@fairlead/service-kit/testing/http';
import { startHttpService } from '@fairlead/service-kit/testing/http';
import type { TestHttpService } from '@fairlead/service-kit/testing/http';
import { signInPages } from '../pages/sign-in.ts';
import type { SignInPagesOptions } from '../pages/sign-in.ts';
import { connectPages } from '../pages/connect/connect.ts';
import type { ConnectSession } from '../domain/connect-session.ts';
import type { FieldOptions } from '../domain/connection.ts';
import type { UsableMethod } from '../use-cases/list-session-methods.ts';
import {
  apiTokenMethod,
  completedSignIn,
  connection,
  connectorHead,
  connectSession,
  field as fieldOf,
  NOW,
  oauth2Scheme,
  oauthMethod,
} from './builders.ts';

/** Token of the session. */
export const TOKEN = 'cst_0123456789';
/** Address of the session's page. */
export const PATH = '/connect/sessions/cs_1';
/** State of the session's sign-in. */
export const STATE = '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4';
/** A text that contains markup and invisible characters. */
export const EVIL = '<img src=x onerror=alert(1)>"\u202Egnp';
const closing: (() => Promise<void>)[] = [];

/** Closes every server that `setUp` has started. */
export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}

/** Use cases of the page that a test may replace. */
export type UseCaseOverrides = Partial<PageUseCases>;
const APPLICATION = connectorHead({ slug: 'sandbox-crm', name: 'Sandbox CRM', description: 'A CRM.' });
const field: typeof fieldOf = (name, more) =>
  fieldOf(name, { label: `Label of ${name}`, description: `Description of ${name}`, ...more });
/** A method with a field of every type. */
export const KEY_METHOD: UsableMethod = {
  method: apiTokenMethod({
    authenticationName: 'API key',
    isDefault: true,
    translations: { de: { authenticationName: 'API-Schlüssel' } },
  }),
  scopes: [],
  fields: [
    field('apiToken', {
      isRequired: true,
      isPassword: true,
      help: 'It is among the settings.',
      helpUrl: 'https://crm.example/settings?a=1&b=2',
      translations: { de: { label: 'API-Token', description: 'Ein Token.', help: 'Unter Einstellungen.' } },
    }),
    field('region', {
      type: 'select',
      options: [
        { value: 'eu', label: 'Europe', translations: { de: { label: 'Europa' } } },
        { value: 'us', label: 'United States', translations: {} },
      ],
    }),
    field('port', { type: 'number' }),
    field('verbose', { type: 'boolean' }),
    field('tenant'),
  ],
};
/** A sign-in method that describes one of its two scopes. */
export const OAUTH_METHOD: UsableMethod = {
  method: oauthMethod({
    authenticationName: 'OAuth 2.0',
    isDefault: false,
    scheme: oauth2Scheme({
      scopeDescriptions: {
        'crm.read': {
          description: 'See contacts',
          translations: { de: { description: 'Kontakte ansehen' } },
        },
      },
    }),
  }),
  scopes: ['crm.read', 'crm.write'],
  fields: [field('subdomain', { isRequired: true })],
};

/** Members that make a session ended. */
export const ENDED = {
  completed: {
    connections: [{ connectionId: 7, connectionName: 'My CRM', applicationSlug: 'sandbox-crm' }],
  },
  cancelled: { endedAt: NOW, endedBy: 'endUser' },
  expired: { expiresAt: NOW },
} satisfies Record<string, Partial<ConnectSession>>;

/** The pages over one session; `now` has its current state. */
export async function setUp(
  o: {
    readonly session?: Partial<ConnectSession>;
    readonly resolved?: object;
    readonly methods?: readonly UsableMethod[];
    readonly names?: null;
    readonly publicUrl?: string;
    readonly isCrowded?: boolean;
    readonly replaced?: UseCaseOverrides;
    readonly fieldOptions?: FieldOptions;
  } = {},
) {
  const calls: [string, unknown, unknown][] = [];
  const now = {
    session: connectSession({ applicationSlugs: ['sandbox-crm'], keyId: 'key_1', ...o.session }),
    isUsable: true,
    /** The user who opened the connect session, in their current state. */
    opener: {
      accountName: 'Acme',
      userName: 'Mara',
      permissions: permissionsOf('member', true),
      maxConnectionsPerEndUser: 20,
    },
    ...o.resolved,
  };
  const note = (name: string, request: unknown, { caller }: RequestContext): void =>
    void calls.push([name, request, caller]);
  const end = (status: keyof typeof ENDED): void => {
    now.session = { ...now.session, ...ENDED[status] };
    now.isUsable = false;
  };
  const useCases: PageUseCases = {
    async resolveConnectSession(_ctx, token) {
      if (token.reveal() !== TOKEN) throw notFound('connect session');
      const { opener: _theirs, ...resolved } = now;
      return { remainingConnections: 3, renews: undefined, ...resolved };
    },
    readConnectSession: () => Promise.reject(new Error('No page shows the status alone.')),
    isOriginAllowed: () => Promise.resolve(false),
    async getConnectApplication(ctx, slug) {
      note('application', slug, ctx);
      if (slug !== 'sandbox-crm') throw notFound('application');
      return { head: APPLICATION, methods: o.methods ?? [KEY_METHOD, OAUTH_METHOD] };
    },
    listConnectApplications: (_ctx, { search }) =>
      Promise.resolve({
        items:
          search === 'nothing'
            ? []
            : [
                { ...APPLICATION, logoUrl: 'data:image/svg+xml,"' },
                { slug: 'other', name: 'Other', description: EVIL, logoUrl: 'https://other.example/logo' },
              ],
        totalCount: search === 'nothing' ? 0 : 60,
      }),
    async connectApplication(ctx, { fields, oauthState, authenticationId }) {
      note('connect', { fields, oauthState, authenticationId }, ctx);
      end('completed');
      return { connection: connection() };
    },
    async signInWithinSession(ctx, { fields }) {
      note('start', fields, ctx);
      return {
        state: STATE,
        authorizeUrl: 'https://vendor.example/authorize?state=1',
        browserBinding: new Secret('bind-1'),
      };
    },
    getConnectSignIn: () =>
      Promise.resolve({
        ...completedSignIn({ fieldOptions: o.fieldOptions ?? {} }),
        applicationSlug: 'sandbox-crm',
      }),
    async cancelConnectSession(ctx) {
      note('cancel', {}, ctx);
      end('cancelled');
      return now.session;
    },
    describeSignIn: () => Promise.reject(new Error('The session has a page of its own.')),
    bindBrowser: () => Promise.reject(new Error('The session has a page of its own.')),
    cancelSignIn: () => Promise.reject(new Error('The session has a page of its own.')),
    completeSignIn: (_ctx, { browserBinding }) =>
      Promise.resolve({
        applicationName: 'Sandbox CRM',
        connectSessionId: 'cs_1',
        ...(browserBinding.reveal() !== 'bind-1' && { refusal: 'refused' }),
      }),
    ...o.replaced,
  };
  const common: Omit<SignInPagesOptions, 'continueSession'> = {
    useCases,
    findMember: (_ctx, _accountId, _userId, keyId) =>
      Promise.resolve(o.names === null || (keyId ?? 'key_1') !== 'key_1' ? undefined : now.opener),
    publicUrl: o.publicUrl ?? 'https://fairlead.example',
    addressOf: () => '192.0.2.1',
    limit: () => (o.isCrowded === true ? 1500 : 0),
  };
  const connect = connectPages({ ...common, useCases, clock: new ManualClock(NOW) });
  const edge = await startHttpService({
    pages: [...connect.pages, ...signInPages({ ...common, continueSession: connect.continueSession })],
  });
  closing.push(() => edge.close());
  return { edge, calls, now };
}

/** Cookie of a browser that has opened the session. */
export const COOKIE = `__Host-fairlead-connect-cs_1=${TOKEN}`;
/** Opens the page. */
export const show = (edge: TestHttpService, query = '', headers: Record<string, string> = {}) =>
  call(edge, 'GET', `${PATH}${query}`, { headers: { cookie: COOKIE, ...headers } });
/** The markup of a page. */
export const textOf = ({ body }: Answer): string => String(body['text']);
/** The visible text of a page. */
export const readable = (answer: Answer): string =>
  textOf(answer)
    .replace(/<(style|script)>[^]*?<\/\1>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

/** Posts the page's form with `fields`, as a browser does. */
export async function press(
  edge: TestHttpService,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const token = /name="form_token" value="([^"]*)"/.exec(textOf(await show(edge)))?.[1] ?? '';
  const body = new URLSearchParams({
    form_token: token,
    action: 'connect',
    application: 'sandbox-crm',
    ...fields,
  });
  return call(edge, 'POST', PATH, {
    headers: {
      cookie: COOKIE,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: body.toString(),
  });
}
