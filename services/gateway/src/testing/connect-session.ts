import type { ServiceImpl } from '@connectrpc/connect';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { FieldType } from '@fairlead/contracts/catalog/v1/application_pb';
import { ConnectPageService } from '@fairlead/contracts/connections/v1/connect_page_service_pb';
import { ConnectSessionStatus } from '@fairlead/contracts/connections/v1/connect_session_pb';
import { SignInService } from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import { permissionsOf } from '@fairlead/access/permissions';
import { notFound } from '@fairlead/errors/api-error';
import { systemClock } from '@fairlead/service-kit/clock';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { Answer } from '@fairlead/service-kit/testing/http';
import { call, startEdge } from './edge.ts';
import type { TestEdge } from './edge.ts';
import { startRemote } from './remote.ts';
import { signInPages } from '../pages/sign-in.ts';
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

/** Closes every edge and remote that `setUp` has started. */
export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}

/** Responses of the connections service to the page. */
export type PageRpcs = Partial<ServiceImpl<typeof ConnectPageService>>;
const SESSION = {
  sessionId: 'cs_1',
  endUserId: 'customer-1',
  applicationSlugs: ['sandbox-crm'],
  allowedOrigins: ['https://app.example'],
  status: ConnectSessionStatus.OPEN,
  expiresAt: timestampFromDate(new Date(Date.now() + 1_800_000)),
};
const APPLICATION = { slug: 'sandbox-crm', name: 'Sandbox CRM', description: 'A CRM.' };
const field = (name: string, more: object = {}) => ({
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
const OAUTH_METHOD = {
  authenticationId: 0,
  authenticationName: 'OAuth 2.0',
  requiresOauthSignIn: true,
  scopes: ['crm.read', 'crm.write'],
  fields: [field('subdomain', { isRequired: true })],
};

/** The pages over a remote with one session; `now` is what it is at the time of the call. */
export async function setUp(
  o: {
    readonly session?: object;
    readonly resolved?: object;
    readonly methods?: readonly object[];
    readonly names?: null;
    readonly publicUrl?: string;
    readonly isCrowded?: boolean;
    readonly rpcs?: PageRpcs;
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
  const note = (name: string, request: unknown, context: Parameters<typeof requestContext>[0]): void =>
    void calls.push([name, request, requestContext(context).caller]);
  const remote = await startRemote((router) => {
    router.service(ConnectPageService, {
      resolveConnectSession({ token }) {
        if (token !== TOKEN) throw notFound('connect session');
        const { opener: _theirs, ...resolved } = now;
        return {
          accountId: 'acc_1',
          userId: 'usr_1',
          remainingConnections: 3,
          maxConnections: 20,
          keyId: 'key_1',
          ...resolved,
        };
      },
      getConnectApplication({ slug }, context) {
        note('application', slug, context);
        if (slug !== 'sandbox-crm') throw notFound('application');
        return { application: APPLICATION, methods: [...(o.methods ?? [KEY_METHOD, OAUTH_METHOD])] };
      },
      listConnectApplications: ({ search }) => ({
        items: search === 'nothing' ? [] : [APPLICATION, { slug: 'other', name: 'Other', description: EVIL }],
        totalCount: search === 'nothing' ? 0 : 60,
      }),
      connectApplication({ fields, oauthState, authenticationId }, context) {
        note('connect', { fields, oauthState, authenticationId }, context);
        now.session = { ...now.session, status: ConnectSessionStatus.COMPLETED };
        now.isUsable = false;
        return { outcome: { case: 'connection', value: {} } };
      },
      startConnectSignIn({ fields }, context) {
        note('start', fields, context);
        return {
          state: STATE,
          authorizeUrl: 'https://vendor.example/authorize?state=1',
          browserBinding: 'bind-1',
        };
      },
      getConnectSignIn: () => ({ completed: { applicationSlug: 'sandbox-crm', ...o.completed } }),
      cancelConnectSession(_request, context) {
        note('cancel', {}, context);
        now.session = { ...now.session, status: ConnectSessionStatus.CANCELLED };
        now.isUsable = false;
        return {};
      },
      ...o.rpcs,
    });
    router.service(SignInService, {
      completeSignIn: ({ browserBinding }) => ({
        applicationName: 'Sandbox CRM',
        connectSessionId: 'cs_1',
        ...(browserBinding !== 'bind-1' && { refusal: 'refused' }),
      }),
    });
  });
  const common = {
    findMember: (_accountId: string, _userId: string, keyId?: string) =>
      Promise.resolve(o.names === null || (keyId ?? 'key_1') !== 'key_1' ? undefined : now.opener),
    publicUrl: o.publicUrl ?? 'https://fairlead.example',
    addressOf: () => '192.0.2.1',
    limit: () => (o.isCrowded === true ? 1500 : 0),
  };
  const connect = connectPages({ ...common, connectPages: remote.services.connectPage, clock: systemClock });
  const edge = await startEdge({
    pages: [
      ...connect.pages,
      ...signInPages({
        ...common,
        signIns: remote.services.signIns,
        continueSession: connect.continueSession,
      }),
    ],
  });
  closing.push(
    () => remote.close(),
    () => edge.close(),
  );
  return { edge, calls, now };
}

/** What a browser sends that has opened the session. */
export const COOKIE = `__Host-fairlead-connect-cs_1=${TOKEN}`;
/** Opens the page. */
export const show = (edge: TestEdge, query = '', headers: Record<string, string> = {}) =>
  call(edge, 'GET', `${PATH}${query}`, { headers: { 'x-api-key': '', cookie: COOKIE, ...headers } });
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
  edge: TestEdge,
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
      'x-api-key': '',
      cookie: COOKIE,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: body.toString(),
  });
}
