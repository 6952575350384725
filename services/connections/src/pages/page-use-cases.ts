import { create } from '@bufbuild/protobuf';
import type { JsonObject } from '@bufbuild/protobuf';
import type { FieldDescriptor } from '@fairlead/contracts/catalog/v1/application_pb';
import { ConnectSessionSchema } from '@fairlead/contracts/connections/v1/connect_session_pb';
import type { ConnectSession } from '@fairlead/contracts/connections/v1/connect_session_pb';
import { ConnectionSchema } from '@fairlead/contracts/connections/v1/connection_pb';
import type { Connection } from '@fairlead/contracts/connections/v1/connection_pb';
import { CompletedSignInSchema } from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import type { CompletedSignIn } from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import { toFieldMessage } from '@fairlead/connector-model/field-message';
import { requiresOAuthSignIn } from '@fairlead/connector-model/model';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { readPage } from '@fairlead/service-kit/page';
import type { Page } from '@fairlead/service-kit/page';
import { Secret } from '@fairlead/service-kit/secret';
import { toSession } from '../rpc/convert-connect-session.ts';
import { toConnection } from '../rpc/convert-connection.ts';
import { toCompletedSignIn } from '../rpc/convert-sign-in.ts';
import { beginSignIn } from '../use-cases/begin-sign-in.ts';
import type { BeginSignInDeps } from '../use-cases/begin-sign-in.ts';
import { cancelConnectSession } from '../use-cases/cancel-connect-session.ts';
import type { CancelConnectSessionDeps } from '../use-cases/cancel-connect-session.ts';
import { completeSignIn } from '../use-cases/complete-sign-in.ts';
import type { CompletedCallback, CompleteSignInDeps } from '../use-cases/complete-sign-in.ts';
import { connectApplication } from '../use-cases/connect-application.ts';
import type { ConnectApplicationDeps } from '../use-cases/connect-application.ts';
import { describeSignIn } from '../use-cases/describe-sign-in.ts';
import type { DescribeSignInDeps } from '../use-cases/describe-sign-in.ts';
import { getConnectApplication } from '../use-cases/get-connect-application.ts';
import type { GetConnectApplicationDeps } from '../use-cases/get-connect-application.ts';
import { getConnectSignIn } from '../use-cases/get-connect-sign-in.ts';
import type { GetConnectSignInDeps } from '../use-cases/get-connect-sign-in.ts';
import { isOriginAllowed } from '../use-cases/is-origin-allowed.ts';
import type { IsOriginAllowedDeps } from '../use-cases/is-origin-allowed.ts';
import { listConnectApplications } from '../use-cases/list-connect-applications.ts';
import type { ListConnectApplicationsDeps } from '../use-cases/list-connect-applications.ts';
import { readConnectSession } from '../use-cases/read-connect-session.ts';
import type { ReadConnectSessionDeps } from '../use-cases/read-connect-session.ts';
import { resolveConnectSession } from '../use-cases/resolve-connect-session.ts';
import type { ResolveConnectSessionDeps } from '../use-cases/resolve-connect-session.ts';
import { startConnectSignIn } from '../use-cases/start-connect-sign-in.ts';
import type { StartConnectSignInDeps } from '../use-cases/start-connect-sign-in.ts';

/** An application that a session offers. */
export interface ConnectApplication {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
}

/** A way to connect an application that works now. */
export interface ConnectMethod {
  readonly authenticationId: number;
  readonly authenticationName: string;
  readonly isDefault: boolean;
  /** Through the vendor's own page; otherwise by fields. */
  readonly requiresOauthSignIn: boolean;
  /** What the person fills in. What the account's OAuth client holds is not among them. */
  readonly fields: readonly FieldDescriptor[];
  /** What a sign-in asks of the vendor, as the vendor names it; empty where the vendor's default applies. */
  readonly scopes: readonly string[];
}

/** Whose session it is and what it may do. */
export interface ResolvedPage {
  readonly session: ConnectSession;
  readonly accountId: string;
  /** The user who opened the session. */
  readonly userId: string;
  /** Whether the session can still connect something. */
  readonly isUsable: boolean;
  /** How many more connections the end user may have. A renewal needs none. */
  readonly remainingConnections: number;
  /** How many the end user was allowed to have when the session was opened; remainingConnections counts from it. */
  readonly maxConnections: number;
  /** The connection to renew; undefined if the session renews none, or it is gone. */
  readonly renews: Connection | undefined;
  /** The API key by which the session was opened; undefined: another credential. */
  readonly keyId: string | undefined;
  /** Whether sign-ins use the account's auth providers, as the opener was allowed to. */
  readonly usesAuthProviders: boolean;
}

/** Who asks a person to sign in, where and for what. */
export interface DescribedSignIn {
  readonly accountId: string;
  /** The user who started the sign-in. */
  readonly userId: string;
  readonly applicationName: string;
  /** As the vendor names them, in the order of the request; empty where the vendor's default applies. */
  readonly scopes: readonly string[];
  /** The origin of the vendor's authorize address. */
  readonly vendorOrigin: string;
}

/** A method of an application, with what the person entered. */
interface Chosen {
  readonly applicationSlug: string;
  readonly authenticationId: number;
  readonly fields?: JsonObject;
}

/** Use cases of a sign-in's pages, which have no account: the state names the sign-in. */
export interface SignInUseCases {
  /** OAUTH_STATE_EXPIRED for a state that is not pending. */
  describeSignIn(ctx: RequestContext, request: { readonly state: string }): Promise<DescribedSignIn>;
  /** Binds the sign-in to the browser of the person who agreed. OAUTH_STATE_EXPIRED for a state that is not pending. */
  beginSignIn(
    ctx: RequestContext,
    request: { readonly state: string },
  ): Promise<{ readonly authorizeUrl: string; readonly browserBinding: string }>;
  /**
   * Redeems the code of a vendor's callback once, only for the browser that began the sign-in. OAUTH_STATE_EXPIRED or
   * OAUTH_SIGN_IN_FAILED otherwise; in a connect session, whose page shows it, a failure is a response.
   */
  completeSignIn(
    ctx: RequestContext,
    request: {
      readonly state: string;
      readonly browserBinding: string;
      /** The whole query string, without the question mark. */
      readonly callbackQuery: string;
      /** What follows the callback's own path, without the slash; empty for vendors of the catalogue. */
      readonly callbackSegment?: string;
    },
  ): Promise<CompletedCallback>;
}

/**
 * Use cases of the hosted page. A browser's token is resolved as the platform; every other one needs the context of the
 * session's end user (caller `endUserSession`) and reaches only what is theirs, in that account, among the applications of that
 * session. A session that is over, and what it does not offer, is NOT_FOUND.
 */
export interface SessionUseCases {
  /** Also of a session that is over. */
  resolveConnectSession(ctx: RequestContext, request: { readonly token: string }): Promise<ResolvedPage>;
  /** How far a session is, also if it is over. */
  readConnectSession(
    ctx: RequestContext,
    request: { readonly token: string },
  ): Promise<{ readonly session: ConnectSession }>;
  /** Whether a session that has not expired allows scripts of that origin. */
  isOriginAllowed(
    ctx: RequestContext,
    request: { readonly origin: string },
  ): Promise<{ readonly isAllowed: boolean }>;
  listConnectApplications(
    ctx: RequestContext,
    request: { readonly page?: Page; readonly search?: string },
  ): Promise<{ readonly items: readonly ConnectApplication[]; readonly totalCount: number }>;
  /** The default method first. */
  getConnectApplication(
    ctx: RequestContext,
    request: { readonly slug: string },
  ): Promise<{ readonly application: ConnectApplication; readonly methods: readonly ConnectMethod[] }>;
  startConnectSignIn(
    ctx: RequestContext,
    request: Chosen,
  ): Promise<{ readonly state: string; readonly authorizeUrl: string; readonly browserBinding: string }>;
  /** Undefined while the sign-in is pending. */
  getConnectSignIn(
    ctx: RequestContext,
    request: { readonly state: string },
  ): Promise<{ readonly completed: CompletedSignIn | undefined }>;
  /** Fields are tried at the vendor first: if it refuses them, nothing is stored, and the outcome is the vendor's own text. */
  connectApplication(
    ctx: RequestContext,
    request: Chosen & { readonly oauthState?: string },
  ): Promise<{
    readonly outcome:
      | { readonly case: 'connection'; readonly value: Connection }
      | { readonly case: 'refusal'; readonly value: string };
  }>;
  /** The session as it is then; one that is completed stays so. */
  cancelConnectSession(
    ctx: RequestContext,
    request: Readonly<Record<string, never>>,
  ): Promise<{ readonly session: ConnectSession }>;
}

/** Everything that the pages do. */
export interface PageUseCases extends SignInUseCases, SessionUseCases {}

/** What the use cases of the pages need. */
export type PageUseCasesDeps = DescribeSignInDeps &
  BeginSignInDeps &
  CompleteSignInDeps &
  ResolveConnectSessionDeps &
  ReadConnectSessionDeps &
  IsOriginAllowedDeps &
  ListConnectApplicationsDeps &
  GetConnectApplicationDeps &
  StartConnectSignInDeps &
  GetConnectSignInDeps &
  ConnectApplicationDeps &
  CancelConnectSessionDeps;

/** The use cases with what the pages show of their results. */
export function createPageUseCases(deps: PageUseCasesDeps): PageUseCases {
  return {
    async describeSignIn(ctx, { state }) {
      const signIn = await describeSignIn(deps, ctx, state);
      const { accountId, userId, applicationName, scopes } = signIn;
      return {
        accountId,
        userId,
        applicationName,
        scopes,
        vendorOrigin: new URL(signIn.authorizeUrl).origin,
      };
    },
    async beginSignIn(ctx, { state }) {
      const { authorizeUrl, browserBinding } = await beginSignIn(deps, ctx, state);
      return { authorizeUrl, browserBinding: browserBinding.reveal() };
    },
    completeSignIn: (ctx, { state, browserBinding, callbackQuery, callbackSegment = '' }) =>
      completeSignIn(deps, ctx, {
        state,
        browserBinding: new Secret(browserBinding),
        callbackQuery: new Secret(callbackQuery),
        callbackSegment,
      }),
    async resolveConnectSession(ctx, { token }) {
      const resolved = await resolveConnectSession(deps, ctx, new Secret(token));
      const { session, isUsable, remainingConnections, renews } = resolved;
      const now = deps.clock.now();
      return {
        session: create(ConnectSessionSchema, toSession(session, now)),
        accountId: session.accountId,
        userId: session.userId,
        isUsable,
        remainingConnections,
        maxConnections: session.maxConnections,
        renews: renews && create(ConnectionSchema, toConnection(renews, now)),
        keyId: session.keyId ?? undefined,
        usesAuthProviders: session.mayUseProviders,
      };
    },
    async readConnectSession(ctx, { token }) {
      const session = await readConnectSession(deps, ctx, new Secret(token));
      return { session: create(ConnectSessionSchema, toSession(session, deps.clock.now())) };
    },
    isOriginAllowed: async (ctx, { origin }) => ({ isAllowed: await isOriginAllowed(deps, ctx, origin) }),
    listConnectApplications: (ctx, { page, search = '' }) =>
      listConnectApplications(deps, ctx, { page: page ?? readPage(undefined), search }),
    async getConnectApplication(ctx, { slug }) {
      const { head, methods } = await getConnectApplication(deps, ctx, slug);
      return {
        application: head,
        methods: methods.map(({ method, fields, scopes }) => ({
          authenticationId: method.authenticationId,
          authenticationName: method.authenticationName,
          isDefault: method.isDefault,
          requiresOauthSignIn: requiresOAuthSignIn(method),
          fields: fields.map(toFieldMessage),
          scopes,
        })),
      };
    },
    async startConnectSignIn(ctx, { fields = {}, ...method }) {
      const { state, authorizeUrl, browserBinding } = await startConnectSignIn(deps, ctx, {
        ...method,
        fields,
      });
      return { state, authorizeUrl, browserBinding: browserBinding.reveal() };
    },
    async getConnectSignIn(ctx, { state }) {
      const signIn = await getConnectSignIn(deps, ctx, state);
      return { completed: signIn && create(CompletedSignInSchema, toCompletedSignIn(signIn)) };
    },
    async connectApplication(ctx, { applicationSlug, authenticationId, fields = {}, oauthState }) {
      const outcome = await connectApplication(deps, ctx, {
        applicationSlug,
        authenticationId,
        fields,
        oauthState,
      });
      if ('refusal' in outcome) return { outcome: { case: 'refusal', value: outcome.refusal } };
      const stored = create(ConnectionSchema, toConnection(outcome.connection, deps.clock.now()));
      return { outcome: { case: 'connection', value: stored } };
    },
    async cancelConnectSession(ctx) {
      const session = await cancelConnectSession(deps, ctx);
      return { session: create(ConnectSessionSchema, toSession(session, deps.clock.now())) };
    },
  };
}
