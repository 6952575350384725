import { ApplicationKind } from '@fairlead/contracts/catalog/v1/application_pb';
import { UseService } from '@fairlead/contracts/common/v1/use_service_pb';
import { ConnectionService } from '@fairlead/contracts/connections/v1/connection_service_pb';
import { SignInService } from '@fairlead/contracts/connections/v1/sign_in_service_pb';
import { ApiError, validationError } from '@fairlead/errors/api-error';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { Services } from '../services.ts';
import { connectionMessage } from '@fairlead/rest-records/testing/messages';
import { startRemote } from './remote.ts';

/** The state of the only sign-in that the stand-in knows. */
export const SIGN_IN_STATE = '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4';

/** The name of a connection that the stand-in refuses to create. */
export const REFUSED_NAME = 'refused';

/** The connections with another kind than the regular one. */
const KIND_OF: Readonly<Record<number, ApplicationKind>> = {
  2: ApplicationKind.MCP_CLIENT,
  3: ApplicationKind.OPA,
};

/** A stand-in for the connections service. */
export interface RemoteConnections {
  readonly services: Services;
  /** The last request that wrote or listed, with its caller; empty if there was none. */
  lastRequest(): Readonly<Record<string, unknown>>;
  /** The OAuth client that the last request chose. */
  lastProvider(): unknown;
  /** Forgets the last request. */
  forget(): void;
  /** Completes the sign-in; it is pending before. */
  completeSignIn(): void;
  close(): Promise<void>;
}

/**
 * Starts a stand-in that knows the connections 1 (regular), 2 (an MCP client) and 3 (an on-prem agent), and one sign-in. Testing connection
 * 1 succeeds; testing any other fails.
 */
export async function startRemoteConnections(): Promise<RemoteConnections> {
  let last: Readonly<Record<string, unknown>> = {};
  let isPending = true;
  const note = (request: object): void => {
    last = { ...request };
  };
  const found = ({ id }: { readonly id: number }) => ({
    connection: connectionMessage({ id, kind: KIND_OF[id] ?? ApplicationKind.REGULAR }),
  });
  const remote = await startRemote((router) =>
    router
      .service(ConnectionService, {
        listConnections(request, context) {
          note({ ...request, caller: requestContext(context).caller });
          return { items: [connectionMessage()], totalCount: 1 };
        },
        getConnection: found,
        createConnection(request) {
          note(request);
          if (request.connectionName === REFUSED_NAME)
            throw validationError({ field: 'fields.apiToken', issue: 'is required' });
          return found({ id: 1 });
        },
        replaceConnection(request) {
          note(request);
          return { connection: connectionMessage({ id: request.id }) };
        },
        deleteConnection: () => ({}),
        setDefaultConnection: found,
        testConnection: ({ id }) =>
          id === 1 ? { isSuccess: true } : { isSuccess: false, errorMessage: 'Key revoked.' },
        setLicence(request) {
          note(request);
          return found(request);
        },
      })
      .service(UseService, { listUses: () => ({}), removeUses: () => ({}) })
      .service(SignInService, {
        startSignIn(request) {
          note(request);
          return { signInUrl: 'http://127.0.0.1:8080/connect/start/x', state: SIGN_IN_STATE };
        },
        getSignIn({ state }) {
          if (state !== SIGN_IN_STATE) throw new ApiError('OAUTH_STATE_EXPIRED', 'The sign-in has expired.');
          return isPending
            ? {}
            : { completed: { applicationSlug: 'sandbox-crm', suggestedName: 'Olga', grantedScopes: ['a'] } };
        },
      }),
  );
  return {
    services: remote.services,
    lastRequest: () => last,
    lastProvider: () => (last['provider'] as { readonly choice: unknown } | undefined)?.choice,
    forget: () => {
      last = {};
    },
    completeSignIn: () => {
      isPending = false;
    },
    close: () => remote.close(),
  };
}
