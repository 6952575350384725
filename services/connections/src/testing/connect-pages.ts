import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { create } from '@bufbuild/protobuf';
import { FieldDescriptorSchema, FieldType } from '@fairlead/contracts/catalog/v1/application_pb';
import { CompletedSignInSchema } from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import { ConnectionSchema } from '@fairlead/contracts/connections/v1/connection_pb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ConnectMethod, PageUseCases, SessionUseCases } from '../pages/page-use-cases.ts';
import {
  ConnectSessionSchema,
  ConnectSessionStatus,
} from '@fairlead/contracts/connections/v1/connect_session_pb';
import { permissionsOf } from '@fairlead/access/permissions';
import { notFound } from '@fairlead/errors/api-error';
import { systemClock } from '@fairlead/service-kit/clock';
import type { Answer } from '@fairlead/service-kit/testing/http';
import { callHttp as call } from '@fairlead/service-kit/testing/http';
import { startHttpService } from '@fairlead/service-kit/testing/http';
import type { TestHttpService } from '@fairlead/service-kit/testing/http';
import { signInPages } from '../pages/sign-in.ts';
import type { SignInPagesOptions } from '../pages/sign-in.ts';
import { connectPages } from '../pages/connect/connect.ts';

/** The token of the session. */
export const TOKEN = 'cst_0123456789';
/** The address of its page. */
export const PATH = '/connect/sessions/cs_1';
/** The state of its sign-in. */
export const STATE = '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4';
/** A text that is markup and hides characters. */
export const EVIL = '<img src=x onerror=alert(1)>"\u202Egnp';
const closing: (() => Promise<void>)[] = [];

/** Closes every server that `setUp` has started. */
export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}

/** What a test has the use cases of the page do. */
export type Replaced = Partial<SessionUseCases>;
const SESSION = {
  sessionId: 'cs_1',
  endUserId: 'customer-1',
  applicationSlugs: ['sandbox-crm'],
  allowedOrigins: ['https://app.example'],
  status: ConnectSessionStatus.OPEN,
  expiresAt: timestampFromDate(new Date(Date.now() + 1_800_000)),
};
const APPLICATION = { slug: 'sandbox-crm', name: 'Sandbox CRM', description: 'A CRM.' };
const field = (name: string, more: object = {}) =>
  create(FieldDescriptorSchema, {
    name,
    label: `Label of ${name}`,
    description: `Description of ${name}`,
    type: FieldType.STRING,
    ...more,
  });
/** A method by fields of every type. */
export const KEY_METHOD = {
  authenticationId: 1,
  authenticationName: 'API key',
  isDefault: true,
  fields: [
    field('apiToken', { isRequired: true, isPassword: true }),
    field('region', {
      type: FieldType.SELECT,
      options: [
        { value: 'eu', label: 'Europe' },
        { value: 'us', label: 'United States' },
      ],
    }),
    field('port', { type: FieldType.NUMBER }),
    field('verbose', { type: FieldType.BOOLEAN }),
    field('tenant'),
  ],
};
const METHOD: ConnectMethod = {
  authenticationId: 0,
  authenticationName: '',
  isDefault: false,
  requiresOauthSignIn: false,
  fields: [],
  scopes: [],
};
const OAUTH_METHOD = {
  authenticationId: 0,
  authenticationName: 'OAuth 2.0',
  requiresOauthSignIn: true,
  scopes: ['crm.read', 'crm.write'],
  fields: [field('subdomain', { isRequired: true })],
};

/** The pages over one session; `now` is what it is at the time of the call. */
export async function setUp(
  o: {
    readonly session?: object;
    readonly resolved?: object;
    readonly methods?: readonly Partial<ConnectMethod>[];
    readonly names?: null;
    readonly publicUrl?: string;
    readonly isCrowded?: boolean;
    readonly replaced?: Replaced;
    readonly completed?: object;
  } = {},
) {
  const calls: [string, unknown, unknown][] = [];
  const now = {
    session: { ...SESSION, ...o.session },
    isUsable: true,
    /** The user who opened it, as they are now. */
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
  const session = () => create(ConnectSessionSchema, now.session);
  const end = (status: ConnectSessionStatus): void => {
    now.session = { ...now.session, status };
    now.isUsable = false;
  };
  const useCases: PageUseCases = {
    async resolveConnectSession(_ctx, { token }) {
      if (token !== TOKEN) throw notFound('connect session');
      const { opener: _theirs, ...resolved } = now;
      return {
        accountId: 'acc_1',
        userId: 'usr_1',
        remainingConnections: 3,
        maxConnections: 20,
        keyId: 'key_1',
        renews: undefined,
        usesAuthProviders: false,
        ...resolved,
        session: session(),
      };
    },
    readConnectSession: () => Promise.reject(new Error('No page shows the status alone.')),
    isOriginAllowed: () => Promise.resolve({ isAllowed: false }),
    async getConnectApplication(ctx, { slug }) {
      note('application', slug, ctx);
      if (slug !== 'sandbox-crm') throw notFound('application');
      const methods = o.methods ?? [KEY_METHOD, OAUTH_METHOD];
      return { application: APPLICATION, methods: methods.map((method) => ({ ...METHOD, ...method })) };
    },
    listConnectApplications: (_ctx, { search }) =>
      Promise.resolve({
        items: search === 'nothing' ? [] : [APPLICATION, { slug: 'other', name: 'Other', description: EVIL }],
        totalCount: search === 'nothing' ? 0 : 60,
      }),
    async connectApplication(ctx, { fields, oauthState, authenticationId }) {
      note('connect', { fields, oauthState, authenticationId }, ctx);
      end(ConnectSessionStatus.COMPLETED);
      return { outcome: { case: 'connection', value: create(ConnectionSchema) } };
    },
    async startConnectSignIn(ctx, { fields }) {
      note('start', fields, ctx);
      return {
        state: STATE,
        authorizeUrl: 'https://vendor.example/authorize?state=1',
        browserBinding: 'bind-1',
      };
    },
    getConnectSignIn: () =>
      Promise.resolve({
        completed: create(CompletedSignInSchema, {
          applicationSlug: 'sandbox-crm',
          fieldOptionsJson: Buffer.from('{}'),
          ...o.completed,
        }),
      }),
    async cancelConnectSession(ctx) {
      note('cancel', {}, ctx);
      end(ConnectSessionStatus.CANCELLED);
      return { session: session() };
    },
    describeSignIn: () => Promise.reject(new Error('The session has a page of its own.')),
    beginSignIn: () => Promise.reject(new Error('The session has a page of its own.')),
    completeSignIn: (_ctx, { browserBinding }) =>
      Promise.resolve({
        applicationName: 'Sandbox CRM',
        connectSessionId: 'cs_1',
        ...(browserBinding !== 'bind-1' && { refusal: 'refused' }),
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
  const connect = connectPages({ ...common, useCases, clock: systemClock });
  const edge = await startHttpService({
    pages: [...connect.pages, ...signInPages({ ...common, continueSession: connect.continueSession })],
  });
  closing.push(() => edge.close());
  return { edge, calls, now };
}

/** What a browser sends that has opened the session. */
export const COOKIE = `__Host-fairlead-connect-cs_1=${TOKEN}`;
/** Opens the page. */
export const show = (edge: TestHttpService, query = '', headers: Record<string, string> = {}) =>
  call(edge, 'GET', `${PATH}${query}`, { headers: { cookie: COOKIE, ...headers } });
/** The markup of a page. */
export const textOf = ({ body }: Answer): string => String(body['text']);
/** What a person reads. */
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
