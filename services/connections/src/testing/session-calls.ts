import { ManualClock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';
import type { ConnectSession, SessionEnder } from '../domain/connect-session.ts';
import { MAX_REFUSED_ATTEMPTS } from '../domain/connect-session.ts';
import type { Connection } from '../domain/connection.ts';
import type { FindMember, Member } from '../ports/members.ts';
import {
  connection,
  connectorHead,
  connectSession,
  heldProviders,
  NOW,
  registeredClients,
} from './builders.ts';

/** A session in memory with the dependencies of its calls, the recorded writes, and the users that were looked up. */
export function sessionCalls(
  over: Partial<ConnectSession> = {},
  o: { readonly count?: number; readonly held?: Connection; readonly isOpenerThere?: boolean } = {},
) {
  const session = connectSession(over);
  const written: unknown[] = [];
  const asked: unknown[] = [];
  const opener: Member = {
    accountName: 'Acme',
    userName: 'Mara',
    permissions: [],
    maxConnectionsPerEndUser: 20,
  };
  const findMember: FindMember = (_ctx, ...reference) => {
    asked.push(reference);
    return Promise.resolve((o.isOpenerThere ?? true) ? opener : undefined);
  };
  let refused = 0;
  const note = (...what: unknown[]): Promise<void> => {
    written.push(what);
    return Promise.resolve();
  };
  const { accountId, endUserId, id: sessionId } = session;
  const ctx: RequestContext = testContext({
    caller: { kind: 'endUserSession', accountId, endUserId, sessionId },
  });
  const held = o.held ?? connection({ endUserId, id: 7 });
  const find = (_ctx: unknown, account: string, id: string | number): Promise<ConnectSession | undefined> =>
    Promise.resolve(account === accountId && id === sessionId ? session : undefined);
  return {
    session,
    written,
    asked,
    ctx,
    deps: {
      findMember,
      clock: new ManualClock(NOW),
      connectSessions: {
        find,
        end: (
          _ctx: unknown,
          account: string,
          id: string,
          { by, at }: { readonly by: SessionEnder; readonly at: Date },
        ) => {
          written.push(['end', account, id, by, at]);
          return Promise.resolve(id === sessionId ? { ...session, endedAt: at, endedBy: by } : undefined);
        },
        addSignIn: (_ctx: unknown, account: string, id: string, state: string) =>
          note('addSignIn', account, id, state),
        countAttempt: () => {
          if (refused >= MAX_REFUSED_ATTEMPTS) return Promise.resolve(false);
          refused += 1;
          return Promise.resolve(true);
        },
        forgetAttempt: () => {
          refused -= 1;
          return Promise.resolve();
        },
        saveLastError: (_ctx: unknown, account: string, id: string, text: string) =>
          note('saveLastError', account, id, text),
      },
      connections: {
        find: (_ctx: unknown, account: string, id: number) =>
          Promise.resolve(account === accountId && id === held.id ? held : undefined),
        countOfEndUser: () => Promise.resolve(o.count ?? 0),
      },
      catalog: {
        getConnector: (_ctx: unknown, slug: string) => Promise.resolve(connectorHead({ slug, name: slug })),
      },
      authProviders: heldProviders(),
      registeredClients: registeredClients(),
      ownClients: {
        find: () => ({ clientId: 'id', clientSecret: 's3cr3t' }),
        methods: () => [{ applicationSlug: 'crm', authenticationId: 0 }],
      },
    },
  };
}
